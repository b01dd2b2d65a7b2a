import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { takenMiss } from './closest-volume.ts';

/** A claim that holds a volume which this claim needs, and could do with the one that is free. */
export interface MisplacedClaim {
  readonly claim: Claim;
  readonly volume: Volume;
  readonly evidence: Evidence;
}

/** Nothing is pre-bound, so a small claim may take a large volume if it comes first. */
export function misplacedClaim(c: PresentClaim, free: Volume): MisplacedClaim | undefined {
  const taken = takenMiss(nearMissesOf(c).misses)?.volume;
  const { namespace, name } = taken?.spec?.claimRef ?? {};
  if (!taken || namespace === undefined || name === undefined) return undefined;
  const why = `whether pvc/${name} needs a volume as large as pv/${taken.metadata.name}`;
  const holder = c.ask.get('PersistentVolumeClaim', namespace, name, why);
  if (holder.state !== 'found' || free.status?.phase !== 'Available') return undefined;
  if (matchVolume(free, holder.object, { by: 'search' }).failed.length > 0) return undefined;
  return { claim: holder.object, volume: taken, evidence: field(holder.object, 'spec.resources.requests.storage') };
}

/** A small claim took the large volume, and the small one is left. */
export function swapText(c: PresentClaim, free: Volume, { claim, volume }: MisplacedClaim): string {
  const { namespace = '', name } = claim.metadata;
  const request = claim.spec?.resources?.requests?.['storage'] ?? 'less';
  return (
    `No PersistentVolume is left for ${claimText(c)} (${c.request ?? 'no size'}). ` +
    `The one that fits, pv/${volume.metadata.name}, is bound to pvc/${name} in namespace ${namespace}, which ` +
    `asks for only ${request}; the free one, pv/${free.metadata.name}, has ` +
    `${free.spec?.capacity?.['storage'] ?? 'no size'}.`
  );
}

/** Gives each of the two claims the volume of its size. */
export function swapFix(c: PresentClaim, free: Volume, { claim, volume }: MisplacedClaim): Fix {
  const { name, namespace = '' } = claim.metadata;
  const [save, remove, create] = recreateCommands(claim, { spec: { volumeName: free.metadata.name } });
  const claimRef = { namespace: c.namespace, name: c.name, uid: null, resourceVersion: null };
  return steps(
    `Give each claim the volume of its size: stop the pods that use pvc/${name} in namespace ${namespace} ` +
      `first, since it is recreated on pv/${free.metadata.name}. ` +
      `What it has written stays on pv/${volume.metadata.name} and becomes visible to pvc/${c.name}; ` +
      'copy it if it is needed. Both claims are bound within 15 seconds.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      save,
      remove,
      patchCommand(volume, { spec: { claimRef } }),
      create,
    ],
    'disruptive',
  );
}
