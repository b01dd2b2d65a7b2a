import type { Claim } from '../../kube/kinds.ts';
import { addQuantities, bytesOf, compareQuantities, formatBytes } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Objection } from '../../report/preflight.ts';
import type { Evidence } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, valueText } from '../../facts/evidence.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { excessOf } from '../../causes/claim/quota-room.ts';
import { patchCommand } from '../../causes/lib/steps.ts';
import type { Change } from './changes.ts';

type Refused = Objection | undefined;

/**
 * Why ValidatePersistentVolumeClaimUpdate or the admission plugin PersistentVolumeClaimResize would refuse a change.
 */
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
    summary:
      `pvc/${claim.metadata.name} exists, and the ${path.replace(/^spec\./, '')} of a claim cannot be changed: ` +
      `it is ${valueText(from)}, and the manifest says ${valueText(to)}.`,
    evidence: [field(claim, path, valueText(from)), field(claim, path, `${valueText(to)} in the manifest`)],
    fix: [fix('Write the present value into the manifest, or create a claim under another name and move the data.')],
  };
}

function refusedSize(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const current = claim.spec?.resources?.requests?.['storage'];
  if (compareQuantities(wanted, current) < 0) return refusedShrink(claim, wanted, ask);
  if (claim.status?.phase !== 'Bound')
    return sizeRefusal(claim, wanted, {
      cause: 'resize-denied-unbound',
      summary: `pvc/${claim.metadata.name} is not bound yet, and only a bound claim can grow.`,
      fix: 'Apply the new size once the claim is bound, or delete the claim and create it with the new size: it holds no data.',
    });
  return refusedByClass(claim, wanted, ask) ?? refusedByQuota(claim, wanted, ask);
}

/** RecoverVolumeExpansionFailure: since 1.32 an unfinished expansion may be reduced, though not below the capacity. */
function refusedShrink(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const capacity = claim.status?.capacity?.['storage'];
  const canRecover = atLeast(ask.graph.serverVersion, 1, 32) === true;
  if (canRecover && capacity !== undefined && compareQuantities(wanted, capacity) > 0) return undefined;
  return sizeRefusal(claim, wanted, {
    cause: 'resize-denied-shrink',
    summary:
      `pvc/${claim.metadata.name} asks for ${claim.spec?.resources?.requests?.['storage'] ?? 'more'} already, ` +
      `and a claim cannot shrink to ${wanted}.`,
    fix: 'Write the present size into the manifest, or copy the data to a new, smaller claim.',
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
      summary: `${growth}, but it has no class that allows growth.`,
      fix: 'Write the present size into the manifest, or copy the data to a new claim.',
    });
  if (lookup.state === 'unknown' || lookup.object.allowVolumeExpansion === true) return undefined;
  return sizeRefusal(claim, wanted, {
    cause: 'resize-denied-class',
    summary: `${growth}, but StorageClass "${className}" does not allow growth.`,
    fix: 'Allow growth in the class, if its driver can grow volumes.',
    command: patchCommand(lookup.object, { allowVolumeExpansion: true }),
    evidence: [field(lookup.object, 'allowVolumeExpansion')],
  });
}

/**
 * Quota counts the larger of the request and of what was already allocated for it (persistent_volume_claims.go, Usage):
 * the difference must fit.
 */
function refusedByQuota(claim: Claim, wanted: string, ask: Inquiry): Refused {
  const { namespace = '', name } = claim.metadata;
  const counted = [claim.spec?.resources?.requests?.['storage'], claim.status?.allocatedResources?.['storage']];
  const growth = counted.reduce((left, size) => {
    const rest = bytesOf(wanted) - bytesOf(size);
    return rest < left ? rest : left;
  }, bytesOf(wanted));
  if (growth <= 0n) return undefined;
  const taken = {
    request: formatBytes(growth),
    className: resolveClass(claim).name || undefined,
    attributesClass: claim.spec?.volumeAttributesClassName,
  };
  const excess = ask
    .list('ResourceQuota', namespace, `whether a quota lets pvc/${name} grow`)
    .items.flatMap((quota) => excessOf(quota, taken))
    .find(({ key }) => key.endsWith('requests.storage'));
  if (!excess) return undefined;
  const { quota, key, requested, used, hard } = excess;
  return sizeRefusal(claim, wanted, {
    cause: 'resize-denied-quota',
    summary:
      `pvc/${name} would need ${requested} more of ${key}, and ResourceQuota "${quota.metadata.name}" has ` +
      `${used} of ${hard} in use.`,
    fix:
      `Raise the quota to at least ${addQuantities(used, requested)}; its owner decides. ` +
      `Otherwise request at most ${largestWithin(claim, used, hard)}.`,
    command: patchCommand(quota, { spec: { hard: { [key]: addQuantities(used, requested) } } }),
    evidence: [field(quota, `status.used[${key}]`, `${used} of ${hard}`)],
  });
}

/** The present size and what the quota has left. */
function largestWithin(claim: Claim, used: string, hard: string): string {
  const left = bytesOf(hard) - bytesOf(used);
  return formatBytes(bytesOf(claim.spec?.resources?.requests?.['storage']) + (left > 0n ? left : 0n));
}

interface SizeRefusal {
  readonly cause: string;
  readonly summary: string;
  readonly fix: string;
  readonly command?: string;
  /** In addition to the two sizes. */
  readonly evidence?: readonly Evidence[];
}

function sizeRefusal(
  claim: Claim,
  wanted: string,
  { cause, summary, fix: text, command, evidence = [] }: SizeRefusal,
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
    fix: [fix(text, command)],
  };
}

function refusedAttributes(claim: Claim, wanted: Claim, change: Change): Refused {
  if (claim.status?.phase !== 'Bound') return change.from === undefined ? undefined : immutable(claim, change);
  if (wanted.spec?.volumeAttributesClassName) return undefined;
  return {
    cause: 'modify-clear-forbidden',
    stage: 'modify',
    confidence: 'certain',
    summary:
      `pvc/${claim.metadata.name} has VolumeAttributesClass ${valueText(change.from)}. ` +
      'It can be replaced by another, but not removed.',
    evidence: [field(claim, 'spec.volumeAttributesClassName', valueText(change.from))],
    fix: [fix('Name another attributes class, or keep the present one.')],
  };
}
