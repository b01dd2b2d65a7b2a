import type { StatefulSet } from '../../kube/kinds.ts';
import { addQuantities } from '../../kube/quantity.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { hasReason, messageOf, newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isWanted, saysUnmade, setOwning } from '../../facts/claim/expectation.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { serverWords } from '../claim/refusal.ts';
import { passedOverEvidence, passedOverText, passedOverVolume, takeVolume } from './passed-over-volume.ts';

/** By design: pv_controller emitEventForUnboundDelayBindingClaim waits until a pod that uses the claim is scheduled. */
export const wffcNoConsumer = claimRule({
  cause: 'wffc-no-consumer',
  stage: 'schedule',
  severity: 'info',
  explain(c) {
    const unused = c.isUnused;
    if (!c.isDelayed || c.selectedNode !== undefined) return undefined;
    const proof = proveDelayed(c);
    if (!proof) return undefined;
    if (!unused) return explainUnseenPods(c);
    const missing = unmadePodOf(c) ?? restingWorkloadOf(c);
    const volume = passedOverVolume(c);
    return {
      confidence: c.storageClassObject ? unused : 'likely',
      summary:
        `pvc/${c.name} stays Pending until a pod uses it (WaitForFirstConsumer). ` +
        `${missing?.says ?? `This is expected${noPodText(c, unused)}.`}${passedOverText(c, volume)}`,
      evidence: [proof, ...(missing?.evidence ?? []), ...passedOverEvidence(volume)],
      fix: [...(missing?.fix ?? []), ...takeVolume(c, volume)],
    };
  },
});

/**
 * Whether a pod uses the claim could not be read: what the controller last reported, and how to find out whether the
 * wait is expected.
 */
function explainUnseenPods(c: PresentClaim): Explanation | undefined {
  const said = c.events.items.findLast((event) => hasReason([event], 'WaitForFirstConsumer'));
  if (c.consumers.items.length > 0 || !said) return undefined;
  const volume = passedOverVolume(c);
  return {
    severity: 'warning',
    confidence: 'possible',
    summary:
      `pvc/${c.name} stays Pending until a pod uses it (WaitForFirstConsumer), and the volume controller ` +
      'last reported that none is waiting to be scheduled. If no pod uses it, this is expected; which pods ' +
      `use it could not be read.${passedOverText(c, volume)}`,
    evidence: [eventSaid(c.claim, said), ...passedOverEvidence(volume)],
    fix: [
      steps(
        'Start a pod that uses the claim, unless the line "Used By" names one already: the volume is created once ' +
          'it is scheduled. If it names a pod that has a node and does not run, its spec.nodeName skips the ' +
          'scheduler: replace it with a nodeSelector in what creates the pod.',
        [kubectl('describe', c.claim)],
      ),
      ...takeVolume(c, volume),
    ],
  };
}

/** Without the right to read the class, an event that the controller sends to such claims only is proof enough. */
function proveDelayed(c: PresentClaim): Evidence | undefined {
  if (c.storageClassObject) return field(c.storageClassObject, 'volumeBindingMode');
  const said = c.events.items.findLast((event) => hasReason([event], 'WaitForFirstConsumer'));
  return said && eventSaid(c.claim, said);
}

function noPodText(c: PresentClaim, unused: 'certain' | 'likely'): string {
  const none = unused === 'certain' ? '; no pod uses it now' : '; no pod that uses it was found';
  const finished = c.ask.graph.podsUsing(c).find(isTerminated);
  return finished ? `${none} (pod/${finished.metadata.name} has ended)` : none;
}

