import type { KubeEvent } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { sourceEvidence } from './data-source.ts';
import { populationOf, sourceObject } from './populator.ts';
import type { Population } from './populator.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { claimText } from '../lib/sentence.ts';

/** lib-volume-populator: the populator waits for the object that the claim names as its source. */
export const populatorSourceMissing = claimRule({
  cause: 'populator-source-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const population = populationOf(c);
    const missing = population && findMissingSource(c, population);
    if (!missing) return undefined;
    const { source } = population;
    const { isSeenMissing, near, said } = missing;
    const create = fix(
      `Create ${source.kind} "${source.name}" in namespace ${source.namespace}. The claim then continues automatically.`,
    );
    return {
      confidence: isSeenMissing && said ? 'certain' : 'likely',
      summary:
        `${source.kind} "${source.name}", from which the volume of ${claimText(c)} is to be filled, does not ` +
        `exist in namespace ${source.namespace}.${near ? ` The closest match is "${near}".` : ''}`,
      evidence: [
        sourceEvidence(c, source),
        absent(source.kind, source.name, source.namespace),
        ...(said ? [eventSaid(c.claim, said)] : []),
      ],
      fix: near === undefined ? [create, useOther(c, 'PLACEHOLDER_SOURCE')] : [useOther(c, near), create],
    };
  },
});

function useOther(c: PresentClaim, name: string): Fix {
  const how =
    name === 'PLACEHOLDER_SOURCE' ? 'from a source that exists (PLACEHOLDER_SOURCE)' : `from "${name}", if it is meant`;
  return recreateClaim(c, how, sourceChange(c, { name }));
}

interface MissingSource {
  /** The objects show it; otherwise only the populator reports it. */
  readonly isSeenMissing: boolean;
  readonly near: string | undefined;
  readonly said: KubeEvent | undefined;
}

/** A populator that has created its own claim has found the source, unless it reports otherwise. */
export function findMissingSource(c: PresentClaim, { source, events, prime }: Population): MissingSource | undefined {
  const object = sourceObject(c, source);
  const last = events.at(-1);
  const said = last?.reason === 'PopulatorDataSourceNotFound' ? last : undefined;
  const isSeenMissing = object.state === 'missing';
  const isGone = isSeenMissing && (said !== undefined || prime.items.length === 0);
  if (object.state === 'found' || (!isGone && !said)) return undefined;
  return { isSeenMissing, near: object.near, said };
}
