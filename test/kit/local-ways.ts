import { spawn } from 'node:child_process';
import type { ExecEnd, NoWay } from '../../src/io/csi/pod-conversation.ts';
import type { ExecSession, Ways } from '../../src/io/csi/ways.ts';
import { Duplex } from 'node:stream';

const nothing: NoWay = { type: 'no way', reason: 'unreachable', message: 'there is no such way in this test' };

/** Ways that lead nowhere, but for those that a test brings. */
export function waysWith(given: Partial<Ways>): Ways {
  return {
    proxyGet: () => Promise.resolve(nothing),
    forwardGet: () => Promise.resolve(nothing),
    exec: () => Promise.resolve(nothing),
    create: () => Promise.resolve(nothing),
    remove: () => Promise.resolve(undefined),
    look: () => Promise.resolve(undefined),
    lacks: () => Promise.resolve(undefined),
    ...given,
  };
}

/** Runs the command on this machine as a kubelet would in a container that has only these programs. */
export function execHere(path: string): Ways['exec'] {
  return (_pod, _container, [program = '', ...words]) => {
    const child = spawn(program, words, { env: { PATH: path }, stdio: 'pipe' });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<ExecEnd>((resolve) => {
      child.once('error', (error) =>
        resolve({ stderr: '', message: `exec: "${program}": executable file not found in $PATH (${error.message})` }),
      );
      child.once('close', (code) => resolve({ stderr, exitCode: code ?? 1 }));
    });
    child.stdin.on('error', () => undefined);
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    stream.on('error', () => undefined);
    stream.once('close', () => void setTimeout(() => child.kill(), 1000).unref());
    return Promise.resolve<ExecSession>({ type: 'session', stream, errors: () => stderr, ended });
  };
}
