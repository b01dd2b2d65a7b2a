import { request } from 'node:http';
import type { RawObject } from '../core/kube/snapshot.ts';
import type { Answer } from './api-answer.ts';
import { textAt } from './fields.ts';
import type { PodListeners } from './pod-streams.ts';
import { ApiFailure } from './status.ts';

/** `POD`, `POD:PORT` or `SCHEME:POD:PORT`, as written in a path of the proxy. */
export function readProxyName(text: string): { readonly name: string; readonly port: string } {
  const parts = text.split(':');
  if (parts.length === 1) return { name: text, port: '80' };
  const [name = '', port = ''] = parts.slice(-2);
  return { name, port };
}

/** The answer of the pod, passed on unchanged; the server's own words only if the pod cannot be reached. */
export function proxyTo(
  pod: RawObject,
  port: string,
  path: string,
  listeners: PodListeners | undefined,
): Promise<Answer> {
  const address = `${textAt(pod, 'status', 'podIP')}:${port}`;
  const number = Number(port);
  // A port is put into the address as it was written: only a number can be dialled.
  if (!Number.isInteger(number)) throw unreachable(`dial tcp: lookup tcp/${port}: unknown port`);
  const listener = listeners?.(pod, number);
  if (listener === undefined || listener.isLocal === true)
    throw unreachable(`dial tcp ${address}: connect: connection refused`);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { path, createConnection: () => listener.connect(), headers: { Host: address } },
      (incoming) => {
        let body = '';
        incoming.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 502,
            body,
            contentType: incoming.headers['content-type'] ?? 'text/plain; charset=utf-8',
          }),
        );
      },
    );
    outgoing.on('error', (error) => reject(unreachable(error.message)));
    outgoing.end();
  });
}

function unreachable(cause: string): ApiFailure {
  return new ApiFailure(503, 'ServiceUnavailable', `error trying to reach service: ${cause}`);
}
