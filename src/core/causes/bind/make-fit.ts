import type { Claim, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { missingModes } from '../../facts/volume/miss-text.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { isSmallGap, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { classChange, recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import type { ClaimChange } from '../lib/remake-claim.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';

const bindsSoon = 'The two are bound within 15 seconds.';

/**
 * The claim is recreated as the volume is. A claim that was never bound holds no data. `condition` completes "Recreate
 * the claim …".
 */
export function fitClaim(
  c: PresentClaim,
  volume: Volume,
  failed: readonly VolumeCheck[],
  condition = '',
  then = `It then binds to pv/${volume.metadata.name} within 15 seconds.`,
): Fix {
  const { how, change } = fittingOf(c, volume, failed);
  if (failed.length === 1 && failed[0] === 'class' && canSetClass(c, volume))
    return steps(
      `Give the claim ${how.replace(/^with /, '')}${condition}: a class that is not set can be set in place. ${then}`,
      [patchCommand(c.claim, change)],
    );
  return recreateClaim(c, `${how}${condition}`, change, then);
}

/**
 * ValidatePersistentVolumeClaimUpdate: a class that is not set may be set once, from 1.26 on, whether or not the claim
 * names a volume.
 */
export function canSetClass(c: PresentClaim, volume: Volume): boolean {
  return (
    c.class.source === 'none' && resolveClass(volume).name !== '' && atLeast(c.ask.graph.serverVersion, 1, 26) !== false
  );
}

/**
 * The same for a volume that names the claim by its uid. Without the claim it would be Released, and with policy Delete
 * be deleted: it is kept, and reserved for the new claim by name.
 */
export function fitClaimKeepingVolume(c: PresentClaim, volume: Volume, failed: readonly VolumeCheck[]): Fix {
  if (!volume.spec?.claimRef?.uid) return fitClaim(c, volume, failed);
  const { how, change } = fittingOf(c, volume, failed);
  const [save, remove, create] = recreateCommands(c.claim, change);
  return steps(
    `Recreate the claim ${how}, and keep the volume for it: a claim's spec cannot be changed, and the volume names the old claim by its uid. The two are bound within 15 seconds.`,
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      save,
      remove,
      patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
      create,
    ],
  );
}

/** All changes that the claim needs, as one. */
function fittingOf(c: PresentClaim, volume: Volume, failed: readonly VolumeCheck[]): Fitting {
  const changes = failed.map((check) => claimChange(c, volume, check)).filter((each) => each !== undefined);
  const change = changes.reduce<ClaimChange>(
    (all, { change: each }) => ({
      ...((all.metadata ?? each.metadata) && { metadata: { ...all.metadata, ...each.metadata } }),
      spec: { ...all.spec, ...each.spec },
    }),
    { spec: {} },
  );
  return { how: changes.map(({ how }) => how).join(' and '), change };
}

interface Fitting {
  /** Completes "Recreate the claim …". */
  readonly how: string;
  readonly change: ClaimChange;
}

function claimChange(c: PresentClaim, volume: Volume, check: VolumeCheck): Fitting | undefined {
  switch (check) {
    case 'capacity': {
      const capacity = volume.spec?.capacity?.['storage'];
      return capacity === undefined ? undefined : { how: `with ${capacity}`, change: sizeChange(capacity) };
    }
    case 'class': {
      const { name } = resolveClass(volume);
      return { how: `with storageClassName "${name}"`, change: classChange(c, name) };
    }
    case 'volumeMode': {
      const volumeMode = volumeModeOf(volume);
      return { how: `with volumeMode ${volumeMode}`, change: { spec: { volumeMode } } };
    }
    case 'accessModes': {
      const accessModes = modesOffered(c, volume);
      return { how: `with accessModes ${accessModes.join(', ')}`, change: { spec: { accessModes } } };
    }
    case 'attributesClass': {
      const name = volume.spec?.volumeAttributesClassName;
      return {
        how: name ? `with volumeAttributesClassName "${name}"` : 'without volumeAttributesClassName',
        change: { spec: { volumeAttributesClassName: name ?? null } },
      };
    }
    case 'selector':
      return { how: 'without the selector', change: { spec: { selector: null } } };
    default:
      return undefined;
  }
}

