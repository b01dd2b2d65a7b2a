import type { DriverPlace, EndpointQuestion } from '../../core/report/driver-endpoints.ts';
import { UserError } from '../../core/kube/errors.ts';
import { entranceOf } from './route-exec.ts';
import type { Entrance } from './route-exec.ts';
import { tunnelTools } from './tunnel-command.ts';
import { rightsOf } from './ways.ts';
import type { Ways } from './ways.ts';

interface EntryOptions {
  readonly question: EndpointQuestion;
  /** All nodes were requested explicitly. */
  readonly allNodes: boolean;
  readonly exec: boolean;
  readonly createPods: boolean;
  readonly tunnelCommand?: string;
  readonly announce: (lines: readonly string[]) => Promise<void>;
}

/** More containers or nodes than this are entered only if the user requests all of them. */
const mostUnasked = 20;

/** Refuses to enter very many containers unasked, and announces what will run in which containers before it runs. */
export async function announceEntries(
  places: readonly DriverPlace[],
  ways: Ways,
  options: EntryOptions,
): Promise<void> {
  const wanted = options.exec ? entrancesOf(places) : [];
  refuseMany(places, wanted, options);
  const lacking = await Promise.all(wanted.map(({ pod }) => ways.lacks(rightsOf.exec, pod.namespace)));
  const entered = wanted.filter((_entrance, index) => lacking[index] === undefined);
  if (entered.length === 0) return;
  const shown = entered
    .slice(0, mostUnasked)
    .map(({ pod, container, socket }) => `  ${pod.namespace}/${pod.name}, container ${container}: ${socket}`);
  const command =
    options.tunnelCommand ??
    `sh, which connects to the socket with the first of ${tunnelTools.join(', ')} that it finds`;
  await options.announce([
    `running in ${entered.length === 1 ? 'a container' : `${entered.length} containers`}: ${command}`,
    ...shown,
    ...(entered.length > shown.length ? [`  and ${entered.length - shown.length} more`] : []),
  ]);
}

function entrancesOf(places: readonly DriverPlace[]): Entrance[] {
  return places
    .filter((place) => place.isRunning)
    .map(entranceOf)
    .filter((entrance) => typeof entrance !== 'string');
}

function refuseMany(places: readonly DriverPlace[], wanted: readonly Entrance[], options: EntryOptions): void {
  if (options.allNodes || options.question.nodes.length > 0) return;
  const next = 'Choose nodes with --node, or pass --all-nodes';
  if (wanted.length > mostUnasked)
    throw new UserError(`--exec would run a command in ${wanted.length} containers`, next);
  const withSocket = options.createPods ? places.filter(({ hostSocket }) => hostSocket !== undefined) : [];
  const nodes = new Set(withSocket.map(({ node }) => node));
  if (nodes.size > mostUnasked) throw new UserError(`--create-pods would create a pod on ${nodes.size} nodes`, next);
}
