import { compareQuantities } from '../../../core/kube/quantity.ts';
import { formatBytesRounded } from '../../../core/kube/rounded-bytes.ts';
import type { Style } from '../../../terminal/theme.ts';
import type { ClaimRow } from '../../../core/report/rows.ts';
import { age, attachedText, driverText, modesText, name, podsText } from '../column.ts';
import type { Column } from '../column.ts';
import { cause, judgedStyle } from './cause.ts';
import { attachedStyle } from './styles.ts';

/** The capacity, with an arrow to the requested size if that is larger. */
function sizeText({ capacity, requested }: ClaimRow): string {
  if (requested === undefined || (capacity !== undefined && compareQuantities(requested, capacity) <= 0))
    return capacity ?? '';
  return `${capacity ?? ''}→${requested}`;
}

const nearlyFullPercent = 90;

/** A source may know the inodes of a volume only. */
function unmeasured(usage: ClaimRow['usage']): string {
  return usage === undefined ? '' : '?';
}

function fullStyle({ usage }: ClaimRow): Style | undefined {
  const percent = Math.max(usage?.bytes?.percent ?? 0, usage?.inodes?.percent ?? 0);
  return percent >= nearlyFullPercent ? 'waiting' : undefined;
}

export const claimColumns: readonly Column<ClaimRow>[] = [
  name,
  { title: 'STATUS', field: 'status', text: ({ status }) => status, style: judgedStyle },
  cause,
  { title: 'VOLUME', field: 'volume', text: ({ volume = '' }) => volume },
  {
    title: 'CAPACITY',
    field: 'capacity',
    text: sizeText,
    sortValue: ({ capacity, requested }) => capacity ?? requested,
  },
  { title: 'MODES', field: 'accessModes', text: ({ accessModes }) => modesText(accessModes) },
  { title: 'CLASS', field: 'storageClass', text: ({ storageClass = '' }) => storageClass },
  { title: 'DRIVER', field: 'driver', text: driverText },
  { title: 'ATTACHED', field: 'attachments', text: attachedText, style: attachedStyle },
  { title: 'PODS', field: 'pods', text: ({ pods }, view) => podsText(pods, view) },
  age,
  {
    title: 'USED',
    field: 'usage',
    isWide: true,
    isMeasured: true,
    text: ({ usage }) => (usage?.bytes ? formatBytesRounded(usage.bytes.used) : unmeasured(usage)),
    sortValue: ({ usage }) => usage?.bytes?.used,
    style: fullStyle,
  },
  {
    title: 'USE%',
    field: 'usage',
    isWide: true,
    isMeasured: true,
    text: ({ usage }) => (usage?.bytes ? `${usage.bytes.percent}%` : unmeasured(usage)),
    sortValue: ({ usage }) => usage?.bytes?.percent,
    style: fullStyle,
  },
  {
    title: 'INODES%',
    field: 'usage',
    isWide: true,
    isMeasured: true,
    text: ({ usage }) => (usage?.inodes ? `${usage.inodes.percent}%` : ''),
    sortValue: ({ usage }) => usage?.inodes?.percent,
  },
  { title: 'MEASUREDBY', field: 'usage', isWide: true, isMeasured: true, text: ({ usage }) => usage?.source ?? '' },
  { title: 'REQUESTED', field: 'requested', isWide: true, text: ({ requested = '' }) => requested },
  { title: 'RECLAIM', field: 'reclaimPolicy', isWide: true, text: ({ reclaimPolicy = '' }) => reclaimPolicy },
  { title: 'VOLUMEMODE', field: 'volumeMode', isWide: true, text: ({ volumeMode }) => volumeMode },
  { title: 'ATTRIBUTES', field: 'attributesClass', isWide: true, text: ({ attributesClass = '' }) => attributesClass },
  { title: 'HANDLE', field: 'volumeHandle', isWide: true, text: ({ volumeHandle = '' }) => volumeHandle },
];
