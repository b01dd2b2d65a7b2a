import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { fitClaim, giveAttributesClassFix } from './make-fit.ts';
import { claimRefField, isProvisionedWithoutAttributes, provisionedAnew, reservedMatch } from './reserved-volume.ts';

const cause = 'pv-vac-mismatch';

/** component-helpers FindMatchingVolume: both sides must name the same VolumeAttributesClass, or none. */
export const pvVacMismatch = closestVolumeRule(cause, 'attributesClass', {
  describe: (c, { volume }) => missClause(volume, c.claim, 'attributesClass'),
  evidence: (c) => [field(c.claim, 'spec.volumeAttributesClassName')],
  advise: (c, { volume, failed }) => [
    ...(attributesClassOf(c.claim) === '' ? [] : [giveAttributesClassFix(c, volume)]),
    fitClaim(c, volume, failed),
  ],
});

function attributesClassOf({ spec }: PresentClaim['claim'] | Volume): string {
  return spec?.volumeAttributesClassName ?? '';
}

/** An external-provisioner without VolumeAttributesClass creates the volume without it, and the two are never bound. */
export const madeVacMismatch = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    return match && isProvisionedWithoutAttributes(match) ? explainProvisioned(c, match.volume) : undefined;
  },
});

function explainProvisioned(c: PresentClaim, volume: Volume): Explanation {
  const wants = attributesClassOf(c.claim);
  const isMissing = isAttributesClassMissing(c, wants);
  return {
    summary:
      `pv/${volume.metadata.name} was provisioned for ${claimText(c)}, but it ` +
      `${missClause(volume, c.claim, 'attributesClass')}. ` +
      `They can never bind.${isMissing ? ` VolumeAttributesClass "${wants}" does not exist.` : ''}`,
    evidence: [
      field(c.claim, 'spec.volumeAttributesClassName'),
      field(volume, 'spec.volumeAttributesClassName'),
      claimRefField(volume),
      ...(isMissing ? [absent('VolumeAttributesClass', wants)] : []),
    ],
    fix: adviseProvisioned(c, volume, isMissing ? wants : undefined),
  };
}

function isAttributesClassMissing(c: PresentClaim, name: string): boolean {
  if (name === '') return false;
  const why = `whether volumeattributesclass/${name} exists`;
  return c.ask.get('VolumeAttributesClass', undefined, name, why).state === 'missing';
}

/** The volume was provisioned for the claim and never used, so that it may go with the claim. */
function adviseProvisioned(c: PresentClaim, volume: Volume, missing: string | undefined): Fix[] {
  return [
    fitClaim(c, volume, ['attributesClass'], '', provisionedAnew),
    steps(
      `${missing === undefined ? 'Upgrade' : `If the attributes are needed, create VolumeAttributesClass "${missing}", upgrade`} ` +
        'the external-provisioner to 5.2 or later with VolumeAttributesClass enabled, and recreate the claim as ' +
        'it is. Its driver must support MODIFY_VOLUME.',
      [],
    ),
  ];
}
