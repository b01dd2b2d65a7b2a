import { formatBytes } from '../../../kube/quantity.ts';
import { fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { lastRefusal, saidBy, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';
import { missingSnapshot } from './restore-snapshot-missing.ts';
import { restoreTexts } from '../../lib/driver-error/senses/kubernetes.ts';

/** One who may not read snapshots or their contents still has the provisioner's word. */
export function refusedRestore(c: PresentClaim, source: DataSource): Outcome | undefined {
  if (lastRefusal(c, restoreTexts.missing)) return missingSnapshot(c, source, 'likely');
  const name = `volumesnapshot/${source.name}`;
  const look = fix(
    'look at the snapshot',
    `kubectl ${inNamespace(source.namespace)}describe volumesnapshot ${shellWord(source.name)}`,
  );
  const size = lastRefusal(c, restoreTexts.size);
  const needs = size ? formatBytes(BigInt(size.match[2] ?? 0)) : '';
  const texts = [
    {
      cause: 'restore-snapshot-deleting',
      pattern: restoreTexts.deleting,
      summary: `${name}, from which the claim is to be restored, is being deleted`,
      fixes: [remakeFix(c, 'with a snapshot that stays')],
    },
    {
      cause: 'restore-snapshot-unbound',
      pattern: restoreTexts.unbound,
      summary: `${name}, from which the claim is to be restored, has no content yet`,
      fixes: [look],
    },
    {
      cause: 'restore-content-invalid',
      pattern: restoreTexts.content,
      summary: `the content of ${name} is missing, belongs to another snapshot, or has no handle`,
      fixes: [look],
    },
    {
      cause: 'restore-driver-mismatch',
      pattern: restoreTexts.driver,
      summary: `${name} was made by another driver than that of class ${c.class.name}`,
      fixes: [remakeFix(c, 'with a class of the driver that made the snapshot')],
    },
    {
      cause: 'restore-snapshot-not-ready',
      pattern: restoreTexts.notReady,
      summary: `${name}, from which the claim is to be restored, is not ready to use`,
      fixes: [look],
    },
    {
      cause: 'restore-size-too-small',
      pattern: restoreTexts.size,
      summary: `the claim asks for ${c.request ?? 'too little'}, and ${name} needs at least ${needs}`,
      fixes: [remakeFix(c, `with a request of ${needs} or more`)],
    },
    {
      cause: 'restore-volumemode-denied',
      pattern: restoreTexts.mode,
      summary: `the claim asks for another volume mode than the snapshot was taken of, and the content of ${name} does not allow the change`,
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
