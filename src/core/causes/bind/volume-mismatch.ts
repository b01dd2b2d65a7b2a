import { bytesOf } from '../../kube/quantity.ts';
import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { missingModes } from '../../facts/volume/near-miss.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { closestVolumeRule, patchVolume, remakeClaim, requestField } from './closest-volume.ts';

const newVolume = fix('look which volumes there are, and make one that fits', 'kubectl get pv');

/** component-helpers FindMatchingVolume compares exact quantities: 10G is less than 10Gi. */
export const pvCapacityTooSmall = closestVolumeRule('pv-capacity-too-small', ['capacity'], (c, { volume }) => {
  const { name } = volume.metadata;
  const capacity = volume.spec?.capacity?.['storage'] ?? '0';
  const request = c.request ?? '0';
  return {
    says: `holds ${capacity}, and the claim asks for ${request}${unitHint(capacity, request)}`,
    wanted: [requestField(c)],
    fix: [
      fix(
        `look which volumes there are, and make one of at least ${request}: the claim then goes on by itself`,
        'kubectl get pv',
      ),
      remakeClaim(c, `or delete the claim and make it again with at most ${capacity}`),
      fix(
        `or, if the storage behind ${name} is that large, let the volume say so`,
        patchVolume(name, { spec: { capacity: { storage: request } } }),
      ),
    ],
  };
});

function unitHint(capacity: string, request: string): string {
  const [small, large] = [bytesOf(capacity), bytesOf(request)];
  return small > 0n && small * 11n >= large * 10n
    ? ' (a decimal unit such as 10G is less than a binary one such as 10Gi)'
    : '';
}

/** persistentvolume/index.go: the volume's modes must hold all that the claim asks for; no mode implies another. */
export const pvAccessModesMismatch = closestVolumeRule('pv-accessmodes-mismatch', ['accessModes'], (c, { volume }) => {
  const { name } = volume.metadata;
  const missing = missingModes(volume, c.claim);
  const offered = volume.spec?.accessModes ?? [];
  const once =
    missing.includes('ReadWriteOncePod') && offered.includes('ReadWriteOnce')
      ? ' (ReadWriteOnce does not stand for ReadWriteOncePod)'
      : '';
  return {
    says: `does not offer ${missing.join(', ')}, only ${offered.join(', ') || 'no mode at all'}${once}`,
    wanted: [field(c.claim, 'spec.accessModes')],
    fix: [
      remakeClaim(c, `delete the claim and make it again with a mode that the volume offers`),
      fix(
        `or, if the storage behind ${name} can do it, add the mode to the volume`,
        patchVolume(name, {
          spec: { accessModes: missing.includes('ReadWriteOncePod') ? missing : [...offered, ...missing] },
        }),
      ),
    ],
  };
});

/** component-helpers CheckVolumeModeMismatches: not set counts as Filesystem. */
export const pvVolumeModeMismatch = closestVolumeRule('pv-volumemode-mismatch', ['volumeMode'], (c, { volume }) => ({
  says: `is ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(c.claim)}`,
  wanted: [field(c.claim, 'spec.volumeMode')],
  fix: [
    remakeClaim(c, `delete the claim and make it again with volumeMode ${volumeModeOf(volume)}`),
    fix(
      `or look which volumes there are, and make one with volumeMode ${volumeModeOf(c.claim)}: the mode of an existing one cannot be changed`,
      'kubectl get pv',
    ),
  ],
}));

export const pvSelectorMismatch = closestVolumeRule('pv-selector-mismatch', ['selector'], (c, { volume }) => {
  const { name } = volume.metadata;
  const unmet = Object.entries(c.claim.spec?.selector?.matchLabels ?? {}).filter(
    ([key, value]) => volume.metadata.labels?.[key] !== value,
  );
  const command =
    unmet.length > 0
      ? `kubectl label pv ${shellWord(name)} ${unmet.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ')} --overwrite`
      : `kubectl get pv ${shellWord(name)} --show-labels`;
  return {
    says: `has labels that do not meet the claim's selector`,
    wanted: [field(c.claim, 'spec.selector')],
    fix: [
      fix(
        `${unmet.length > 0 ? '' : 'look at the labels, and '}label the volume as the selector wants, if ${name} is the one that is meant`,
        command,
      ),
      remakeClaim(c, 'or delete the claim and make it again without the selector'),
    ],
  };
});

