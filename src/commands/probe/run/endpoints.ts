import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import type { ProbeItem } from '../../../core/report/probe-report.ts';
import { parseEndpoint } from '../../../io/csi/endpoint.ts';
import type { Endpoint, EndpointPattern } from '../../../io/csi/endpoint.ts';
import { verdictOf } from '../../../io/csi/failure-words.ts';
import { existingRoots, expandPattern, findEndpoints, usualKubeletRoots } from '../../../io/csi/find-endpoints.ts';

/** What to probe in one round. */
interface ProbeRound {
  readonly endpoints: readonly Endpoint[];
  /** Verdicts that need no connection: patterns without a match, directories that cannot be read. */
  readonly settled: readonly ProbeItem[];
}
type ProbePlan = () => Promise<ProbeRound>;

export function planProbe(words: readonly string[], kubeletRoot: string | undefined): ProbePlan {
  if (words.length === 0) return () => discover(kubeletRoot === undefined ? usualKubeletRoots : [resolve(kubeletRoot)]);
  const parsed = words.map((word) => parseEndpoint(word, process.cwd()));
  return async () => {
    const rounds = await Promise.all(
      parsed.map(async (entry): Promise<ProbeRound> =>
        entry.type === 'pattern' ? expand(entry) : { endpoints: [entry], settled: [] },
      ),
    );
    return { endpoints: rounds.flatMap((round) => round.endpoints), settled: rounds.flatMap((round) => round.settled) };
  };
}

/**
 * A node has a kubelet directory that cannot be read or has the usual subdirectories; an empty one may be left by a
 * tool.
 */
export async function isOnNode(): Promise<boolean> {
  const { roots, unreadable } = await existingRoots(usualKubeletRoots);
  if (unreadable.length > 0) return true;
  const names = await Promise.all(roots.map((root) => readdir(root).catch(() => [])));
  return names.flat().some((name) => name === 'plugins_registry' || name === 'plugins' || name === 'pods');
}

async function expand(entry: EndpointPattern): Promise<ProbeRound> {
  const { endpoints, others, unreadable } = await expandPattern(entry);
  const settled = unreadable.map(unreadableDirectory);
  if (endpoints.length > 0 || settled.length > 0) return { endpoints, settled };
  return { endpoints: [], settled: [settledItem(entry.pattern, withoutMatch(entry.pattern, others))] };
}

/** The verdict on a pattern that matches no socket, though it may match other files. */
function withoutMatch(path: string, others: number): ReturnType<typeof verdictOf> {
  const place = { type: 'unix', path } as const;
  if (others === 0) return verdictOf({ failure: 'socket-missing', detail: 'nothing matches the pattern' }, place);
  const files = others === 1 ? 'a file that is' : `${others} files that are`;
  return verdictOf({ failure: 'not-a-socket', detail: `only ${files} not a socket` }, place);
}

async function discover(roots: readonly string[]): Promise<ProbeRound> {
  const found = await findEndpoints(roots);
  if (found.roots.length === 0 && found.unreadable.length === 0) {
    throw new EnvironmentError(
      `this machine has no kubelet directory (${roots.join(', ')})`,
      'Pass an endpoint, or the directory with --kubelet-root',
    );
  }
  const settled = found.unreadable.map(unreadableDirectory);
  if (found.endpoints.length > 0 || settled.length > 0) return { endpoints: found.endpoints, settled };
  return { endpoints: [], settled: found.roots.slice(0, 1).map((root) => withoutSocket(root, found.roots)) };
}

function withoutSocket(root: string, roots: readonly string[]): ProbeItem {
  return settledItem(root, {
    status: 'unknown',
    stage: 'stat',
    summary: `there is no socket of a CSI driver or a registrar in ${roots.join(', ')}`,
    fix: [{ text: 'Check whether a driver runs on this node.', command: 'crictl ps -a', risk: 'safe' }],
  });
}

function unreadableDirectory(directory: string): ProbeItem {
  const verdict = verdictOf({ failure: 'permission-denied', stage: 'stat' }, { type: 'unix', path: directory });
  const fix = [{ text: 'Probe as root.', command: 'sudo kubectl-csi probe', risk: 'safe' }] as const;
  return settledItem(directory, {
    ...verdict,
    summary: 'You may not read the directory, so its sockets are not known.',
    fix,
  });
}

function settledItem(
  path: string,
  verdict: Pick<ProbeItem, 'status' | 'summary' | 'fix'> & Partial<ProbeItem>,
): ProbeItem {
  return { endpoint: `unix://${path}`, via: 'socket', protocol: 'csi', notes: [], calls: [], drift: [], ...verdict };
}