/** What the volume offers of the modes that the claim asks for, or else the mode that most applications need. */
export function modesOffered(c: PresentClaim, { spec }: Volume): string[] {
  const offered = spec?.accessModes ?? [];
  const wanted = (c.claim.spec?.accessModes ?? []).filter((mode) => offered.includes(mode));
  if (wanted.length > 0) return wanted;
  return offered.includes('ReadWriteOnce') ? ['ReadWriteOnce'] : offered.slice(0, 1);
}

/** Gives a free volume the class of the claim: unlike that of a claim, it can be changed. */
export function giveClassFix(c: PresentClaim, volume: Volume): Fix {
  const { name } = c.class;
  const what = name === '' ? 'set its class to "", as in the claim' : `give it class "${name}" of the claim`;
  return steps(
    `If pv/${volume.metadata.name} is the volume that is meant, ${what}: the class of a volume can be changed in place. ${bindsSoon}`,
    [giveClass(volume, name)],
  );
}

/** The beta annotation would win over the field, so it goes. */
function giveClass(volume: Volume, className: string): string {
  const isAnnotated = resolveClass(volume).source === 'annotation';
  return patchCommand(volume, {
    ...(isAnnotated && { metadata: { annotations: { [betaClassAnnotation]: null } } }),
    spec: { storageClassName: className },
  });
}

/** The access modes of a volume only say what its storage can do, and can be changed in place. */
export function addModesFix(c: PresentClaim, volume: Volume): Fix {
  const missing = missingModes(volume, c.claim);
  const alike = canServe(volume, missing) ? alikeVolumes(c, volume) : [];
  const volumes = [volume, ...alike];
  const names = nameAll(volumes.map(({ metadata }) => `pv/${metadata.name}`));
  const condition = canServe(volume, missing) ? '' : `If the storage behind ${names} can do ${missing.join(', ')}, `;
  const verb = condition === '' ? 'Set' : 'set';
  const each = alike.length === 0 ? '' : `, since ${volumes.length} claims wait for such volumes`;
  return steps(
    `${condition}${verb} the accessModes of ${names} to ${modesWith(volume, missing).join(', ')}${each}: those of a ` +
      `volume can be changed in place. ${alike.length === 0 ? bindsSoon : 'The claims are bound within 15 seconds.'}`,
    volumes.map((one) => patchCommand(one, { spec: { accessModes: modesWith(one, missing) } })),
  );
}

/** ReadWriteOncePod allows no other mode next to it. */
function modesWith({ spec }: Volume, missing: readonly string[]): string[] {
  return missing.includes('ReadWriteOncePod') ? [...missing] : [...(spec?.accessModes ?? []), ...missing];
}

/** Volumes that miss the same modes, as many as there are other claims that wait for one. */
function alikeVolumes(c: PresentClaim, volume: Volume): Volume[] {
  const modes = (of: Volume | Claim): string => (of.spec?.accessModes ?? []).join();
  const waiting = c.ask
    .seen('PersistentVolumeClaim')
    .filter(
      (other) =>
        other.metadata.uid !== c.claim.metadata.uid &&
        other.status?.phase === 'Pending' &&
        !other.spec?.volumeName &&
        resolveClass(other).name === c.class.name &&
        modes(other) === modes(c.claim),
    );
  return nearMissesOf(c)
    .misses.filter(
      ({ volume: other, failed, reason }) =>
        reason === 'accessModes' &&
        failed.length === 1 &&
        other.metadata.name !== volume.metadata.name &&
        other.status?.phase === 'Available' &&
        modes(other) === modes(volume) &&
        canServe(other, missingModes(other, c.claim)),
    )
    .map(({ volume: other }) => other)
    .slice(0, waiting.length);
}

