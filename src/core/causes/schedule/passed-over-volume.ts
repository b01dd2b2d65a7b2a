import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { recreateClaim } from '../lib/remake-claim.ts';

/**
 * A volume without a class that was created by hand and is free: a claim that received the default class passes it over
 * (FindMatchingVolume compares the classes). Only among what was read already.
 */
export function passedOverVolume(c: PresentClaim): Volume | undefined {
  if (c.provisioner === undefined) return undefined;
  const free =
    c.ask.graph
      .group('PersistentVolume', 'free', (volume) =>
        volume.status?.phase === 'Available' && !volume.spec?.claimRef ? [''] : [],
      )
      .get('') ?? [];
  const fitting = free.filter(
    (volume) =>
      resolveClass(volume).name === '' && matchVolume(volume, c.claim, { by: 'search' }).failed.join() === 'class',
  );
  return fitting.find(({ metadata }) => nearestName(c.name, [metadata.name]) !== undefined) ?? fitting[0];
}

export function passedOverText(c: PresentClaim, volume: Volume | undefined): string {
  return volume
    ? ` pv/${volume.metadata.name}, which is free, has no class and is not used for it: a new volume is ` +
        `created for StorageClass "${c.class.name}".`
    : '';
}

export function passedOverEvidence(volume: Volume | undefined): Evidence[] {
  return volume ? [field(volume, 'spec.storageClassName', 'not set')] : [];
}

/** A claim that was never bound holds no data. */
export function takeVolume(c: PresentClaim, volume: Volume | undefined): Fix[] {
  if (!volume) return [];
  const { name } = volume.metadata;
  return [
    recreateClaim(
      c,
      `with storageClassName "" and volumeName ${name}, if pv/${name} is the volume that is meant`,
      { spec: { storageClassName: '', volumeName: name } },
      'The two are bound within 15 seconds.',
    ),
  ];
}
