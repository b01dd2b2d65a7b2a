import { rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { Http2Server, ServerHttp2Session } from 'node:http2';
import { decodeMessage, encodeMessage, frame } from './wire.ts';

/**
 * Tells the kubelet of a driver, as the node-driver-registrar does: a socket in the kubelet's registry directory that answers
 * GetInfo (type, name, endpoint, versions) and hears whether the registration worked.
 */
export class Registration {
  /** What the kubelet said of the last try: nothing yet, or its error, which is empty when all went well. */
  error: string | undefined;
  /** Hears what the kubelet said, as the log of the node-driver-registrar shows it. */
  onStatus: (error: string) => void = () => {};
  readonly #server: Http2Server;
  readonly #socket: string;
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(socket: string, driver: string, endpoint: string) {
    this.#socket = socket;
    this.#server = createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => session.destroy());
    });
    this.#server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => {});
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const asked = headers[':path']?.endsWith('/GetInfo') === true;
        if (!asked) {
          this.error = decodeMessage(Buffer.concat(chunks).subarray(5)).get(2)?.[0]?.toString() ?? '';
          this.onStatus(this.error);
        }
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(
          frame(
            asked
              ? encodeMessage([
                  [1, 'CSIPlugin'],
                  [2, driver],
                  [3, endpoint],
                  [4, '1.0.0'],
                ])
              : Buffer.alloc(0),
          ),
        );
      });
    });
  }

  static async listen(socket: string, driver: string, endpoint: string): Promise<Registration> {
    const registration = new Registration(socket, driver, endpoint);
    rmSync(socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      registration.#server.on('error', reject);
      registration.#server.listen(socket, resolve);
    });
    return registration;
  }

  /** The kubelet unregisters a driver whose socket is gone. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    rmSync(this.#socket, { force: true });
  }
}
