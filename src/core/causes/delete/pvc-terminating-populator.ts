import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { deletedWords, holdingFinalizersOf, waitAtFirst } from './claim-deletion.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';
import { removeFinalizerFix, startControllerFix } from './finalizer-fixes.ts';
import { deletionEvidence, populatorSuffix, writtenBy } from './finalizers.ts';

/** A volume populator that has not released the claim. */
interface Population {
  readonly finalizer: string;
  /** The name of the populator: the prefix of its finalizer. */
  readonly populator: string;
  /** The populator's own claim, through which it fills the volume (lib-volume-populator: prime-UID). */
  readonly prime: Claim | undefined;
  /** All claims with that name were read, and there is none. */
  readonly hasNoPrime: boolean;
  /** The claim is bound and the populator's own claim is gone. */
  readonly isDone: boolean;
}

/**
 * lib-volume-populator: the finalizer goes when the volume is filled and bound, or when the populator notices the
 * deletion.
 */
export const pvcTerminatingPopulator = claimRule({
  cause: 'pvc-terminating-populator',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    const finalizer = holdingFinalizersOf(c).find((name) => name.endsWith(populatorSuffix));
    if (finalizer === undefined) return undefined;
    const population = populationOf(c, finalizer);
    const { populator, prime, isDone } = population;
    return {
      ...waitAtFirst(c),
      confidence: prime || isDone ? 'certain' : 'likely',
      about: populator,
      summary: `${deletedWords(c)} and waits for volume populator ${populator} to remove its finalizer. ${progressWords(population)}`,
      evidence: evidenceOf(c, population),
      fix: fixesFor(c, population),
    };
  },
});

function populationOf(c: PresentClaim, finalizer: string): Population {
  const { uid } = c.claim.metadata;
  const primes =
    uid === undefined
      ? undefined
      : c.ask.claimsNamed(`prime-${uid}`, `whether the populator still fills pvc/${c.name}`);
  const [prime] = primes?.items ?? [];
  return {
    finalizer,
    populator: finalizer.slice(0, -populatorSuffix.length),
    prime,
    hasNoPrime: !prime && primes?.complete === true,
    isDone: c.isBound && !prime,
  };
}

function progressWords({ prime, isDone }: Population): string {
  if (prime)
    return (
      `It is still filling the volume: its own pvc/${prime.metadata.name} in namespace ` +
      `${prime.metadata.namespace ?? ''} is ${prime.status?.phase ?? 'there'}.`
    );
  return isDone
    ? 'It has filled the volume and has not let the claim go.'
    : 'It has not finished, and may have been uninstalled.';
}

function evidenceOf(c: PresentClaim, { finalizer, prime, hasNoPrime }: Population): Explanation['evidence'] {
  return [
    ...deletionEvidence(c.claim),
    ...sourceEvidence(c),
    ...(prime ? [field(prime, 'status.phase')] : []),
    ...(hasNoPrime ? [absent('PersistentVolumeClaim', `prime-${c.claim.metadata.uid ?? ''}`)] : []),
    ...writtenBy(c.claim, finalizer),
  ];
}

function sourceEvidence({ claim }: PresentClaim): Evidence[] {
  const { dataSourceRef, dataSource } = claim.spec ?? {};
  const source = dataSourceRef ?? dataSource;
  if (!source) return [];
  const path = dataSourceRef ? 'spec.dataSourceRef' : 'spec.dataSource';
  return [field(claim, path, `${source.kind ?? ''} ${source.name ?? ''}`.trim())];
}

function fixesFor(c: PresentClaim, { finalizer, prime }: Population): Fix[] {
  const volume = volumeAtRisk(c);
  const start = startControllerFix(c.ask, finalizer, 'It then removes its finalizer, and the claim goes.');
  return [
    ...dataFirst(volume, [start], 'Its volume is then deleted with the data.'),
    ...(prime ? [primeFix(prime)] : []),
    removeFinalizerFix(c.claim, finalizer, volume, 'the populator was uninstalled for good'),
  ];
}

function primeFix({ metadata, status }: Claim): Fix {
  return steps(
    `Find out why the populator's own claim is ${status?.phase ?? 'not bound'}: the populator finishes only after it.`,
    [`kubectl csi why ${shellWord(`pvc/${metadata.name}`)} -n ${shellWord(metadata.namespace ?? '')}`],
  );
}
