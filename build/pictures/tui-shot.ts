import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, '../../bin/kubectl-csi');
export const tuiSize = { columns: 132, rows: 32 };
const patienceMs = 60_000;

/** The interactive screen as tmux sees it, with the subjects of one cause open and one of them chosen. */
export async function shootTui(kubeconfig: string, directory: string): Promise<string> {
  const call = promisify(execFile);
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (await call('tmux', ['-S', join(directory, 'tmux'), '-f', '/dev/null', ...words])).stdout;
  const { columns, rows } = tuiSize;
  const size = ['-x', String(columns), '-y', String(rows)];
  const variables = ['-e', `KUBECONFIG=${kubeconfig}`, '-e', 'LANG=C.UTF-8'];
  await tmux('new-session', '-d', '-s', 'picture', ...size, ...variables, `${program} tui --color always`);
  try {
    const until = async (text: string): Promise<void> => {
      const seen = (): Promise<string> => tmux('capture-pane', '-p', '-t', 'picture');
      for (const begun = Date.now(); !(await seen()).includes(text); await sleep(100))
        if (Date.now() - begun > patienceMs) throw new Error(`the screen does not show "${text}":\n${await seen()}`);
    };
    const press = async (keys: readonly string[], text: string): Promise<void> => {
      await tmux('send-keys', '-t', 'picture', ...keys);
      await until(text);
    };
    /** Goes down to the line of a cause, wherever the order of the list puts it. */
    const choose = async (cause: string): Promise<void> => {
      const cursor = async (): Promise<string> =>
        /^> .*$/m.exec(await tmux('capture-pane', '-p', '-t', 'picture'))?.[0] ?? '';
      for (let line = 1; !(await cursor()).includes(cause) && line < tuiSize.rows; line += 1) {
        await tmux('send-keys', '-t', 'picture', 'j');
        await sleep(500);
      }
    };
    await until('  live  ');
    // Only what is older than ten minutes: the age of anything younger counts seconds, and they go on.
    await press(['-l', '/prov'], '/prov');
    await press(['Enter'], 'provisioner-not-running');
    await choose('provisioner-not-running');
    await press(['Enter'], 'pvc/assets');
    await press(['j'], '>       pvc/');
    // The pane on the right is answered a moment later.
    await until('More: kubectl csi explain');
    return await tmux('capture-pane', '-e', '-p', '-t', 'picture');
  } finally {
    await tmux('kill-server');
  }
}
