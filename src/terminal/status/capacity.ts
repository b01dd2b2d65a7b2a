import { bytesOf, formatBytes } from '../../core/kube/quantity.ts';
import type { CapacityStatus, Status } from '../../core/report/status.ts';
import type { Screen } from '../screen.ts';
import { unreadText } from './lists.ts';
import { renderTable } from '../table.ts';

/** With more segments than this, only those that are low are shown, and the others counted. */
const fewSegments = 8;

export function renderCapacity({ capacity, capacityKnown, unread }: Status, screen: Screen): string[] {
  const { paint, glyph } = screen.theme;
  const title = paint('strong', 'free capacity');
  if (capacityKnown === 'none') return [title, `  ${unreadText(unread, 'csistoragecapacities', screen)}`];
  if (capacity.length === 0) return [];
  const tight = capacity.filter(({ level }) => level !== 'enough');
  const shown = screen.wide || capacity.length <= fewSegments ? capacity : tight;
  const left = capacity.length - shown.length;
  const rows = shown.map((entry) => [
    `  ${entry.storageClass}`,
    screen.wide ? entry.segment : shortSegment(entry.segment),
    sizeText(entry.capacity),
    sizeText(entry.largestVolume),
    levelText(entry, screen),
  ]);
  return [
    title,
    ...(rows.length === 0 ? [] : renderTable([['  CLASS', 'WHERE', 'FREE', 'LARGEST', ''], ...rows])),
    ...(left > 0
      ? [
          `  ${rows.length === 0 ? '' : 'and '}${left} ${rows.length === 0 ? 'segments' : 'more'} with enough (-o wide lists them)`,
        ]
      : []),
    ...(capacityKnown === 'some' ? [`  ${paint('unknown', glyph.unknown)} not everything could be read`] : []),
  ];
}

function levelText({ level, why }: CapacityStatus, screen: Screen): string {
  const { paint, glyph } = screen.theme;
  if (level === 'enough') return '';
  return level === 'none'
    ? paint('blocked', `${glyph.blocked} nothing left`)
    : paint('waiting', `${glyph.waiting} low${why === undefined ? '' : `: ${why}`}`);
}

/** `zone=a` for `topology.kubernetes.io/zone=a`. */
function shortSegment(segment: string): string {
  return segment.replaceAll(/[a-z0-9.-]+\/(?=[A-Za-z0-9._-]+(?:=| ))/g, '');
}

/** The quantity as written if that is short, else to a tenth, rounded down. */
export function sizeText(quantity: string | undefined): string {
  if (quantity === undefined) return '-';
  const bytes = bytesOf(quantity);
  const exact = formatBytes(bytes);
  if (exact.length <= 6) return exact;
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
  let at = 0;
  while (at < units.length - 1 && bytes >= 1024n ** BigInt(at + 1)) at += 1;
  const tenths = (bytes * 10n) / 1024n ** BigInt(at);
  return `${tenths / 10n}.${tenths % 10n}${units[at] ?? ''}`;
}
