import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { belongsTo, findPluginSets } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { Fix } from '../../report/report.ts';
import { securityContextText } from '../lib/driver-error/sentences/admission.ts';
import type { PluginTrouble } from '../mount/driver-daemonset-pod-unhealthy.ts';

const longestWords = 160;

/** The node plugin has no pod, since the API server refuses to create one: a restart creates none either. */
export function refusedPlugin(c: PresentClaim, driver: string): PluginTrouble | undefined {
  const [set] = findPluginSets(c.ask, driver).items;
  if (!set || (set.status?.numberReady ?? 0) > 0 || c.ask.seen('Pod').some((pod) => belongsTo(set, pod)))
    return undefined;
  const failed = newestMatch(c.ask.eventsOf(set).items, 'FailedCreate', /^/)?.event;
  if (!failed) return undefined;
  const { name, namespace = '' } = set.metadata;
  const words = messageOf(failed);
  return {
    words: `daemonset/${name} in namespace ${namespace} has no pods, since they are refused: "${cutWords(words, longestWords).replaceAll('"', "'")}"`,
    evidence: [eventSaid(set, failed)],
    fix: [securityContextText.test(words) ? allowPods(set, driver) : describeRefusal(set, driver)],
  };
}

function then(driver: string): string {
  return `Its pods are then created and register ${driver}, and claims are retried automatically.`;
}

/** A node plugin mounts on its node, which the driver's own manifests ask for with the most open constraints. */
function allowPods({ metadata: { name, namespace }, spec }: DaemonSet, driver: string): Fix {
  const account = spec?.template?.spec?.serviceAccountName ?? 'default';
  const role = 'system:openshift:scc:privileged';
  const binding = `${name}-scc-privileged`;
  return fix(
    `Let service account "${account}" of daemonset/${name} use the SecurityContextConstraints "privileged", as a node ` +
      `plugin needs for mounts. It gives its pods all rights on their nodes. ${then(driver)}`,
    `kubectl ${inNamespace(namespace)}create rolebinding ${shellWord(binding)} --clusterrole=${role} ` +
      `--serviceaccount=${shellWord(`${namespace ?? ''}:${account}`)}`,
  );
}

function describeRefusal({ metadata: { name, namespace } }: DaemonSet, driver: string): Fix {
  return fix(
    `Correct what refuses the pods of daemonset/${name}: its events have the full words. ${then(driver)}`,
    `kubectl ${inNamespace(namespace)}describe daemonset ${shellWord(name)}`,
  );
}
