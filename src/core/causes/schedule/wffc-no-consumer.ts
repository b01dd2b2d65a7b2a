import type { Evidence, Fix } from '../../report/report.ts';
import { hasReason, messageOf, newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isWanted, saysUnmade, setOwning } from '../../facts/claim/expectation.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import { serverWords } from '../claim/refusal.ts';

/** By design: pv_controller emitEventForUnboundDelayBindingClaim waits until a pod that uses the claim is scheduled. */
export const wffcNoConsumer = claimRule({
  cause: 'wffc-no-consumer',
  stage: 'schedule',
  severity: 'info',
  explain(c) {
    const unused = c.isUnused;
    if (!c.isDelayed || c.selectedNode !== undefined || !unused) return undefined;
    const proof = proveDelayed(c);
    if (!proof) return undefined;
    const missing = unmadePodOf(c);
    return {
      confidence: c.storageClassObject ? unused : 'likely',
      summary: `class ${c.class.name} waits for the first pod that uses the claim, and ${missing?.instead ?? `${noPodText(c, unused)}: ${missing?.says ?? 'nothing is wrong'}`}`,
      evidence: [proof, ...(missing?.evidence ?? [])],
      fix: missing?.fix ?? [],
    };
  },
});

/** Without the right to read the class, an event that the controller sends to such claims only is proof enough. */
function proveDelayed(c: PresentClaim): Evidence | undefined {
  if (c.storageClassObject) return field(c.storageClassObject, 'volumeBindingMode');
  const said = c.events.items.findLast((event) => hasReason([event], 'WaitForFirstConsumer'));
  return said && eventSaid(c.claim, said);
}

function noPodText(c: PresentClaim, unused: 'certain' | 'likely'): string {
  const none = unused === 'certain' ? 'there is none yet' : 'no pod was found';
  const finished = c.ask.graph.podsUsing(c).find(isTerminated);
  return finished ? `${none} (pod/${finished.metadata.name} is over)` : none;
}

/** Why the StatefulSet that owns the claim has no pod for it. */
interface UnmadePod {
  /** Follows "there is none yet: …". */
  readonly says?: string;
  /** Replaces that whole part of the sentence. */
  readonly instead?: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

type Owner = NonNullable<ReturnType<typeof setOwning>>;

/** The claim is in order; its StatefulSet is scaled down, was refused the pod (a CPU quota, a webhook), or has not created it yet. */
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
    says: `statefulset/${name}, whose claim this is, is scaled to ${wanted}${wanted === 0 ? '' : `, without pod/${podName}`}; nothing is wrong`,
    evidence: [field(set, 'spec.replicas', wanted)],
    fix: [
      fix(
        `when pod/${podName} is wanted, scale the StatefulSet up: the claim goes on when its pod is made`,
        `kubectl ${inNamespace(c.namespace)}scale statefulset ${shellWord(name)} --replicas=${enough}`,
      ),
    ],
  };
}

function refusedPod(c: PresentClaim, { set, podName }: Owner): UnmadePod | undefined {
  const said = newestMatch(c.ask.eventsOf(set).items, 'FailedCreate', /create Pod (\S+) in StatefulSet/i);
  if (said?.match[1] !== podName) return undefined;
  return {
    instead: `statefulset/${set.metadata.name} could not make it: ${serverWords(messageOf(said.event))}`,
    evidence: [eventSaid(set, said.event)],
    fix: [describeSet(c, set.metadata.name)],
  };
}

function pendingPod(c: PresentClaim, { set, podName }: Owner): UnmadePod {
  const { name } = set.metadata;
  const wanted = set.spec?.replicas ?? 1;
  return {
    says: `statefulset/${name}, whose claim this is, has ${set.status?.replicas ?? 0} of ${wanted} pods, and has not made pod/${podName}`,
    evidence: [field(set, 'spec.replicas', wanted), field(set, 'status.replicas')],
    fix: [describeSet(c, name)],
  };
}

function describeSet(c: PresentClaim, name: string): Fix {
  return fix(
    'see what the StatefulSet says: the claim goes on when its pod is made',
    `kubectl ${inNamespace(c.namespace)}describe statefulset ${shellWord(name)}`,
  );
}
