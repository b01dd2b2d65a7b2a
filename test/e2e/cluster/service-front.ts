import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { mustRun, runCommand } from './command.ts';

const address = '10.231.78.1';

/** In place of kube-proxy, for one Service only: the address that pods know the API server by, on the bridge of the node. */
export class ServiceFront {
  readonly #server: Server;
  readonly #bridge: string;
  readonly #sockets = new Set<Socket>();

  private constructor(bridge: string, port: number) {
    this.#bridge = bridge;
    this.#server = createServer((socket) => {
      const behind = connect(port, '127.0.0.1');
      for (const each of [socket, behind]) {
        this.#sockets.add(each);
        each.on('error', () => each.destroy());
        each.on('close', () => {
          this.#sockets.delete(each);
          socket.destroy();
          behind.destroy();
        });
      }
      socket.pipe(behind).pipe(socket);
    });
  }

  static async open(bridge: string, server: string): Promise<ServiceFront> {
    const front = new ServiceFront(bridge, Number(new URL(server).port));
    await mustRun('ip', ['address', 'add', `${address}/32`, 'dev', bridge]);
    await new Promise<void>((resolve, reject) => {
      front.#server.on('error', reject);
      front.#server.listen(443, address, resolve);
    });
    return front;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    await runCommand('ip', ['address', 'delete', `${address}/32`, 'dev', this.#bridge]);
  }
}
