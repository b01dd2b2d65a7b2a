import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { sizeChange } from '../lib/remake-claim.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { namedLimit } from '../provision/named-limit.ts';
import { versionOf } from '../provision/in-tree.ts';
import { volumeOf } from './expansion.ts';
import { stopAndStart } from './pod-restart.ts';
import { meantSize } from './unit-slip.ts';

/** Since 1.32 (KEP-1790) an unfinished growth can be reduced, as long as the request stays above the capacity. */
export function lowerRequest(c: PresentClaim, driverText: string): Fix {
  if (atLeast(versionOf(c.ask), 1, 32) === false) return rebindAtOldSize(c);
  const limit = largestOffered(c, driverText);
  const capacity = capacityOf(c) ?? 'status.capacity';
  return limit === undefined
    ? steps(
        'Lower the request to a size that the driver can give. ' +
          `PLACEHOLDER_SIZE is more than ${capacity} and less than ${c.request ?? 'the present request'}. ` +
          'The resizer tries the new size at once. What is granted cannot shrink later.',
        [sizeCommand(c, 'PLACEHOLDER_SIZE')],
      )
    : steps(
        `Lower the request to what you need: more than ${capacity}, at most ${limit}, which is the maximum the ` +
          'driver names. The resizer tries the new size at once. What is granted cannot shrink later.',
        [sizeCommand(c, limit)],
      );
}

/** A request that looks like a slip of the unit, put right; on a server that lets a request be lowered. */
export function correctUnit(c: PresentClaim): Fix[] {
  const meant = meantSize(c);
  if (meant === undefined || atLeast(versionOf(c.ask), 1, 32) === false) return [];
  return [
    steps(
      `If ${meant} was meant, lower the request: that is possible while it stays above ${capacityOf(c) ?? 'the present size'} (Kubernetes 1.32 and later). The resizer tries the new size at once.`,
      [sizeCommand(c, meant)],
    ),
  ];
}

/** Whether the driver names a size that is possible and more than the volume has. */
export function namesLimit(c: PresentClaim, driverText: string): boolean {
  return largestOffered(c, driverText) !== undefined;
}

function sizeCommand({ claim }: PresentClaim, size: string): string {
  return patchCommand(claim, sizeChange(size));
}

function capacityOf({ claim }: PresentClaim): string | undefined {
  return claim.status?.capacity?.['storage'];
}

/**
 * Servers before 1.32 refuse a smaller request. The volume stays, and a claim of the old size is bound to it again:
 * Retain keeps the data while the claim is gone, and a claimRef without uid accepts the new claim of the same name.
 */
function rebindAtOldSize(c: PresentClaim): Fix {
  const size = capacityOf(c) ?? 'PLACEHOLDER_SIZE';
  const volume = volumeOf(c);
  const name = c.volumeName;
  const target = volume ?? ({ kind: 'PersistentVolume', metadata: { name } } as const);
  const policy = volume?.spec?.persistentVolumeReclaimPolicy ?? 'PLACEHOLDER_POLICY';
  const { stop, start, words } = stopAndStart(c);
  const [save, remove, create] = recreateCommands(c.claim, sizeChange(size));
  const isKept = policy === 'Retain';
  return steps(
    'Bind the volume to a claim of the old size again: this server cannot reduce a request (1.32 and later ' +
      'can). Retain keeps the data while the claim is ' +
      `replaced.${words === '' ? '' : ` ${words}`}${policy === 'PLACEHOLDER_POLICY' ? ' PLACEHOLDER_POLICY is the present policy of the volume.' : ''}`,
    [
      ...(isKept ? [] : [patchCommand(target, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })]),
      save,
      ...stop,
      remove,
      patchCommand(target, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
      create,
      ...start,
      ...(isKept ? [] : [patchCommand(target, { spec: { persistentVolumeReclaimPolicy: policy } })]),
    ],
    'disruptive',
  );
}

/** The maximum that the driver names, if it is more than the volume has. */
function largestOffered(c: PresentClaim, driverText: string): string | undefined {
  const named = namedLimit(c.request, driverText);
  const least = bytesOf(capacityOf(c));
  const bytes = named?.kind === 'most' ? named.bytes : largestNumber(c, driverText);
  return bytes !== undefined && bytes > least ? formatBytes(bytes) : undefined;
}

/** Without a word for the limit: the largest number of bytes between the capacity and the request. */
function largestNumber(c: PresentClaim, driverText: string): bigint | undefined {
  const least = bytesOf(capacityOf(c));
  const most = bytesOf(c.request);
  return [...driverText.matchAll(/\b\d{8,18}\b/g)]
    .map(([digits]) => BigInt(digits))
    .filter((bytes) => bytes > least && bytes < most)
    .reduce<bigint | undefined>((best, bytes) => (best === undefined || bytes > best ? bytes : best), undefined);
}
