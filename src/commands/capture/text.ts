import type { CaptureSummary, Redaction } from '../../core/report/capture.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { rightsHint } from '../../terminal/verdict/unread.ts';
import { hang } from '../../terminal/wrap.ts';

interface CaptureLook {
  readonly width: number;
  /** Nothing is written, and every redaction is listed. */
  readonly isDryRun: boolean;
}

/** What a capture holds and what it does not, to be read before it is passed on. */
export function renderCapture(summary: CaptureSummary, look: CaptureLook): string {
  const { counts, unread, redactions } = summary;
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const target = summary.file === undefined ? 'standard output' : sanitise(summary.file);
  const size = sizeText(summary.bytes);
  const line = (text: string): string[] => hang('', text, look.width, 2);
  return [
    // Never wrapped, so that it can be copied.
    `${look.isDryRun ? 'would write' : 'wrote'} ${target}, ${size}`,
    ...line(
      `${total} ${total === 1 ? 'object' : 'objects'} of ${sanitise(summary.source)}, ` +
        `${sanitise(summary.scope)}${total === 0 ? '' : `: ${countsText(counts)}`}`,
    ),
    ...(summary.logs === undefined ? [] : line(logsText(summary.logs))),
    ...unreadLines(unread, look.width),
    ...line(
      redactions.length === 0
        ? 'nothing to redact'
        : `redacted ${redactions.length === 1 ? '1 text' : `${redactions.length} texts`}: ` +
            `${redactionsText(redactions)}${look.isDryRun ? '' : ' (--dry-run lists them)'}`,
    ),
    ...(look.isDryRun
      ? redactions.flatMap(({ object, path }) => hang('  ', sanitise(`${object}  ${path}`), look.width, 4))
      : []),
    ...detectionLines(summary.detections ?? [], look.width),
    ...(summary.isAnonymous ? line('names, addresses and ids are replaced; driver names are kept') : []),
  ].join('\n');
}

/** Each place is listed, not only in a dry run: a rule of the redaction missed it. */
function detectionLines(detections: NonNullable<CaptureSummary['detections']>, width: number): string[] {
  if (detections.length === 0) return [];
  const count = detections.length === 1 ? '1 more text that looks' : `${detections.length} more texts that look`;
  return [
    ...hang('! ', `a second scan found and redacted ${count} like a credential:`, width, 4),
    ...detections
      .slice(0, mostPlaces)
      .flatMap(({ object, path, form }) => hang('  ', sanitise(`${object}  ${path} (${form})`), width, 4)),
    ...(detections.length > mostPlaces ? [`  and ${detections.length - mostPlaces} more`] : []),
  ];
}

const mostPlaces = 20;

/** Kinds that were refused for the same reason in the same namespace share a line. */
function unreadLines(unread: CaptureSummary['unread'], width: number): string[] {
  const groups = Map.groupBy(
    unread,
    ({ namespace, reason }) => `${reason}${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
  );
  const lines = [...groups].flatMap(([why, group]) =>
    hang('? ', `could not read ${group.map(({ resource }) => resource).join(', ')} (${sanitise(why)})`, width, 4),
  );
  return unread.some(({ reason }) => reason === 'forbidden') ? [...lines, ...hang('  ', rightsHint([]), width)] : lines;
}

function countsText(counts: CaptureSummary['counts']): string {
  return counts
    .map(
      ({ kind, count }) =>
        `${count} ${count === 1 ? (resourceOf(kind as Kind).aliases[0] ?? kind.toLowerCase()) : resourceOf(kind as Kind).name}`,
    )
    .join(', ');
}

function logsText({ count, lines }: NonNullable<CaptureSummary['logs']>): string {
  return `${count === 1 ? '1 log' : `${count} logs`} with ${lines === 1 ? '1 line' : `${lines} lines`}`;
}

function redactionsText(redactions: readonly Redaction[]): string {
  return [...Map.groupBy(redactions, ({ what }) => what)]
    .map(([what, list]) => `${list.length} ${list.length === 1 ? what : `${what}s`}`)
    .join(', ');
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
