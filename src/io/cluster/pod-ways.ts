import type { Right, Ways } from '../csi/ways.ts';
import type { PodAccess } from './pod-access.ts';
import type { AccessQuestion } from './reader.ts';

/**
 * From this version on the server requires the right to create for a websocket; before it, the right to get is enough
 * (feature gate AuthorizePodWebsocketUpgradeCreatePermission).
 */
const createNeededFrom = { major: 1, minor: 35 };

type MayI = (question: AccessQuestion) => Promise<boolean | undefined>;
interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

/** The ways into the pods of a cluster; each right that they need is checked once. */
export function podWays(pods: PodAccess, mayI: MayI, serverVersion: ServerVersion | undefined): Ways {
  const may = rememberRights(mayI);
  return {
    proxyGet: (...given) => pods.proxyGet(...given),
    forwardGet: (...given) => pods.forwardGet(...given),
    exec: (...given) => pods.exec(...given),
    create: (pod) => pods.create(pod),
    remove: (pod) => pods.remove(pod),
    look: (pod) => pods.look(pod),
    lacks: async (rights, namespace) => {
      const needed = rights.filter((right) => isNeeded(right, serverVersion));
      const held = await Promise.all(needed.map((right) => may(right, namespace)));
      return needed.find((_right, index) => held[index] === false);
    },
  };
}

function rememberRights(mayI: MayI): (right: Right, namespace: string) => Promise<boolean | undefined> {
  const answers = new Map<string, Promise<boolean | undefined>>();
  return ({ verb, resource }, namespace) => {
    const key = `${verb} ${resource} ${namespace}`;
    const [name = '', subresource] = resource.split('/');
    const question = { verb, group: '', resource: name, ...(subresource !== undefined && { subresource }), namespace };
    // If the server does not answer the question, the attempt will show it.
    const answer = answers.get(key) ?? mayI(question).catch(() => undefined);
    answers.set(key, answer);
    return answer;
  };
}

function isNeeded({ verb, resource }: Right, version: ServerVersion | undefined): boolean {
  const isWebsocket = verb === 'create' && resource.includes('/');
  if (!isWebsocket || version === undefined) return true;
  return version.major > createNeededFrom.major || version.minor >= createNeededFrom.minor;
}
