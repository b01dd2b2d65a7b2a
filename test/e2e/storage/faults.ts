import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:http2';
import type {
  Http2Server,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { createConnection } from 'node:net';
import { encodeMessage, frame } from './wire.ts';

/** What a call answers in place of the driver: a gRPC status with its message. */
interface Refusal {
  readonly code: number;
  readonly message: string;
}

export interface Fault extends Refusal {
  readonly method: string;
  /** Only calls whose request holds this text, such as the namespace of the claim. */
  readonly within?: string;
  /** No calls whose request holds this: what the driver wants. */
  readonly unless?: string | Buffer;
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

/**
 * Stands between the sidecars and the driver. Every call goes through to the driver, byte for byte, unless a fault is set for
 * its method: so the driver stays real, and still fails on command.
 */
export class FaultProxy {
  readonly faults = new Set<Fault>();
  /** Says that volumes can be modified, and says yes to every modification: the driver is older than that call. */
  modifies = false;
  readonly #server: Http2Server;
  readonly #driver: string;
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(driver: string) {
    this.#driver = driver;
    this.#server = createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => session.destroy());
    });
    this.#server.on('stream', (stream, headers) => {
      void this.#serve(stream, headers);
    });
  }

  static async listen(socket: string, driver: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(driver);
    rmSync(socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      proxy.#server.on('error', reject);
      proxy.#server.listen(socket, resolve);
    });
    return proxy;
  }

  close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    // A caller that gives up closes its stream; that is no trouble of ours.
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const method = headers[':path']?.split('/').at(-1);
      const body = Buffer.concat(chunks);
      const fault = [...this.faults].find(
        (fault) =>
          fault.method === method &&
          (fault.within === undefined || body.includes(fault.within)) &&
          (fault.unless === undefined || !body.includes(fault.unless)),
      );
      if (fault !== undefined) return refuse(stream, fault);
      if (this.modifies && method === 'ControllerModifyVolume')
        return deliver(stream, {
          headers: { ':status': '200', 'content-type': 'application/grpc' },
          body: frame(Buffer.alloc(0)),
          trailers: { 'grpc-status': '0' },
        });
      const answer = await this.#forward(headers, body, stream);
      const changed =
        this.modifies && method === 'ControllerGetCapabilities'
          ? { ...answer, body: frame(Buffer.concat([answer.body.subarray(5), modifyCapability])) }
          : answer;
      if (!stream.destroyed) deliver(stream, changed);
    } catch (error) {
      if (!stream.destroyed)
        refuse(stream, { code: 14, message: error instanceof Error ? error.message : String(error) });
    }
  }

  #forward(headers: IncomingHttpHeaders, body: Buffer, caller: ServerHttp2Stream): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const session = connect('http://localhost', { createConnection: () => createConnection(this.#driver) });
      const fail = (error: Error): void => {
        session.destroy();
        reject(error);
      };
      session.on('error', fail);
      caller.on('close', () => session.destroy());
      const call = session.request(headers);
      const chunks: Buffer[] = [];
      let answered: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      call.on('response', (received) => {
        answered = received;
      });
      call.on('trailers', (received) => {
        trailers = received;
      });
      call.on('data', (chunk: Buffer) => chunks.push(chunk));
      call.on('error', fail);
      call.on('end', () => {
        session.close();
        resolve({ headers: answered, body: Buffer.concat(chunks), trailers });
      });
      call.end(body);
    });
  }
}

/** MODIFY_VOLUME, as one more of the repeated capabilities. */
const modifyCapability = encodeMessage([[1, encodeMessage([[1, encodeMessage([[1, 14]])]])]]);

function deliver(stream: ServerHttp2Stream, { headers, body, trailers }: Answer): void {
  if (Object.keys(trailers).length === 0) {
    stream.respond(sendable(headers), { endStream: true });
    return;
  }
  stream.respond(sendable(headers), { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(sendable(trailers)));
  stream.end(body);
}

function refuse(stream: ServerHttp2Stream, { code, message }: Refusal): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': encodeURIComponent(message).replaceAll('%20', ' '),
    },
    { endStream: true },
  );
}

function sendable(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
