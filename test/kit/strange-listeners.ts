import { spawn } from 'node:child_process';
import { createServer as createHttp1 } from 'node:http';
import { constants, createServer as createHttp2 } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

export { leaveStale } from '../../src/sim/csi-driver.ts';

/** Stops what was started; what it left behind goes with the directory. */
export type Stop = () => Promise<void> | void;

function listen(server: Server, path: string): Promise<Stop> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
  });
  return new Promise((resolve) => {
    server.listen(path, () =>
      resolve(() => {
        for (const socket of open) socket.destroy();
        return new Promise((closed) => void server.close(() => closed()));
      }),
    );
  });
}

/** Anyone who speaks, or does not, in bytes of his own. */
export const startRaw = (path: string, greet: (socket: Socket) => void): Promise<Stop> =>
  listen(createServer({ allowHalfOpen: false }, greet), path);
export const startSilent = (path: string): Promise<Stop> => startRaw(path, (socket) => void socket.resume());
export const startHttp1 = (path: string): Promise<Stop> =>
  listen(
    createHttp1((_request, response) => response.end('metrics')),
    path,
  );
/** A key that both sides know in place of a certificate: enough to be a TLS server, and nothing to keep secret. */
export const startTls = (path: string): Promise<Stop> =>
  listen(createTls({ pskCallback: () => Buffer.from('test'), ciphers: 'PSK' }), path);

export function startHttp2(path: string, answer: (stream: ServerHttp2Stream) => void): Promise<Stop> {
  const server = createHttp2();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    answer(stream);
  });
  server.on('sessionError', () => undefined);
  return listen(server as unknown as Server, path);
}
export const refuseStream = (stream: ServerHttp2Stream): void => stream.close(constants.NGHTTP2_REFUSED_STREAM);

/** A process that listens, never accepts, and whose queue is full. */
export async function startFull(path: string): Promise<Stop> {
  const program = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => { require('fs').writeSync(1, 'up'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); });`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const waiting: Socket[] = [];
  for (let isFull = false; !isFull;) {
    const socket = connect(path);
    waiting.push(socket);
    isFull = await new Promise<boolean>(
      (resolve) => void socket.once('connect', () => resolve(false)).once('error', () => resolve(true)),
    );
  }
  return () => {
    for (const socket of waiting) socket.destroy();
    child.kill('SIGKILL');
  };
}

/** Node makes no datagram sockets in the file system; Python does. Undefined where there is none. */
export function startDatagram(path: string): Promise<Stop | undefined> {
  const program = `import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("up",flush=True)\nsys.stdin.read()`;
  const child = spawn('python3', ['-c', program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    child.on('error', () => resolve(undefined));
    child.stdout.once('data', () => resolve(() => void child.kill('SIGKILL')));
  });
}
