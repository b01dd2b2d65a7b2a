import { connect } from 'node:http2';
import { createConnection } from 'node:net';
import { frame } from './wire.ts';

export interface CsiAnswer {
  /** The gRPC status; 0 is well. */
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
  /** Whether the other side spoke HTTP/2 at all: a socket whose owner is gone or hangs does not. */
  readonly connected: boolean;
}

/** Listed here too: the image of the sidecars holds this file and none of src. */
const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** One call of a driver, over a connection of its own. */
export function callCsi(
  socket: string,
  service: 'Identity' | 'Controller',
  method: string,
  request: Buffer,
  timeout = 10_000,
): Promise<CsiAnswer> {
  return new Promise((resolve) => {
    const session = connect('http://localhost', { createConnection: () => createConnection(socket) });
    const chunks: Buffer[] = [];
    let connected = false;
    const finish = (code: number, message: string): void => {
      clearTimeout(timer);
      session.destroy();
      resolve({ code, message, body: Buffer.concat(chunks).subarray(5), connected });
    };
    const timer = setTimeout(() => finish(4, 'context deadline exceeded'), timeout);
    session.on('remoteSettings', () => {
      connected = true;
    });
    session.on('error', (error) => finish(14, error.message));
    const call = session.request({
      ':method': 'POST',
      ':path': `/csi.v1.${service}/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const note = (headers: Readonly<Record<string, unknown>>): void => {
      if (headers['grpc-status'] !== undefined)
        finish(Number(headers['grpc-status']), decodeURIComponent(String(headers['grpc-message'] ?? '')));
    };
    call.on('response', note);
    call.on('trailers', note);
    call.on('error', (error) => finish(14, error.message));
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.end(frame(request));
  });
}

/** A status in the words of the Go library, which all sidecars use. */
export function statusText({ code, message }: { readonly code: number; readonly message: string }): string {
  return `rpc error: code = ${codeNames[code] ?? code} desc = ${message}`;
}
