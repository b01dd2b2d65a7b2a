import { connect } from 'node:net';
import type { RawObject } from '../core/kube/snapshot.ts';
import { listAt, textAt } from './fields.ts';
import type { PodProcess, ProcessEnd } from './pod-streams.ts';

/** An image with nothing in it but its own program. */
export const withoutShell: (command: readonly string[]) => PodProcess = (command) => () => {
  const program = command[0] ?? '';
  return Promise.resolve({
    notStarted:
      'failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: ' +
      `unable to start container process: exec: "${program}": executable file not found in $PATH`,
  });
};

/**
 * An image with a shell and no program that could carry bytes to a socket; a script that searches for one reports that.
 */
export const withoutTools: PodProcess = async ({ stderr }) => {
  stderr.write('sh: socat: not found\n');
  return { exitCode: 127 };
};

/** A command that prints once and ends. */
export const saying =
  (words: { readonly stdout?: string; readonly stderr?: string; readonly exitCode?: number }): PodProcess =>
  async ({ stdout, stderr }) => {
    if (words.stdout !== undefined) stdout.write(words.stdout);
    if (words.stderr !== undefined) stderr.write(words.stderr);
    return { exitCode: words.exitCode ?? 0 };
  };

const errnoWords: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ECONNREFUSED: 'Connection refused',
  EACCES: 'Permission denied',
  EAGAIN: 'Resource temporarily unavailable',
  ENOTSOCK: 'Socket operation on non-socket',
};

/** Carries bytes between the client and a socket of this machine, with the words of socat when it cannot. */
export const tunnelTo =
  (socketPath: string | undefined, shownPath = socketPath ?? '/'): PodProcess =>
  ({ stdin, stdout, stderr, signal }) =>
    new Promise<ProcessEnd>((resolve) => {
      const fail = (code: string): void => {
        stderr.write(
          `socat[7] E connect(5, AF=1 "${shownPath}", ${shownPath.length + 3}): ${errnoWords[code] ?? code}\n`,
        );
        resolve({ exitCode: 1 });
      };
      if (socketPath === undefined) return fail('ENOENT');
      const socket = connect({ path: socketPath, allowHalfOpen: true });
      let isOpen = false;
      signal.addEventListener('abort', () => socket.destroy(), { once: true });
      socket.once('connect', () => {
        isOpen = true;
        stdin.pipe(socket);
        socket.pipe(stdout, { end: false });
      });
      socket.once('end', () => {
        stdin.unpipe(socket);
        socket.end();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => (isOpen ? undefined : fail(error.code ?? 'EIO')));
      socket.once('close', () => resolve({ exitCode: 0 }));
    });

/** Where a file in a container is: on the node, or in a volume that lives and dies with the pod. */
type FilePlace =
  | { readonly node: string; readonly path: string }
  | { readonly pod: string; readonly volume: string; readonly path: string };

/** Through the mounts of the container; undefined if the path is in the image. */
export function placeOf(pod: RawObject, container: string, path: string): FilePlace | undefined {
  const spec = [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')].find(
    (candidate) => textAt(candidate, 'name') === container,
  );
  const mounts = listAt(spec, 'volumeMounts')
    .map((mount) => ({
      volume: textAt(mount, 'name'),
      at: textAt(mount, 'mountPath').replace(/\/+$/, ''),
      subPath: textAt(mount, 'subPath'),
    }))
    .filter(({ at }) => path === at || path.startsWith(`${at}/`))
    .sort((left, right) => right.at.length - left.at.length);
  const [mount] = mounts;
  if (mount === undefined) return undefined;
  const volume = listAt(pod, 'spec', 'volumes').find((candidate) => textAt(candidate, 'name') === mount.volume);
  const below = (mount.subPath === '' ? '' : `/${mount.subPath}`) + path.slice(mount.at.length);
  const hostPath = textAt(volume, 'hostPath', 'path').replace(/\/+$/, '');
  if (hostPath !== '') return { node: textAt(pod, 'spec', 'nodeName'), path: hostPath + below };
  return { pod: pod.metadata.uid ?? pod.metadata.name, volume: mount.volume, path: below };
}

/** The path of a socket that a command or a script in it names. */
export function socketNamedIn(command: readonly string[]): string | undefined {
  return /\/[A-Za-z0-9._/-]+\.sock\b/.exec(command.join(' '))?.[0];
}
