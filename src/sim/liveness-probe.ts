import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { Client, credentials, status as statusCodes } from '@grpc/grpc-js';

/** The livenessprobe sidecar of one driver: every GET of /healthz is one Probe on a connection of its own. */
export function livenessProbe(socketPath: string, timeoutMs: number): Server {
  return createServer((request, response) => {
    const text = (status: number, body: string): void =>
      void response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(body);
    if (request.url?.split('?')[0] !== '/healthz') return text(404, '404 page not found\n');
    probe(socketPath, timeoutMs).then(
      (words) => text(words === 'ok' ? 200 : 500, words),
      () => response.destroy(),
    );
  });
}

/** In the words of livenessprobe 2.19. */
function probe(socketPath: string, timeoutMs: number): Promise<string> {
  const client = new Client(`unix://${socketPath}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  });
  const deadline = new Date(Date.now() + timeoutMs);
  const passOn = (bytes: Buffer): Buffer => bytes;
  return new Promise<string>((resolve) => {
    // It waits for the connection as long as for the answer, so a missing, a stale and a frozen socket sound alike.
    client.waitForReady(deadline, (closed) => {
      if (closed !== undefined && closed !== null) return resolve('context deadline exceeded');
      client.makeUnaryRequest(
        '/csi.v1.Identity/Probe',
        passOn,
        passOn,
        Buffer.alloc(0),
        { deadline },
        (error, answer) => {
          if (error === null) resolve(isNotReady(answer) ? 'driver responded but is not ready' : 'ok');
          else
            resolve(
              `rpc error: code = ${goName(error.code)} desc = ` +
                `${error.code === statusCodes.DEADLINE_EXCEEDED ? 'context deadline exceeded' : error.details}`,
            );
        },
      );
    });
  }).finally(() => client.close());
}

/** ProbeResponse.ready is there and false: a wrapped bool without its default value. */
const isNotReady = (answer: Buffer | undefined): boolean =>
  answer !== undefined && answer[0] === 0x0a && (answer[1] === 0 || answer[3] === 0);

/** FAILED_PRECONDITION is FailedPrecondition in Go. */
const goName = (code: number): string =>
  (statusCodes[code] ?? 'UNKNOWN')
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
