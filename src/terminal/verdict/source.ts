import type { Report } from '../../core/report/report.ts';
import type { Screen } from '../screen.ts';
import { hang } from '../wrap.ts';

/** From which file an answer comes, and of which time it is; of a cluster neither needs to be said. */
export function renderSource({ source, takenAt }: Pick<Report, 'source' | 'takenAt'>, screen: Screen): string[] {
  if (source.type === 'cluster') return [];
  return hang(
    '',
    `read from ${source.type === 'capture' ? 'the capture ' : ''}${source.name}, as of ${secondText(takenAt)}`,
    screen.width,
  ).map((line) => screen.theme.paint('faint', line));
}

/** A time as people read it: nobody needs its milliseconds. */
export function secondText(moment: string): string {
  return moment.replace(/\.\d+(?=Z|[+-]|$)/, '');
}
