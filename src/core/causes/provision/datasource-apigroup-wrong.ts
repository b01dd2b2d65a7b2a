import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { lastRefusal, snapshotGroup, sourceEvidence } from './data-source.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { referenceFailureOf } from './source-reference.ts';
import { wrongApiGroupText } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner prepareProvision: a VolumeSnapshot counts only in its own API group. */
export const datasourceApigroupWrong = claimRule({
  cause: 'datasource-apigroup-wrong',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = referenceFailureOf(c);
    if (failure?.check !== 'group') return undefined;
    const { source } = failure;
    return {
      summary:
        `${claimText(c)} names VolumeSnapshot "${source.name}" in API group "${source.group}", and snapshots are ` +
        `in ${snapshotGroup}.`,
      evidence: [
        field(c.claim, `${source.path}.apiGroup`),
        sourceEvidence(c, source),
        ...saidOnClaim(c, lastRefusal(c, wrongApiGroupText)),
      ],
      fix: [recreateClaim(c, `with apiGroup ${snapshotGroup}`, sourceChange(c, { apiGroup: snapshotGroup }))],
    };
  },
});
