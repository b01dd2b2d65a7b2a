import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as dial } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { Authority } from '../e2e/cluster/certificates.ts';

export interface TlsFront {
  readonly url: string;
  /** The file of its certificate authority. */
  readonly authority: string;
  close(): Promise<void>;
}

/** TLS in front of a loopback server without it, since credentials are sent over TLS only. */
export async function openTlsFront(plain: string): Promise<TlsFront> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-front-'));
  const authority = await Authority.create(directory);
  const { certificate, key } = await authority.issue('serving', 'serving', [], ['127.0.0.1']);
  const { port, pathname } = new URL(plain);
  const open = new Set<Socket>();
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (socket) => {
    const upstream = dial(Number(port), '127.0.0.1');
    for (const end of [socket, upstream]) {
      open.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => {
        open.delete(end);
        (end === socket ? upstream : socket).destroy();
      });
    }
    upstream.pipe(socket).pipe(upstream);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname === '/' ? '' : pathname}`,
    authority: authority.certificate,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