/** Why the StatefulSet that owns the claim has no pod for it. */
interface UnmadePod {
  /** One or two sentences. */
  readonly says: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

const restingKinds = ['Deployment', 'StatefulSet', 'ReplicaSet'] as const;

/**
 * A workload whose pods would use the claim, and that has none on purpose. Only what was read already: nothing is
 * wrong.
 */
function restingWorkloadOf(c: PresentClaim): UnmadePod | undefined {
  const isOurs = ({ metadata: { namespace }, spec }: Templated): boolean =>
    namespace === c.namespace &&
    (spec?.template?.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === c.name);
  for (const kind of restingKinds) {
    const found = c.ask.seen(kind).find((workload) => workload.spec?.replicas === 0 && isOurs(workload));
    if (!found) continue;
    const name = `${kind.toLowerCase()}/${found.metadata.name}`;
    return {
      says: `This is expected: ${name}, whose pods use it, is scaled to 0.`,
      evidence: [field(found, 'spec.replicas', 0)],
      fix: [
        steps(`Scale ${name} up when it is needed. The volume is created once its pod is scheduled.`, [
          kubectl('scale', found, '--replicas=1'),
        ]),
      ],
    };
  }
  const job = c.ask.seen('Job').find((each) => each.spec?.suspend === true && isOurs(each));
  if (job)
    return {
      says: `This is expected: job/${job.metadata.name}, whose pods use it, is suspended.`,
      evidence: [field(job, 'spec.suspend', 'true')],
      fix: [
        steps(
          `Resume job/${job.metadata.name} when it is needed, unless a queue (Kueue) resumes it. The ` +
            'volume is created once its pod is scheduled.',
          [patchCommand(job, { spec: { suspend: false } })],
        ),
      ],
    };
  const cron = c.ask
    .seen('CronJob')
    .find(({ metadata, spec }) => isOurs({ metadata, spec: { template: spec?.jobTemplate?.spec?.template } }));
  return (
    cron && {
      says:
        `This is expected: cronjob/${cron.metadata.name}, whose pods use it, ` +
        `${cron.spec?.suspend === true ? 'is suspended' : 'has no pod now'}.`,
      evidence: [field(cron, 'spec.suspend', String(cron.spec?.suspend === true))],
      fix: [
        steps(
          `Run cronjob/${cron.metadata.name} once, if the volume is needed before its next time. The ` +
            'volume is created once the pod is scheduled.',
          [
            `kubectl ${inNamespace(c.namespace)}create job ${shellWord(`${cron.metadata.name}-now`)} ` +
              `--from=cronjob/${shellWord(cron.metadata.name)}`,
          ],
        ),
      ],
    }
  );
}

/** What has the template of its pods. */
interface Templated {
  readonly metadata: { readonly namespace?: string };
  readonly spec?:
    | {
        readonly template?:
          | {
              readonly spec?:
                | { readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName?: string } }[] }
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

type Owner = NonNullable<ReturnType<typeof setOwning>>;

/**
 * The claim is in order; its StatefulSet is scaled down, was refused the pod (a CPU quota, a webhook), or has not
 * created it yet.
 */
function unmadePodOf(c: PresentClaim): UnmadePod | undefined {
  const owner = setOwning(c.ask, c.namespace, c.name);
  if (!owner) return undefined;
  if (!isWanted(owner)) return scaledDown(c, owner);
  return saysUnmade(owner) ? (refusedPod(c, owner) ?? pendingPod(c, owner)) : undefined;
}

function scaledDown(c: PresentClaim, { set, ordinal, podName }: Owner): UnmadePod {
  const { name } = set.metadata;
  const wanted = set.spec?.replicas ?? 1;
  const enough = ordinal - (set.spec?.ordinals?.start ?? 0) + 1;
  return {
    says: `This is expected: it belongs to pod/${podName}, and statefulset/${name} is scaled to ${wanted}.`,
    evidence: [field(set, 'spec.replicas', wanted)],
    fix: [
      steps(
        `Scale statefulset/${name} up when pod/${podName} is needed. The volume is created once the pod is scheduled.`,
        [`kubectl ${inNamespace(c.namespace)}scale statefulset ${shellWord(name)} --replicas=${enough}`],
      ),
    ],
  };
}

function refusedPod(c: PresentClaim, { set, podName }: Owner): UnmadePod | undefined {
  const said = newestMatch(c.ask.eventsOf(set).items, 'FailedCreate', /create Pod (\S+) in StatefulSet/i);
  if (said?.match[1] !== podName) return undefined;
  const words = serverWords(messageOf(said.event));
  return {
    says: sentence(`statefulset/${set.metadata.name} could not create pod/${podName}: "${words}"`),
    evidence: [eventSaid(set, said.event)],
    fix: [raiseQuota(c, set, words) ?? correctRefusal(set)],
  };
}

/** `exceeded quota: NAME, requested: a=1,b=2, used: …, limited: a=1,b=2` (quota admission plugin). */
const quotaText = /exceeded quota: ([^,\s]+), requested: (.+?), used: (.+?), limited: (.+)$/s;

function raiseQuota(c: PresentClaim, set: StatefulSet, words: string): Fix | undefined {
  const [, quota, requested = '', used = ''] = quotaText.exec(words) ?? [];
  if (quota === undefined) return undefined;
  const taken = amountsIn(used);
  const hard = [...amountsIn(requested)].map(([key, amount]) => [key, addQuantities(taken.get(key), amount)] as const);
  const text = hard.map(([key, amount]) => `${key} to ${amount}`).join(' and ');
  return steps(
    `Raise ${text} in ResourceQuota "${quota}", if its owner agrees. The second line makes the StatefulSet ` +
      'retry at once; its back-off can reach 16 minutes.',
    [
      patchCommand(
        { kind: 'ResourceQuota', metadata: { name: quota, namespace: c.namespace } },
        {
          spec: { hard: Object.fromEntries(hard) },
        },
      ),
      retryCommand(set),
    ],
  );
}

function amountsIn(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  return new Map(pairs.flatMap(([key, amount]) => (key && amount ? [[key, amount] as const] : [])));
}

function correctRefusal(set: StatefulSet): Fix {
  return steps(
    'Correct what the API server refused (quoted above) in the template of ' +
      `statefulset/${set.metadata.name}, or in the policy. The second line makes the StatefulSet retry at ` +
      'once; its back-off can reach 16 minutes.',
    [kubectl('edit', set), retryCommand(set)],
  );
}

function retryCommand(set: StatefulSet): string {
  return kubectl('annotate', set, 'retried-at="$(date +%s)" --overwrite');
}

function pendingPod(c: PresentClaim, { set, podName }: Owner): UnmadePod {
  const { name } = set.metadata;
  const wanted = set.spec?.replicas ?? 1;
  return {
    says: `It belongs to pod/${podName}, which statefulset/${name} has not created yet (${set.status?.replicas ?? 0} of ${wanted} pods).`,
    evidence: [field(set, 'spec.replicas', wanted), field(set, 'status.replicas')],
    fix: [
      steps(
        `Make statefulset/${name} retry: the changed annotation ends its back-off, which can reach 16 ` +
          'minutes. If the pod still does not appear, the events of the StatefulSet say why.',
        [retryCommand(set), `kubectl ${inNamespace(c.namespace)}describe statefulset ${shellWord(name)}`],
      ),
    ],
  };
}
