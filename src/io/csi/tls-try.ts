import { connect } from 'node:tls';
import { within } from './deadline.ts';
import type { Deadline } from './deadline.ts';

export type SocketAddress = { readonly path: string } | { readonly host: string; readonly port: number };

const tlsTryMs = 500;

/** One attempt, with a server that closed the plaintext connection. Which certificate it has does not matter here. */
export async function speaksTls(address: SocketAddress, deadline: Deadline): Promise<boolean> {
  const socket = connect({ ...address, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  const answer = new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    // An alert, such as for a missing client certificate, shows TLS as well.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(/alert/i.test(error.message)));
    socket.once('close', () => resolve(false));
  });
  socket.on('error', () => undefined);
  const result = await within(answer, Math.min(tlsTryMs, Math.max(50, deadline.remainingMs())), false);
  socket.destroy();
  return result;
}
