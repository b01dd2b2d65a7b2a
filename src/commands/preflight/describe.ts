import { makerOf } from '../../core/causes/provision/in-tree.ts';
import type { Entry, Part } from '../../core/engine/rehearse/plan.ts';
import { member } from '../../core/engine/rehearse/templates.ts';
import type { World } from '../../core/engine/rehearse/world.ts';
import { ClaimCase } from '../../core/facts/claim/claim-case.ts';
import type { PreflightStatus } from '../../core/report/preflight.ts';
import type { ObjectRef } from '../../core/report/report.ts';

/** What would become of a manifest to which there is no objection. */
export function describeEntry(entry: Entry, status: PreflightStatus, world: World): string {
  const { existing, changes, ref, parts } = entry;
  if (status === 'unknown') return 'no problem was found, but not everything that decides could be read';
  const made = parts.filter(({ isThere }) => !isThere);
  const there = existing ? `already exists${changes.length === 0 ? ', unchanged' : ''}` : undefined;
  if (ref.kind === 'PersistentVolumeClaim' && existing) {
    const changed = changes.map(({ path }) => path.replace(/^spec\./, '')).join(', ');
    return [there, boundText(world, ref), changed === '' ? undefined : `would change ${changed}`]
      .filter(Boolean)
      .join(', ');
  }
  if (made.length > 0) return [there, countText(made)].filter(Boolean).join('; ');
  return there ?? describeMade(ref, world);
}

/** What would become of an object to which there is no objection. */
export function describeMade(ref: ObjectRef, world: World): string {
  if (ref.kind === 'PersistentVolumeClaim') return describeClaim(ref, world);
  if (ref.kind !== 'StorageClass') return 'no problem found';
  const object = world.get(ref.kind, ref.namespace, ref.name);
  return `${String(object?.['provisioner'] ?? 'no provisioner')}, ${String(object?.['volumeBindingMode'] ?? 'Immediate')}`;
}

function describeClaim({ namespace = '', name }: ObjectRef, world: World): string {
  const claim = new ClaimCase(world.inquire(), namespace, name);
  const volume = claim.volume?.state === 'found' ? claim.volume.object : undefined;
  if (!volume) return 'no problem found';
  const isImagined = volume.metadata.name.startsWith('pvc-preflight-');
  if (!isImagined) {
    const capacity = member(volume, 'spec', 'capacity', 'storage');
    return `would bind to pv/${volume.metadata.name}${capacity === undefined ? '' : ` (${String(capacity)})`}`;
  }
  const provisioner = claim.provisioner ?? claim.class.name;
  return `${makerOf(claim.ask, provisioner)} would provision ${claim.request ?? 'a volume'} (StorageClass ${claim.class.name})`;
}

function boundText(world: World, { namespace, name }: ObjectRef): string | undefined {
  const claim = world.get('PersistentVolumeClaim', namespace, name);
  const volume = member(claim, 'spec', 'volumeName');
  return member(claim, 'status', 'phase') === 'Bound' && typeof volume === 'string'
    ? `bound to pv/${volume}`
    : undefined;
}

function countText(parts: readonly Part[]): string {
  const count = (kind: string): number => parts.filter(({ ref }) => ref.kind === kind).length;
  const told = (number: number, noun: string): string[] =>
    number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`];
  const text = [...told(count('PersistentVolumeClaim'), 'claim'), ...told(count('Pod'), 'pod')].join(' and ');
  return `${text}: no problem found`;
}
