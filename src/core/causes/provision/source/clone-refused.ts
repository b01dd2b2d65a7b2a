import { fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { lastRefusal, saidBy, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';

/** The words of external-provisioner getPVCSource. */
export const cloneTexts = {
  missing: /error getting PVC (\S+) \(namespace "?[^")]*"?\) from api server: (?!.*\bis forbidden\b).*not found/s,
  notBound: /the PVC DataSource (\S+) must have a status of Bound/,
  deleting: /the PVC DataSource (\S+) is currently being deleted/,
  classNil: /the (source|requested) PVC \((\S+)\) storageclass cannot be empty/,
  size: /new PVC request must be greater than or equal in size/,
  invalid: /claim in dataSource not bound or invalid|volume name is empty in source PVC/,
  mode: /must have the same volume mode for cloning/,
} as const;

/** One who may not read the source or its volume still has the provisioner's word. */
export function refusedClone(c: PresentClaim, source: DataSource): Outcome | undefined {
  const name = `pvc/${source.name}`;
  const look = fix(
    'look at the source',
    `kubectl ${inNamespace(source.namespace)}describe pvc ${shellWord(source.name)}`,
  );
  const texts = [
    {
      cause: 'clone-source-missing',
      pattern: cloneTexts.missing,
      summary: `${name}, which is to be cloned, does not exist in namespace ${source.namespace}`,
      fixes: [remakeFix(c, 'from a claim that exists in the same namespace')],
    },
    {
      cause: 'clone-source-not-bound',
      pattern: cloneTexts.notBound,
      summary: `${name}, which is to be cloned, is not bound`,
      fixes: [look],
    },
    {
      cause: 'clone-source-deleting',
      pattern: cloneTexts.deleting,
      summary: `${name}, which is to be cloned, is being deleted`,
      fixes: [remakeFix(c, 'from a claim that stays')],
    },
    {
      cause: 'clone-class-nil',
      pattern: cloneTexts.classNil,
      summary: `the claim or ${name}, which is to be cloned, has no spec.storageClassName`,
      fixes: [remakeFix(c, 'with spec.storageClassName')],
    },
    {
      cause: 'clone-size-too-small',
      pattern: cloneTexts.size,
      summary: `the claim asks for less than ${name}, which is to be cloned, has`,
      fixes: [remakeFix(c, 'with at least the size of the source')],
    },
    {
      cause: 'clone-source-invalid',
      pattern: cloneTexts.invalid,
      summary: `${name} cannot be cloned: its volume is missing, not bound to it, or belongs to another driver than that of class ${c.class.name}`,
      fixes: [look],
    },
    {
      cause: 'clone-volumemode-mismatch',
      pattern: cloneTexts.mode,
      summary: `the claim and ${name}, which is to be cloned, have different volume modes`,
      fixes: [remakeFix(c, 'with the volume mode of the source')],
    },
  ] as const;
  for (const { cause, pattern, summary, fixes } of texts) {
    const said = lastRefusal(c, pattern);
    if (said)
      return {
        cause,
        confidence: 'likely',
        summary,
        evidence: [sourceEvidence(c, source), ...saidBy(c, said)],
        fix: fixes,
      };
  }
  return undefined;
}
