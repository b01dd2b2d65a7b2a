import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { explainTold } from './data-source.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { restoreFailureOf, restoreRefusal } from './restore-source.ts';

/** external-provisioner getSnapshotSource: the volume must be at least as large as the snapshot's restoreSize. */
export const restoreSizeTooSmall = claimRule({
  cause: 'restore-size-too-small',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'size') return undefined;
    const bytes = failure.by === 'objects' ? bytesOf(failure.size) : BigInt(failure.said.match[2] ?? 0);
    const needs = formatBytes(bytes);
    const summary =
      `${claimText(c)} asks for ${c.request ?? 'too little'}, and VolumeSnapshot "${failure.source.name}" ` +
      `needs at least ${needs} to be restored.`;
    const fix = [
      recreateClaim(c, `with ${needs}`, sizeChange(needs), 'The snapshot is then restored into a new volume.'),
    ];
    if (failure.by === 'provisioner') return explainTold(c, failure, { summary, fix });
    return {
      summary,
      evidence: [
        field(c.claim, 'spec.resources.requests.storage'),
        field(failure.snapshot, 'status.restoreSize'),
        ...restoreRefusal(c, 'size'),
      ],
      fix,
    };
  },
});
