import type { KubeEvent } from '../../kube/kinds.ts';
import type { Confidence, Evidence } from '../../report/report.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { eventSaid } from '../../facts/evidence.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { AbsentClaimRule, Explanation } from '../lib/rule.ts';
import { unmadeClaimOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

type RefusalKind = 'quota' | 'limitRange' | 'admission' | 'defaultClasses' | 'terminating' | 'other';

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
 * The newest event in which the owner's controller reports a refusal. The StatefulSet controller writes
 * `Create Claim X for Pod …` and again `Create Pod … failed error: failed to create PVC X`; the ephemeral controller
 * `ephemeral volume V: create PVC X`.
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

function newest(events: readonly KubeEvent[]): KubeEvent | undefined {
  let latest: KubeEvent | undefined;
  for (const event of events) if (!latest || lastSeen(event) >= lastSeen(latest)) latest = event;
  return latest;
}

/**
 * Explains why a claim was never created: by a refusal of this kind, or, where no event reports one, by what would
 * refuse the claim.
 */
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
      if (unmade.hasPod && refusal?.confidence !== 'likely') return undefined;
      return (refusal ? refusal.kind === kind : unmade.isDue) ? explain(c, unmade, refusal) : undefined;
    },
  });
}

/** Objects that would refuse the claim prove it; without them it is as certain as the event. */
export function confidenceOf(isProven: boolean, refusal: Refusal | undefined): Confidence {
  return isProven ? 'certain' : (refusal?.confidence ?? 'possible');
}

export function refusalEvidence(refusal: Refusal | undefined): Evidence[] {
  return refusal ? [refusal.evidence] : [];
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
