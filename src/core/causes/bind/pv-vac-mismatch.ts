import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { closestVolumeRule, patchVolume, remakeClaim } from './closest-volume.ts';
import { claimRefField, isProvisionedWithoutAttributes, reservedMatch } from './reserved-volume.ts';

const cause = 'pv-vac-mismatch';

/** component-helpers FindMatchingVolume: both sides must name the same VolumeAttributesClass, or none. */
export const pvVacMismatch = closestVolumeRule(cause, 'attributesClass', {
  describe(c, volume) {
    const has = attributesClassOf(volume);
    return `has ${has ? `volume attributes class ${has}` : 'no volume attributes class'}, and the claim has ${attributesClassOf(c.claim) || 'none'}`;
  },
  evidence: (c) => [field(c.claim, 'spec.volumeAttributesClassName')],
  advise: adviseSearch,
});

function attributesClassOf({ spec }: PresentClaim['claim'] | Volume): string {
  return spec?.volumeAttributesClassName ?? '';
}

function adviseSearch(c: PresentClaim, volume: Volume): Fix[] {
  const wants = attributesClassOf(c.claim);
  const remake = `delete the claim and make it again with volumeAttributesClassName ${attributesClassOf(volume) || 'left out'}`;
  if (!wants) return [remakeClaim(c, remake)];
  return [
    fix(
      `give the volume the class of the claim, if its storage is set up like that`,
      patchVolume(volume.metadata.name, { spec: { volumeAttributesClassName: wants } }),
    ),
    remakeClaim(c, `or ${remake}`),
  ];
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
    summary: `volume ${volume.metadata.name} was made for pvc/${c.name} ${hasText(volume)}, and the claim has ${wantsText(wants, isMissing)}: the two are never bound`,
    evidence: [
      field(c.claim, 'spec.volumeAttributesClassName'),
      field(volume, 'spec.volumeAttributesClassName'),
      claimRefField(volume),
      ...(isMissing ? [absent('VolumeAttributesClass', wants)] : []),
    ],
    fix: adviseProvisioned(c, volume),
  };
}

function isAttributesClassMissing(c: PresentClaim, name: string): boolean {
  if (name === '') return false;
  const why = `whether volumeattributesclass/${name} exists`;
  return c.ask.get('VolumeAttributesClass', undefined, name, why).state === 'missing';
}

function hasText(volume: Volume): string {
  const has = attributesClassOf(volume);
  return has === '' ? 'without an attributes class' : `with attributes class ${has}`;
}

function wantsText(wants: string, isMissing: boolean): string {
  if (wants === '') return 'none';
  return isMissing ? `${wants}, which does not exist` : wants;
}

function adviseProvisioned(c: PresentClaim, volume: Volume): Fix[] {
  const has = attributesClassOf(volume);
  const how = has === '' ? 'without volumeAttributesClassName' : `with volumeAttributesClassName ${has}`;
  return [
    remakeClaim(c, `delete the claim and make it again ${how}`),
    fix(
      'or run an external-provisioner that knows attributes classes (5.2 or newer, with the feature switched on), and make the claim again',
    ),
  ];
}
