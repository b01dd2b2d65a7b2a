import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import { answerRule, logsOf, tellWords } from './driver-answer.ts';
import { classText, otherClasses } from './other-class.ts';
import { provisionerOf } from './provisioner.ts';
import { classChange, recreateClaim, sourceChange } from '../lib/remake-claim.ts';

/** CSI spec, error scheme: UNIMPLEMENTED, the driver does not have what the call needs. */
export const provisionUnimplemented = answerRule('provision-unimplemented', 'unimplemented', (c, error, driver) => {
  const source = dataSourceOf(c);
  const features = specialFeatures(c);
  const asked = features.map(({ name }) => name).join(' and ');
  return {
    about: c.class.name,
    summary: tellWords(
      `${driver} has not implemented what the call needs`,
      error,
      features.length > 0 ? `the claim asks for ${asked}` : undefined,
    ),
    evidence: [field(c.claim, 'spec.volumeMode'), ...(source ? [field(c.claim, source.path)] : [])],
    fix: [...features.map(({ leaveOut }) => leaveOut()), ...useOtherDriver(c, features.length), ...logsOf(c)],
  };
});

interface Feature {
  readonly name: string;
  leaveOut(): Fix;
}

/** What the claim asks for beyond a plain volume, and the claim without it. */
function specialFeatures(c: PresentClaim): Feature[] {
  const source = dataSourceOf(c);
  const features: (Feature | undefined)[] = [
    c.claim.spec?.volumeMode === 'Block'
      ? {
          name: 'a raw block volume',
          leaveOut: () => recreateClaim(c, 'with volumeMode Filesystem', { spec: { volumeMode: 'Filesystem' } }),
        }
      : undefined,
    source && {
      name: `a volume from ${source.kind} "${source.name}"`,
      leaveOut: () =>
        recreateClaim(
          c,
          'without the data source',
          sourceChange(c, null),
          'The new volume is empty: copy the data into it from a backup or with a pod.',
        ),
    },
    c.claim.spec?.volumeAttributesClassName
      ? {
          name: 'a VolumeAttributesClass',
          leaveOut: () =>
            recreateClaim(c, 'without volumeAttributesClassName', { spec: { volumeAttributesClassName: null } }),
        }
      : undefined,
  ];
  return features.filter((feature) => feature !== undefined);
}

function useOtherDriver(c: PresentClaim, featureCount: number): Fix[] {
  const own = provisionerOf(c)?.name;
  const [other] = otherClasses(c, ({ provisioner }) => provisioner !== own);
  if (!other && featureCount > 0) return [];
  return [
    recreateClaim(
      c,
      other
        ? `with ${classText(other)}, of another driver`
        : 'with a StorageClass of another driver (PLACEHOLDER_CLASS)',
      classChange(c, other?.name ?? 'PLACEHOLDER_CLASS'),
    ),
  ];
}
