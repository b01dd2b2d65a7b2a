import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from '../../kit/run-program.ts';
import type { Place } from './run-case.ts';

export interface RunningDemo extends Omit<Place, 'directory'> {
  readonly stop: () => Promise<void>;
}

/** The embedded cluster in a process of its own. */
export async function startDemo(): Promise<RunningDemo> {
  const child = spawn(programPath, ['demo'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let text = '';
  for await (const chunk of child.stderr) {
    text += String(chunk);
    const [, kubeconfig, sockets] = /export KUBECONFIG=(\S+)[^]*probe '(\S+)'/.exec(text) ?? [];
    if (kubeconfig === undefined || sockets === undefined) continue;
    return {
      kubeconfig,
      sockets,
      stop: async () => {
        child.kill('SIGINT');
        await ended;
      },
    };
  }
  throw new Error(`the demo ended early:\n${text}`);
}