/**
 * Whether the storage can certainly do these modes: a volume for many writers serves one, and a network file system
 * serves many.
 */
export function canServe({ spec }: Volume, modes: readonly string[]): boolean {
  const isShared =
    spec?.nfs !== undefined ||
    spec?.cephfs !== undefined ||
    spec?.glusterfs !== undefined ||
    spec?.azureFile !== undefined ||
    /(?:^|[.-])(?:nfs|smb|cephfs|efs|file)(?:[.-]|$)/.test(spec?.csi?.driver ?? '');
  const isForMany = spec?.accessModes?.includes('ReadWriteMany') === true;
  return modes.every((mode) => mode !== 'ReadWriteOncePod' && (isShared || isForMany));
}

/** The size of a volume that was created by hand is what its author wrote. */
export function trueSizeFix(c: PresentClaim, volume: Volume): Fix {
  const storage = c.request ?? 'PLACEHOLDER_SIZE';
  const { name } = volume.metadata;
  return steps(
    `If the storage behind pv/${name} really has ${storage}, write that into the volume; its size can be corrected in place. ${bindsSoon}`,
    [patchCommand(volume, { spec: { capacity: { storage } } })],
  );
}

export function giveAttributesClassFix(c: PresentClaim, volume: Volume): Fix {
  const volumeAttributesClassName = c.claim.spec?.volumeAttributesClassName ?? '';
  return steps(
    `If the storage of pv/${volume.metadata.name} is set up as VolumeAttributesClass "${volumeAttributesClassName}" describes, give the volume that class. ${bindsSoon}`,
    [patchCommand(volume, { spec: { volumeAttributesClassName } })],
  );
}

/** The labels that the claim selects, as words of `kubectl label`; a dash removes one. */
export function labelFix(c: PresentClaim, volume: Volume): Fix[] {
  const { matchLabels = {}, matchExpressions = [] } = c.claim.spec?.selector ?? {};
  const labels = volume.metadata.labels ?? {};
  const words = [
    ...Object.entries(matchLabels)
      .filter(([key, value]) => labels[key] !== value)
      .map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.flatMap(({ key = '', operator, values = [] }): string[] => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value) ? [] : [`${key}=${values[0] ?? ''}`];
      if (operator === 'Exists') return value === undefined ? [`${key}=true`] : [];
      if (operator === 'NotIn') return value !== undefined && values.includes(value) ? [`${key}-`] : [];
      return value === undefined ? [] : [`${key}-`];
    }),
  ];
  if (words.length === 0) return [];
  return [
    steps(
      `If pv/${volume.metadata.name} is the volume that is meant, give it the labels that the claim selects. ${bindsSoon}`,
      [kubectl('label', volume, `${words.map(shellWord).join(' ')} --overwrite`)],
    ),
  ];
}

/**
 * What lets the claim bind to a volume that one check keeps from it, the smallest change first; nothing where more is
 * wrong.
 */
export function nearMissFixes(c: PresentClaim, { volume, failed, reason }: NearMiss): Fix[] {
  if (failed.length !== 1) return [];
  if (reason === 'capacity') {
    const isEnough = isSmallGap(volume, c.claim) ? '' : `, if ${volume.spec?.capacity?.['storage'] ?? '0'} is enough`;
    return [fitClaim(c, volume, failed, isEnough), trueSizeFix(c, volume)];
  }
  if (reason === 'accessModes')
    return canServe(volume, missingModes(volume, c.claim))
      ? [addModesFix(c, volume)]
      : [fitClaim(c, volume, failed, ', if the application can work with that'), addModesFix(c, volume)];
  if (reason === 'selector') return labelFix(c, volume);
  if (reason === 'class') return [giveClassFix(c, volume)];
  return reason === 'volumeMode' ? [fitClaim(c, volume, failed)] : [];
}
