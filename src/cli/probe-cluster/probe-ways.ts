import type { PodAccess } from '../../io/cluster/pod-access.ts';
import type { Right, Ways } from '../../io/csi/ways.ts';
import type { ClusterSource } from '../open-source.ts';

/** Since 1.35 the right to create a websocket is asked for; before, the right to get was enough (AuthorizePodWebsocketUpgradeCreatePermission). */
const createNeededFrom = { major: 1, minor: 35 };

/** The ways into the pods of a cluster, with the rights that they need asked for once each. */
export function waysOf(
  source: ClusterSource,
  pods: PodAccess,
  serverVersion: { readonly major: number; readonly minor: number } | undefined,
): Ways {
  const answers = new Map<string, Promise<boolean | undefined>>();
  const may = ({ verb, resource }: Right, namespace: string): Promise<boolean | undefined> => {
    const key = `${verb} ${resource} ${namespace}`;
    const [name = '', subresource] = resource.split('/');
    let answer = answers.get(key);
    if (answer === undefined) {
      // A server that answers no such question lets the attempt itself tell.
      answer = source
        .mayI({ verb, group: '', resource: name, ...(subresource !== undefined && { subresource }), namespace })
        .catch(() => undefined);
      answers.set(key, answer);
    }
    return answer;
  };
  const isNeeded = ({ verb, resource }: Right): boolean =>
    verb !== 'create' ||
    !resource.includes('/') ||
    serverVersion === undefined ||
    serverVersion.major > createNeededFrom.major ||
    serverVersion.minor >= createNeededFrom.minor;
  return {
    proxyGet: (...given) => pods.proxyGet(...given),
    forwardGet: (...given) => pods.forwardGet(...given),
    exec: (...given) => pods.exec(...given),
    create: (pod) => pods.create(pod),
    remove: (pod) => pods.remove(pod),
    look: (pod) => pods.look(pod),
    lacks: async (rights, namespace) => {
      const needed = rights.filter(isNeeded);
      const held = await Promise.all(needed.map((right) => may(right, namespace)));
      return needed.find((_right, index) => held[index] === false);
    },
  };
}