export const pvVacMismatch = closestVolumeRule('pv-vac-mismatch', ['attributesClass'], (c, { volume }) => {
  const [has, wants] = [
    volume.spec?.volumeAttributesClassName || undefined,
    c.claim.spec?.volumeAttributesClassName || undefined,
  ];
  return {
    says: `has ${has ? `volume attributes class ${has}` : 'no volume attributes class'}, and the claim has ${wants ?? 'none'}`,
    wanted: [field(c.claim, 'spec.volumeAttributesClassName')],
    fix: [
      ...(wants
        ? [
            fix(
              `give the volume the class of the claim, if its storage is set up like that`,
              patchVolume(volume.metadata.name, { spec: { volumeAttributesClassName: wants } }),
            ),
          ]
        : []),
      remakeClaim(
        c,
        `${wants ? 'or ' : ''}delete the claim and make it again with volumeAttributesClassName ${has ?? 'left out'}`,
      ),
    ],
  };
});

/** The class of a volume can be changed while it is free; that of a claim cannot. */
export const pvClassMismatch = closestVolumeRule('pv-class-mismatch', ['class'], (c, { volume }) => {
  const [has, wants] = [resolveClass(volume), c.class.name];
  return {
    says: `has ${has.name ? `class ${has.name}` : 'no class'} where the claim has ${wants ? `class ${wants}` : 'none'}, and misses in nothing else`,
    wanted: [
      field(
        c.claim,
        c.class.source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName',
        c.class.source === 'none' ? undefined : wants,
      ),
    ],
    fix: [
      fix(`give the volume the class of the claim`, giveClass(volume, wants)),
      remakeClaim(c, `or delete the claim and make it again with storageClassName ${has.name || '""'}`),
    ],
  };
});

export function giveClass(volume: Volume, className: string): string {
  const isAnnotated = resolveClass(volume).source === 'annotation';
  return patchVolume(volume.metadata.name, {
    ...(isAnnotated && { metadata: { annotations: { [betaClassAnnotation]: null } } }),
    spec: { storageClassName: className },
  });
}

export const pvNoCapacity = closestVolumeRule('pv-no-capacity', ['noCapacity'], (c, { volume }) =>
  capacityTelling(c, volume),
);

export function capacityTelling(
  c: PresentClaim,
  volume: Volume,
): {
  readonly says: string;
  readonly wanted: [ReturnType<typeof requestField>];
  readonly fix: [ReturnType<typeof fix>];
} {
  const { name } = volume.metadata;
  return {
    says: 'does not say how large it is, which counts as nothing',
    wanted: [requestField(c)],
    fix: [
      fix('give the volume its true size', patchVolume(name, { spec: { capacity: { storage: c.request ?? '1Gi' } } })),
    ],
  };
}

/** FindMatchingVolume passes over a volume with a deletionTimestamp, whatever else it offers. */
export const pvTerminatingCandidate = closestVolumeRule(
  'pv-terminating-candidate',
  ['terminating'],
  (_c, { volume }) => ({
    says: `is being deleted${volume.metadata.finalizers?.length ? ` and held by ${volume.metadata.finalizers.join(', ')}` : ''}`,
    fix: [newVolume],
  }),
);

/** Only a volume in phase Available is looked at; the controller sets the phase within seconds. */
export const pvPhaseNotAvailable = closestVolumeRule('pv-phase-not-available', ['phase'], (c, { volume }) => {
  const { name, creationTimestamp } = volume.metadata;
  const phase = volume.status?.phase;
  // A volume that was made just now has no phase yet.
  if (phase !== 'Failed' && secondsBetween(parseTime(creationTimestamp) ?? 0, c.now) < 60) return undefined;
  const message = volume.status?.message;
  return {
    says: `is in phase ${phase ?? 'not set'}, not Available${message ? ` (${message})` : ''}`,
    ...(phase === 'Failed' && { wanted: [field(volume, 'status.phase')] }),
    fix: [
      phase === 'Failed'
        ? fix(
            'see why it could not be reclaimed; a Failed volume is never used again: remove it by hand and make a new one',
            `kubectl describe pv ${shellWord(name)}`,
          )
        : fix(
            'see whether the kube-controller-manager runs: it is the one that makes a volume Available',
            'kubectl -n kube-system get lease kube-controller-manager -o yaml',
          ),
    ],
  };
});
