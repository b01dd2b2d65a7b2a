import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { cloneFailureOf, cloneRefusal, otherSourcesText } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';

/** external-provisioner getPVCSource refuses a source with a deletionTimestamp. */
export const cloneSourceDeleting = claimRule({
  cause: 'clone-source-deleting',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'deleting') return undefined;
    const { source } = failure;
    const volume = failure.by === 'objects' ? boundVolume(failure.original) : undefined;
    const policy = volume?.spec?.persistentVolumeReclaimPolicy;
    const loss = volume && policy === 'Delete' ? ` Its volume, pv/${volume.metadata.name}, has policy Delete.` : '';
    const summary = `${claimText(c)} cannot be cloned: its source, pvc/${source.name}, is being deleted.${loss}`;
    const fix = advise(c, source.name, volume);
    if (failure.by === 'provisioner') return explainTold(c, failure, { summary, fix });
    return {
      summary,
      evidence: [
        sourceEvidence(c, source),
        field(failure.original.claim, 'metadata.deletionTimestamp'),
        ...policyEvidence(volume),
        ...cloneRefusal(c, 'deleting'),
      ],
      fix,
    };
  },
});

function boundVolume(original: PresentClaim): Volume | undefined {
  return original.volume?.state === 'found' ? original.volume.object : undefined;
}

function policyEvidence(volume: Volume | undefined): Evidence[] {
  return volume ? [field(volume, 'spec.persistentVolumeReclaimPolicy')] : [];
}

/** Once the clone names another source, nothing may hold the old one back any more: its data is kept first. */
function advise(c: PresentClaim, source: string, volume: Volume | undefined): Fix[] {
  const other = recreateClaim(
    c,
    `from a claim that stays (PLACEHOLDER_SOURCE${otherSourcesText(c, source)})`,
    sourceChange(c, { name: 'PLACEHOLDER_SOURCE' }),
  );
  if (!volume) return [{ ...other, risk: 'data-loss' }];
  if (volume.spec?.persistentVolumeReclaimPolicy === 'Retain') return [other];
  const keep = patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  return [
    steps(
      `Keep the data of pvc/${source} first: set its volume to Retain. ` +
        `After that, ${other.text.charAt(0).toLowerCase()}${other.text.slice(1)}`,
      [keep, ...(other.commands ?? [])],
      other.risk,
    ),
  ];
}
