import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { finishRestore, restoreIntoWaitingClass, restoreLabel, restoreNameOf } from '../lib/velero-restore.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { selectorRefusedText } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * external-provisioner prepareProvision: a new volume cannot be chosen by labels, so even an empty selector is refused.
 */
export const provisionSelectorUnsupported = claimRule({
  cause: 'provision-selector-unsupported',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.claim.spec?.selector === undefined) return undefined;
    const said = failure(c, selectorRefusedText);
    // Without the class, the annotation on the claim shows that a driver was asked after no existing volume was found.
    const isCsi = provisionerOf(c)?.isCsi === true;
    if (!isCsi && !said) return undefined;
    const restore = restoreNameOf(c);
    return {
      confidence: isCsi && c.storageClassObject !== undefined ? 'certain' : 'likely',
      summary:
        `${claimText(c)} carries a label selector${selectorText(c)}. ` +
        `No existing volume fits, and the provisioner of StorageClass "${c.class.name}" creates no volumes for ` +
        `claims with a selector.${restore === undefined ? '' : ' Velero set the selector for a restore.'}`,
      evidence: [
        field(c.claim, 'spec.selector'),
        ...(restore === undefined ? [] : [field(c.claim, `metadata.labels[${restoreLabel}]`, restore)]),
        ...saidOnClaim(c, said),
      ],
      fix: restore === undefined ? advise(c) : [finishRestore(restore), ...restoreIntoWaitingClass(c)],
    };
  },
});

/** ` (tier=db)` */
function selectorText(c: PresentClaim): string {
  const { matchLabels = {}, matchExpressions = [] } = c.claim.spec?.selector ?? {};
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key = '', operator = '', values = [] }) =>
      [key, operator, values.join(', ')].filter(Boolean).join(' '),
    ),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function advise(c: PresentClaim): Fix[] {
  return [
    recreateClaim(
      c,
      'without the selector',
      { spec: { selector: null } },
      'A new, empty volume is then provisioned automatically.',
    ),
    ...labelVolume(c),
  ];
}

/** A volume that fits except for the labels may be the intended one. */
function labelVolume(c: PresentClaim): Fix[] {
  const { matchLabels = {}, matchExpressions = [] } = c.claim.spec?.selector ?? {};
  const labels = Object.entries(matchLabels);
  const miss = nearMissesOf(c).misses.find(({ failed }) => failed.length === 1 && failed[0] === 'selector');
  if (!miss || labels.length === 0 || matchExpressions.length > 0) return [];
  const words = labels.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ');
  return [
    steps(
      `If the existing volume pv/${miss.volume.metadata.name} is meant, which misses only the labels, give it ` +
        'the labels. The claim then binds to it automatically.',
      [kubectl('label', miss.volume, words)],
    ),
  ];
}
