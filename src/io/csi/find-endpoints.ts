import { access, constants, glob, lstat, readdir, realpath } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { EndpointPattern, UnixEndpoint } from './endpoint.ts';

/** The kubelet directory, and where k0s, MicroK8s, Canonical Kubernetes, older k3s and RKE have it. */
export const usualKubeletRoots = [
  '/var/lib/kubelet',
  '/var/lib/k0s/kubelet',
  '/var/snap/microk8s/common/var/lib/kubelet',
  '/var/snap/k8s/common/var/lib/kubelet',
  '/var/lib/rancher/k3s/agent/kubelet',
  '/opt/rke/var/lib/kubelet',
] as const;

interface FoundEndpoints {
  readonly endpoints: readonly UnixEndpoint[];
  /** The roots that exist. */
  readonly roots: readonly string[];
  /** Directories that this user may not read. */
  readonly unreadable: readonly string[];
}

/** Which of these directories exist, each once, and which may not be read. */
export async function existingRoots(roots: readonly string[]): Promise<Pick<FoundEndpoints, 'roots' | 'unreadable'>> {
  const existing = new Map<string, string>();
  const unreadable: string[] = [];
  for (const root of roots) {
    // One of them is often a link to another.
    const real = await realpath(root).catch((error: NodeJS.ErrnoException) => error);
    if (typeof real !== 'string') {
      if (real.code === 'EACCES') unreadable.push(root);
    } else if (await isClosed(real)) unreadable.push(root);
    else if (!existing.has(real)) existing.set(real, root);
  }
  return { roots: [...existing.values()], unreadable };
}

/** All sockets of CSI drivers and registrars under the kubelet directories of this node. */
export async function findEndpoints(roots: readonly string[]): Promise<FoundEndpoints> {
  const existing = await existingRoots(roots);
  const search = new SocketSearch();
  for (const root of existing.roots) {
    await search.look(join(root, 'plugins_registry'), 4, () => true);
    await search.look(join(root, 'plugins'), 3, () => true);
    await search.look(join(root, 'csi-plugins'), 3, () => true);
    await search.lookInPods(join(root, 'pods'));
  }
  return {
    endpoints: [...search.found].sort().map((path) => ({ type: 'unix', path })),
    roots: existing.roots,
    unreadable: [...existing.unreadable, ...search.unreadable],
  };
}

class SocketSearch {
  readonly found = new Set<string>();
  readonly unreadable: string[] = [];

  /** Never into kubernetes.io: volumes are mounted there, and a dead one would block indefinitely. */
  async look(directory: string, depth: number, wanted: (name: string) => boolean): Promise<void> {
    for (const entry of await this.#entries(directory)) {
      if (entry.name.startsWith('.') || entry.name === 'kubernetes.io') continue;
      const path = join(directory, entry.name);
      if (entry.isSocket() && wanted(entry.name)) this.found.add(path);
      else if (entry.isDirectory() && depth > 1) await this.look(path, depth - 1, wanted);
    }
  }

  /**
   * Controllers have their sockets in emptyDir volumes of their pods; only names that begin with csi or cosi are taken.
   */
  async lookInPods(directory: string): Promise<void> {
    for (const pod of await this.#entries(directory)) {
      if (pod.isDirectory())
        await this.look(join(directory, pod.name, 'volumes', 'kubernetes.io~empty-dir'), 2, (name) =>
          /^(?:csi|cosi).*\.sock$/.test(name),
        );
    }
  }

  async #entries(directory: string): Promise<Dirent[]> {
    try {
      return await readdir(directory, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') this.unreadable.push(directory);
      return [];
    }
  }
}

export interface Expansion {
  readonly endpoints: readonly UnixEndpoint[];
  /** The number of matching files that are not sockets. */
  readonly others: number;
  /** Directories on the way that this user may not read. */
  readonly unreadable: readonly string[];
}

/** The sockets that match a pattern; a file with exactly that name is taken as it is. */
export async function expandPattern({ pattern }: EndpointPattern): Promise<Expansion> {
  if (
    await lstat(pattern).then(
      () => true,
      () => false,
    )
  )
    return { endpoints: [{ type: 'unix', path: pattern }], others: 0, unreadable: [] };
  const endpoints: UnixEndpoint[] = [];
  let others = 0;
  for await (const path of glob(pattern)) {
    if (
      await lstat(path).then(
        (found) => found.isSocket() || found.isSymbolicLink(),
        () => false,
      )
    )
      endpoints.push({ type: 'unix', path });
    else others += 1;
  }
  return {
    endpoints: endpoints.sort((a, b) => (a.path < b.path ? -1 : 1)),
    others,
    unreadable: await closedOnTheWay(pattern),
  };
}

/** Matching skips unreadable directories silently, which would look as if they were empty. */
async function closedOnTheWay(pattern: string): Promise<string[]> {
  const segments = pattern.split('/');
  const firstMagic = segments.findIndex((segment) => /[*?[{]/.test(segment));
  const closed: string[] = [];
  for (let length = firstMagic; length < segments.length; length += 1) {
    for await (const directory of glob(segments.slice(0, length).join('/') || '/'))
      if (await isClosed(directory)) closed.push(directory);
  }
  return closed;
}

const isClosed = (directory: string): Promise<boolean> =>
  access(directory, constants.R_OK | constants.X_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  );
