import { eventSaid } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { steps } from '../lib/steps.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { forbiddenNamespaceText, forbiddenObjectText } from '../lib/driver-error/sentences/kubelet.ts';

/** The authorizer's caches follow a new pod within half a minute; the kubelet's next try may come two minutes later. */
const settleSeconds = 180;

/**
 * The node authorizer lets a kubelet read only objects that a pod on its node refers to, and answers "forbidden" for
 * any other, existing or not (plugin/pkg/auth/authorizer/node).
 */
export const mountVaForbidden = podRule({
  cause: 'mount-va-forbidden',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'forbidden');
    if (!failure) return undefined;
    const target = readTarget(failure);
    const isYoung = secondsSinceScheduled(p) < settleSeconds;
    const refused =
      `The API server did not let the kubelet on ${nodeOf(p)} read ` +
      `${nouns[target.resource] ?? target.resource} ${target.name} for ` +
      `${volumeWords(toldVolume(p, failure), failure)} of ${podWords(p)}`;
    return {
      confidence: 'likely',
      ...(isYoung && { severity: 'info' as const }),
      summary: isYoung
        ? `${refused} yet: its node authorizer learns of a new pod within about 30 seconds. This is expected; the kubelet retries.`
        : `${refused}: ${describeReason(target, toldVolume(p, failure)?.volumeObject)}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: isYoung ? [] : adviceFor(p, failure, target),
    };
  },
});

function secondsSinceScheduled(p: PodCase): number {
  const scheduled = parseTime(p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp);
  return scheduled === undefined ? Number.POSITIVE_INFINITY : (p.now - scheduled) / 1000;
}

/** The object that the kubelet asked for, as its message names it. */
interface ForbiddenTarget {
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

const nouns: Readonly<Record<string, string>> = {
  volumeattachments: 'VolumeAttachment',
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  persistentvolumeclaims: 'claim',
  persistentvolumes: 'PersistentVolume',
};

function readTarget({ text }: MountFailure): ForbiddenTarget {
  const [, resource = 'object', name = ''] = forbiddenObjectText.exec(text) ?? [];
  return { resource, name, namespace: forbiddenNamespaceText.exec(text)?.[1] };
}

function describeReason({ resource, namespace }: ForbiddenTarget, volume: Volume | undefined): string {
  if (resource === 'volumeattachments') return 'no attachment of that name exists for this node.';
  return `as far as it knows, no pod on the node refers to it.${whereWords(namespace, volume)}`;
}

/** Only an in-tree Azure file share may leave the namespace out. */
function whereWords(namespace: string | undefined, volume: Volume | undefined): string {
  if (namespace === undefined) return '';
  const azure = volume?.spec?.azureFile;
  return azure && !azure.secretNamespace
    ? ` The kubelet looked in namespace ${namespace}, the default for a volume that names a Secret without its namespace.`
    : ` The kubelet looked in namespace ${namespace}.`;
}

function adviceFor(p: PodCase, failure: MountFailure, { resource, namespace }: ForbiddenTarget): Fix[] {
  const recreate = steps(
    resource === 'volumeattachments'
      ? 'Recreate the pod: the attach-detach controller then creates the attachment for its node.'
      : 'If all names are right, recreate the pod: the API server then relates the node to the object anew.',
    restartPodCommands(p.pod),
  );
  const use = toldVolume(p, failure);
  const volume = use?.volumeObject;
  const claim = use?.claim?.claim;
  if (resource !== 'secrets' || !volume?.spec?.azureFile || !claim || namespace === claim.metadata.namespace)
    return [recreate];
  return [
    steps(
      `Recreate pv/${volume.metadata.name} with secretNamespace ${claim.metadata.namespace ?? ''}, where the ` +
        'claim is: its source cannot be changed. The policy is set to Retain first, so that the data stays. ' +
        'Stop all pods of the claim before that.',
      recreateVolumeCommands(p.ask, volume, claim, p.pod, {
        spec: { azureFile: { secretNamespace: claim.metadata.namespace } },
      }),
      'disruptive',
    ),
    recreate,
  ];
}
