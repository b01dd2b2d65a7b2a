import type { ObjectRef } from '../../core/report/report.ts';
import { driverOfInTree } from '../../core/kube/in-tree.ts';
import { ClaimCase } from '../../core/facts/claim/claim-case.ts';
import { member } from '../../core/engine/rehearse/templates.ts';
import type { World } from '../../core/engine/rehearse/world.ts';

/** What would become of something that nothing stands against, in a few words. */
export function describeMade(ref: ObjectRef, world: World): string {
  if (ref.kind === 'PersistentVolumeClaim') return describeClaim(ref, world);
  const object = world.get(ref.kind, ref.namespace, ref.name);
  if (ref.kind === 'StorageClass')
    return `${String(object?.['provisioner'] ?? 'no provisioner')}, ${String(object?.['volumeBindingMode'] ?? 'Immediate')}`;
  if (ref.kind === 'Pod') return 'nothing stands against it';
  return 'nothing stands against it';
}

function describeClaim({ namespace = '', name }: ObjectRef, world: World): string {
  const claim = new ClaimCase(world.inquire(), namespace, name);
  const volume = claim.volume?.state === 'found' ? claim.volume.object : undefined;
  if (!volume) return 'nothing stands against it';
  const isImagined = volume.metadata.name.startsWith('pvc-preflight-');
  const size = claim.request ?? 'a volume';
  if (!isImagined)
    return `would bind to pv/${volume.metadata.name}${member(volume, 'spec', 'capacity', 'storage') === undefined ? '' : ` (${String(member(volume, 'spec', 'capacity', 'storage'))})`}`;
  const provisioner = claim.provisioner ?? claim.class.name;
  return `${driverOfInTree(provisioner) ?? provisioner} would make ${size} of class ${claim.class.name}`;
}
