import type { ClaimSpec, KubeEvent, Pod, StatefulSet } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { predecessorOf, saysUnmade } from '../../facts/claim/expectation.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { AbsentClaimRule, Explanation } from '../lib/rule.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';

/** A claim that a controller should have made from a template, and has not. */
export interface UnmadeClaim {
  readonly owner: StatefulSet | Pod;
  /** How the owner is called on screen. */
  readonly label: string;
  /** Where the template stands in the owner. */
  readonly path: string;
  readonly spec: ClaimSpec | undefined;
  /** The class that the template names; undefined: the default class, if there is one. */
  readonly className: string | undefined;
  /** It should be there by now: an ordered set has come to it, and that it is not there is known, or said by its owner. */
  readonly isDue: boolean;
}

export function unmadeClaimOf(c: ClaimCase): UnmadeClaim | undefined {
  const { sets, pods } = c.expectation;
  const [expected] = sets;
  if (expected) {
    const { set, podName, spec } = expected;
    const suffix = `-${podName}`;
    const template = set.spec?.volumeClaimTemplates?.find(
      ({ metadata }) => `${metadata?.name ?? ''}${suffix}` === c.name,
    );
    const className = template?.metadata?.annotations?.[betaClassAnnotation] ?? spec?.storageClassName;
    const isDue =
      (pods.length > 0 || predecessorOf(expected, c.ask) === undefined) &&
      (c.lookup.state === 'missing' || (isNotInDump(c) && saysUnmade(expected)));
    return {
      owner: set,
      label: `statefulset/${set.metadata.name}`,
      path: `spec.volumeClaimTemplates[${template?.metadata?.name ?? ''}]`,
      spec,
      className,
      isDue,
    };
  }
  for (const pod of pods) {
    const volume = pod.spec?.volumes?.find(
      (candidate) => candidate.ephemeral !== undefined && `${pod.metadata.name}-${candidate.name ?? ''}` === c.name,
    );
    if (!volume || pod.metadata.deletionTimestamp !== undefined) continue;
    const template = volume.ephemeral?.volumeClaimTemplate;
    const className = template?.metadata?.annotations?.[betaClassAnnotation] ?? template?.spec?.storageClassName;
    const isDue = c.lookup.state === 'missing' || waitsForController(c, pod);
    return {
      owner: pod,
      label: `pod/${pod.metadata.name}`,
      path: `spec.volumes[${volume.name ?? ''}].ephemeral.volumeClaimTemplate`,
      spec: template?.spec,
      className,
      isDue,
    };
  }
  return undefined;
}

/** The claim that is not there, or that nobody could look for. */
export function absenceOf(c: ClaimCase): Evidence {
  if (c.lookup.state === 'missing') return absent('PersistentVolumeClaim', c.name, c.namespace);
  return {
    object: { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name },
    value: isNotInDump(c) ? 'not in the dump' : 'could not be read',
  };
}

function isNotInDump(c: ClaimCase): boolean {
  return c.ask.graph.coverage.of('PersistentVolumeClaim', { namespace: c.namespace, name: c.name }).state === 'unread';
}

/** The scheduler looks for the claim too, and says when it is not there. */
function waitsForController(c: ClaimCase, pod: Pod): boolean {
  const said = new PodCase(c.ask, pod).schedulingMessage?.raw ?? '';
  return (
    /waiting for ephemeral volume controller to create the persistentvolumeclaim "([^"]+)"/i.exec(said)?.[1] === c.name
  );
}

export type RefusalKind = 'quota' | 'limitRange' | 'admission' | 'defaultClasses' | 'terminating' | 'other';

/** The API server's refusal, as the owner's controller passed it on. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly text: string;
  readonly evidence: Evidence;
  /** Only a text that names this very claim makes it likely; a sibling's refusal makes it possible. */
  readonly confidence: Confidence;
}

const kinds: readonly (readonly [RefusalKind, RegExp])[] = [
  ['terminating', /because it is being terminated/i],
  ['quota', /exceeded quota:|status unknown for quota|insufficient quota/i],
  ['limitRange', /(?:minimum|maximum) storage usage per PersistentVolumeClaim/i],
  [
    'admission',
    /admission webhook "[^"]*"|failed calling (?:admission )?webhook|ValidatingAdmissionPolicy '[^']*'|MutatingAdmissionPolicy|admission plugin|denied (?:the )?request/i,
  ],
  ['defaultClasses', /\d+ default StorageClasses were found/i],
];

/**
 * What the owner was told, from the newest event. The StatefulSet controller writes `Create Claim X for Pod …` and
 * again `Create Pod … failed error: failed to create PVC X`; the ephemeral controller `ephemeral volume V: create PVC X`.
 */
export function refusalOf(c: ClaimCase, unmade: UnmadeClaim): Refusal | undefined {
  const [reason, words] =
    unmade.owner.kind === 'StatefulSet'
      ? (['FailedCreate', /claim|pvc/i] as const)
      : (['FailedBinding', /create PVC/i] as const);
  const told = c.ask
    .eventsOf(unmade.owner)
    .items.filter((event) => event.reason === reason && words.test(messageOf(event)));
  const named = new RegExp(`(?<![\\w.-])${c.name.replaceAll(/[^\w-]/g, '\\$&')}(?![\\w-]|\\.\\w)`);
  const own = newest(told.filter((event) => named.test(messageOf(event))));
  const event = own ?? newest(told);
  if (!event) return undefined;
  const text = messageOf(event);
  const kind = kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
  return { kind, text, evidence: eventSaid(unmade.owner, event), confidence: own ? 'likely' : 'possible' };
}

/** Explains why a claim was never made: by a refusal of this kind, or, where nobody told of one, by what stands against the claim. */
export function refusalRule(
  cause: string,
  kind: RefusalKind,
  explain: (c: ClaimCase, unmade: UnmadeClaim, refusal: Refusal | undefined) => Explanation | undefined,
): AbsentClaimRule {
  return absentClaimRule({
    cause,
    stage: 'claim',
    severity: 'blocking',
    explain(c) {
      const unmade = unmadeClaimOf(c);
      if (!unmade) return undefined;
      const refusal = refusalOf(c, unmade);
      return (refusal ? refusal.kind === kind : unmade.isDue) ? explain(c, unmade, refusal) : undefined;
    },
  });
}

/** The server's own words, without what the controllers put before them. */
export function serverWords(text: string): string {
  return (
    /(?:is forbidden|is invalid): ([^]*)$/.exec(text)?.[1] ??
    /failed error: ([^]*)$/.exec(text)?.[1] ??
    /create PVC \S+: ([^]*)$/.exec(text)?.[1] ??
    text
  );
}

/** Templates cannot be changed in place: neither those of a set nor the volumes of a pod. */
export function remakeOwner({ owner }: UnmadeClaim, what: string): Fix {
  const { namespace, name } = owner.metadata;
  if (owner.kind === 'Pod')
    return fix(
      `${what} in the pod's template, and make the pod again`,
      `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
      'disruptive',
    );
  return fix(
    `${what}: delete the set without its pods, and apply it again with the other template`,
    `kubectl ${inNamespace(namespace)}delete statefulset ${shellWord(name)} --cascade=orphan`,
    'disruptive',
  );
}

function newest(events: readonly KubeEvent[]): KubeEvent | undefined {
  let latest: KubeEvent | undefined;
  for (const event of events) if (!latest || lastSeen(event) >= lastSeen(latest)) latest = event;
  return latest;
}
