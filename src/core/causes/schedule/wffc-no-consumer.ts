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
    const storageClass = c.storageClassObject;
    // Without the right to read the class, what the controller says to such claims alone is proof enough.
    const said = storageClass
      ? undefined
      : c.events.items.findLast((event) => hasReason([event], 'WaitForFirstConsumer'));
    if (!storageClass && !said) return undefined;
    const over = c.ask.graph.podsUsing(c).filter(isTerminated);
    const none = `${unused === 'certain' ? 'there is none yet' : 'no pod was found'}${over.length > 0 ? ` (pod/${over[0]?.metadata.name ?? ''} is over)` : ''}`;
    const missing = unmadePodOf(c);
    return {
      confidence: storageClass ? unused : 'likely',
      summary: `class ${c.class.name} waits for the first pod that uses the claim, and ${missing?.instead ?? `${none}: ${missing?.says ?? 'nothing is wrong'}`}`,
      evidence: [
        storageClass ? field(storageClass, 'volumeBindingMode') : eventSaid(c.claim, said as NonNullable<typeof said>),
        ...(missing?.evidence ?? []),
      ],
      fix: missing?.fix ?? [],
    };
  },
});

/** Why the StatefulSet that made the claim has no pod for it. */
interface UnmadePod {
  /** Goes on after "there is none yet: …". */
  readonly says?: string;
  /** Stands in its place. */
  readonly instead?: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** The claim is in order, but its StatefulSet is scaled down, or was not allowed to make the pod (a quota for CPU, a webhook), or has not come to it. */
function unmadePodOf(c: PresentClaim): UnmadePod | undefined {
  const owner = setOwning(c.ask, c.namespace, c.name);
  if (!owner) return undefined;
  const { set, ordinal, podName } = owner;
  const { name } = set.metadata;
  const wanted = set.spec?.replicas ?? 1;
  if (!isWanted(owner)) {
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
  if (!saysUnmade(owner)) return undefined;
  const see = [
    fix(
      'see what the StatefulSet says: the claim goes on when its pod is made',
      `kubectl ${inNamespace(c.namespace)}describe statefulset ${shellWord(name)}`,
    ),
  ];
  const said = newestMatch(c.ask.eventsOf(set).items, 'FailedCreate', /create Pod (\S+) in StatefulSet/i);
  if (said?.match[1] === podName)
    return {
      instead: `statefulset/${name} could not make it: ${serverWords(messageOf(said.event))}`,
      evidence: [eventSaid(set, said.event)],
      fix: see,
    };
  return {
    says: `statefulset/${name}, whose claim this is, has ${set.status?.replicas ?? 0} of ${wanted} pods, and has not made pod/${podName}`,
    evidence: [field(set, 'spec.replicas', wanted), field(set, 'status.replicas')],
    fix: see,
  };
}
