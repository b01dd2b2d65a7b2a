import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { isExpanding } from '../../journey/claim-growth.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import { keeperNote } from './managed-by.ts';
import { patchCommand, steps } from './steps.ts';

const mebibyte = 1024n * 1024n;
const gibibyte = 1024n * mebibyte;

/** Half as much again, in whole gibibytes, or mebibytes below one: enough to work on, and volumes never shrink. */
function largerSize(c: PresentClaim): string | undefined {
  const request = bytesOf(c.request);
  const capacity = bytesOf(c.claim.status?.capacity?.['storage']);
  const size = request > capacity ? request : capacity;
  if (size <= 0n) return undefined;
  const unit = size < gibibyte ? mebibyte : gibibyte;
  const wanted = size + size / 2n;
  return formatBytes(((wanted + unit - 1n) / unit) * unit);
}

/**
 * What makes room in a volume that is, or soon will be, full: the exact patch where its class lets it grow. The best
 * first.
 */
export function growFixes(c: PresentClaim, free: Fix, of: 'bytes' | 'inodes' = 'bytes'): Fix[] {
  const [first, ...rest] = roomFixes(c, free, of);
  return first === undefined ? [] : [first, ...rest.map((fix) => (fix === free ? asAlternative(free) : fix))];
}

function asAlternative({ text, ...fix }: Fix): Fix {
  return { ...fix, text: `Or ${text.charAt(0).toLowerCase()}${text.slice(1)}` };
}

function roomFixes(c: PresentClaim, free: Fix, of: 'bytes' | 'inodes'): Fix[] {
  if (isExpanding(c))
    return [
      steps(
        `The claim already asks for ${c.request ?? 'more'}, and the volume has not grown yet. See why, and fix that.`,
        [`kubectl csi why pvc/${shellWord(c.name)} -n ${shellWord(c.namespace)}`],
      ),
      free,
    ];
  const size = largerSize(c);
  const grow =
    size === undefined ? undefined : patchCommand(c.claim, { spec: { resources: { requests: { storage: size } } } });
  if (size === undefined || grow === undefined) return [free];
  const { storageClassObject: object, storageClass } = c;
  const note = `${inodeNote(of)} A volume cannot shrink again.${keeperNote(c.claim)}`;
  if (object?.allowVolumeExpansion === true)
    return [
      steps(
        `Grow the claim from ${c.request ?? 'its size'} to ${size}. ` +
          `Its class allows that, and most drivers grow a volume while it is in use.${note}`,
        [grow],
      ),
      free,
    ];
  if (storageClass?.state === 'unknown')
    return [
      free,
      steps(`If its class allows growth (it could not be read), grow the claim to ${size}.${note}`, [grow]),
    ];
  return [
    free,
    steps(
      object
        ? `StorageClass "${object.metadata.name}" does not allow growth. ` +
            `If its driver can grow volumes, allow it, and grow the claim to ${size}; ` +
            `otherwise copy the data into a larger claim.${note}`
        : `The volume cannot be grown: the claim has no class that allows it. Copy the data into a claim of at least ${size}.`,
      object ? [patchCommand(object, { allowVolumeExpansion: true }), grow] : [],
    ),
  ];
}

/** mke2fs gives a file system its inodes by its size; XFS makes them as long as there is space. */
function inodeNote(of: 'bytes' | 'inodes'): string {
  return of === 'inodes' ? ' An ext4 file system gets more inodes as it grows.' : '';
}
