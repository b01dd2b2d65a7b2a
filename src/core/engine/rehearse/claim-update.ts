import type { Claim } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Objection } from '../../report/preflight.ts';
import type { Evidence } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, valueText } from '../../facts/evidence.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import type { Change } from './changes.ts';

type Refused = Objection | undefined;

/** Why ValidatePersistentVolumeClaimUpdate or the admission plugin PersistentVolumeClaimResize would refuse a change. */
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
  const isFilledIn =
    (path === 'spec.storageClassName' && from === undefined) ||
    (path === 'spec.volumeName' && (from === undefined || from === ''));
  if ((isFilledIn && to !== undefined) || path.startsWith('spec.resources.limits')) return undefined;
  return path.startsWith('spec.') ? immutable(claim, change) : undefined;
}

function immutable(claim: Claim, { path, from, to }: Change): Objection {
  return {
    cause: 'field-immutable',
    stage: 'claim',
    confidence: 'certain',
    summary: `pvc/${claim.metadata.name} exists, and ${path.replace(/^spec\./, '')} of a claim cannot be changed: it is ${valueText(from)}, and the manifest says ${valueText(to)}`,
    evidence: [field(claim, path, valueText(from)), field(claim, path, `${valueText(to)} in the manifest`)],
    fix: [fix('write what is there into the manifest, or make a new claim under another name and move the data')],
  };
}

function refusedSize(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const current = claim.spec?.resources?.requests?.['storage'];
  if (compareQuantities(wanted, current) < 0) return refusedShrink(claim, wanted, ask);
  if (claim.status?.phase !== 'Bound')
    return sizeRefusal(claim, wanted, {
      cause: 'resize-denied-unbound',
      summary: `pvc/${claim.metadata.name} is not bound yet, and only a bound claim can grow`,
      fix: 'apply the new size once the claim is bound, or delete it and make it again',
    });
  return refusedByClass(claim, wanted, ask);
}

/** RecoverVolumeExpansionFailure: since 1.32 an unfinished expansion may be reduced, though not below the capacity. */
function refusedShrink(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const capacity = claim.status?.capacity?.['storage'];
  const canRecover = atLeast(ask.graph.serverVersion, 1, 32) === true;
  if (canRecover && capacity !== undefined && compareQuantities(wanted, capacity) > 0) return undefined;
  return sizeRefusal(claim, wanted, {
    cause: 'resize-denied-shrink',
    summary: `pvc/${claim.metadata.name} asks for ${claim.spec?.resources?.requests?.['storage'] ?? 'more'} already, and a claim cannot shrink to ${wanted}`,
    fix: 'write the present size into the manifest, or copy the data to a new, smaller claim',
  });
}

function refusedByClass(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const className = resolveClass(claim).name;
  const growth = `pvc/${claim.metadata.name} would grow from ${claim.spec?.resources?.requests?.['storage'] ?? 'its size'} to ${wanted}`;
  const lookup =
    className === ''
      ? undefined
      : ask.get('StorageClass', undefined, className, `whether class ${className} lets volumes grow`);
  if (!lookup || lookup.state === 'missing')
    return sizeRefusal(claim, wanted, {
      cause: 'resize-denied-class',
      summary: `${growth}, and it has no class that would allow that`,
      fix: 'write the present size into the manifest, or copy the data to a new claim',
    });
  if (lookup.state === 'unknown' || lookup.object.allowVolumeExpansion === true) return undefined;
  return sizeRefusal(claim, wanted, {
    cause: 'resize-denied-class',
    summary: `${growth}, and class ${className} does not allow that`,
    fix: 'set allowVolumeExpansion: true on the class, if its driver can grow volumes',
    evidence: [field(lookup.object, 'allowVolumeExpansion')],
  });
}

interface SizeRefusal {
  readonly cause: string;
  readonly summary: string;
  readonly fix: string;
  /** In addition to the two sizes. */
  readonly evidence?: readonly Evidence[];
}

function sizeRefusal(
  claim: Claim,
  wanted: string,
  { cause, summary, fix: text, evidence = [] }: SizeRefusal,
): Objection {
  const path = 'spec.resources.requests.storage';
  return {
    cause,
    stage: 'expand',
    confidence: 'certain',
    summary,
    evidence: [
      field(claim, path, claim.spec?.resources?.requests?.['storage'] ?? 'not set'),
      field(claim, path, `${wanted} in the manifest`),
      ...evidence,
    ],
    fix: [fix(text)],
  };
}

function refusedAttributes(claim: Claim, wanted: Claim, change: Change): Refused {
  if (claim.status?.phase !== 'Bound') return change.from === undefined ? undefined : immutable(claim, change);
  if (wanted.spec?.volumeAttributesClassName) return undefined;
  return {
    cause: 'modify-clear-forbidden',
    stage: 'modify',
    confidence: 'certain',
    summary: `pvc/${claim.metadata.name} has attributes class ${valueText(change.from)}, which can be changed and not taken away`,
    evidence: [field(claim, 'spec.volumeAttributesClassName', valueText(change.from))],
    fix: [fix('name another attributes class, or leave the one that is there')],
  };
}
