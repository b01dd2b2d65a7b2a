import type { Claim, StorageClass } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Objection } from '../../report/preflight.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix } from '../../facts/evidence.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { textOf } from './changes.ts';
import type { Change } from './changes.ts';

type Refused = Objection | undefined;

/** What ValidatePersistentVolumeClaimUpdate and the PersistentVolumeClaimResize admission say to a changed claim. */
export function refusedUpdate(claim: Claim, wanted: Claim, changes: readonly Change[], ask: Inquiry): Refused {
  for (const change of changes) {
    const refused = refusedChange(claim, wanted, change, ask);
    if (refused) return refused;
  }
  return undefined;
}

function refusedChange(claim: Claim, wanted: Claim, change: Change, ask: Inquiry): Refused {
  const { path, from, to } = change;
  if (path === 'spec.resources.requests.storage') return refusedSize(claim, String(to), ask);
  if (path === 'spec.volumeAttributesClassName') return refusedAttributes(claim, wanted, change);
  // A class or a volume may be filled in where there was none.
  if (
    (path === 'spec.storageClassName' || path === 'spec.volumeName') &&
    (from === undefined || from === '') &&
    to !== undefined
  )
    return path === 'spec.storageClassName' && from === '' ? immutable(claim, change) : undefined;
  if (path.startsWith('spec.resources.limits')) return undefined;
  return path.startsWith('spec.') ? immutable(claim, change) : undefined;
}

function immutable(claim: Claim, { path, from, to }: Change): Objection {
  return {
    cause: 'field-immutable',
    stage: 'claim',
    confidence: 'certain',
    summary: `pvc/${claim.metadata.name} exists, and ${path.replace(/^spec\./, '')} of a claim cannot be changed: it is ${textOf(from)}, and the manifest says ${textOf(to)}`,
    evidence: [field(claim, path, textOf(from)), field(claim, path, `${textOf(to)} in the manifest`)],
    fix: [fix('write what is there into the manifest, or make a new claim under another name and move the data')],
  };
}

function refusedSize(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const current = claim.spec?.resources?.requests?.['storage'];
  const evidence = [
    field(claim, 'spec.resources.requests.storage', current ?? 'not set'),
    field(claim, 'spec.resources.requests.storage', `${wanted} in the manifest`),
  ];
  const refusal = (cause: string, summary: string, text: string, more: Objection['evidence'] = []): Objection => ({
    cause,
    stage: 'expand',
    confidence: 'certain',
    summary,
    evidence: [...evidence, ...more],
    fix: [fix(text)],
  });
  const { name } = claim.metadata;
  if (compareQuantities(wanted, current) < 0) {
    const capacity = claim.status?.capacity?.['storage'];
    // A growth that does not come to its end may be taken back (RecoverVolumeExpansionFailure), though not below what is there.
    if (
      atLeast(ask.graph.serverVersion, 1, 32) === true &&
      capacity !== undefined &&
      compareQuantities(wanted, capacity) > 0
    )
      return undefined;
    return refusal(
      'resize-denied-shrink',
      `pvc/${name} asks for ${current ?? 'more'} already, and a claim cannot shrink to ${wanted}`,
      'write the present size into the manifest, or copy the data to a new, smaller claim',
    );
  }
  if (claim.status?.phase !== 'Bound')
    return refusal(
      'resize-denied-unbound',
      `pvc/${name} is not bound yet, and only a bound claim can grow`,
      'apply the new size once the claim is bound, or delete it and make it again',
    );
  const className = resolveClass(claim).name;
  const storageClass =
    className === ''
      ? undefined
      : ask.get('StorageClass', undefined, className, `whether class ${className} lets volumes grow`);
  if (storageClass?.state === 'found' && storageClass.object.allowVolumeExpansion !== true)
    return refusal(
      'resize-denied-class',
      `pvc/${name} would grow from ${current ?? 'its size'} to ${wanted}, and class ${className} does not allow that`,
      'set allowVolumeExpansion: true on the class, if its driver can grow volumes',
      [field(storageClass.object as StorageClass, 'allowVolumeExpansion')],
    );
  if (className === '' || storageClass?.state === 'missing')
    return refusal(
      'resize-denied-class',
      `pvc/${name} would grow from ${current ?? 'its size'} to ${wanted}, and it has no class that would allow that`,
      'write the present size into the manifest, or copy the data to a new claim',
    );
  return undefined;
}

function refusedAttributes(claim: Claim, wanted: Claim, change: Change): Refused {
  if (claim.status?.phase !== 'Bound') return change.from === undefined ? undefined : immutable(claim, change);
  if (wanted.spec?.volumeAttributesClassName) return undefined;
  return {
    cause: 'modify-clear-forbidden',
    stage: 'modify',
    confidence: 'certain',
    summary: `pvc/${claim.metadata.name} has attributes class ${textOf(change.from)}, which can be changed and not taken away`,
    evidence: [field(claim, 'spec.volumeAttributesClassName', textOf(change.from))],
    fix: [fix('name another attributes class, or leave the one that is there')],
  };
}
