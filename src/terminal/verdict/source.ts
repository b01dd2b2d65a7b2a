import type { Source } from '../../core/kube/snapshot.ts';
import type { Screen } from '../screen.ts';
import { hang } from '../wrap.ts';

/** From which file an answer comes, and when it was taken; a cluster needs neither. */
export function renderSource(
  { source, takenAt }: { readonly source: Source; readonly takenAt: string },
  screen: Screen,
): string[] {
  // Each of several dumps has a time of its own.
  if (source.type === 'cluster' || source.contexts !== undefined) return [];
  const file = `${source.type === 'capture' ? 'the capture ' : ''}${source.name}`;
  return hang('', `read from ${file}, as of ${secondText(takenAt)}`, screen.width).map((line) =>
    screen.theme.paint('faint', line),
  );
}

const nouns: Readonly<Record<Source['type'], string>> = { cluster: 'cluster', capture: 'capture', files: 'dump' };

/** `cluster prod, Kubernetes v1.33.2, 2026-01-01T12:00:00Z`: what a whole screen is about. */
export function renderSourceHeader(
  {
    source,
    serverVersion,
    takenAt,
    namespace,
  }: {
    readonly source: Source;
    readonly serverVersion?: string;
    readonly takenAt: string;
    readonly namespace?: string;
  },
  screen: Screen,
): string[] {
  const place = source.contexts === undefined ? `${nouns[source.type]} ${source.name}` : source.name;
  const parts = [
    namespace === undefined ? place : `namespace ${namespace} of ${place}`,
    ...(serverVersion === undefined ? [] : [`Kubernetes ${serverVersion}`]),
    `${source.type === 'cluster' ? '' : 'as of '}${secondText(takenAt)}`,
  ];
  return hang('', parts.join(', '), screen.width, 2).map((line) => screen.theme.paint('strong', line));
}

/** A time without its milliseconds. */
function secondText(moment: string): string {
  return moment.replace(/\.\d+(?=Z|[+-]|$)/, '');
}
