import { fullInWords } from '../../core/facts/claim/volume-usage.ts';
import type { Status, VolumeFullness } from '../../core/report/status.ts';
import type { Screen } from '../../terminal/screen.ts';
import { hang } from '../../terminal/wrap.ts';
import { count } from '../../terminal/status/lists.ts';

const fewShown = 5;
/** A rate over some hours predicts little beyond a week. */
const longestSeconds = 7 * 24 * 3600;

/** The fullest volumes; without --usage nothing, since nothing is known. */
export function renderUsage({ usage }: Status, screen: Screen): string[] {
  if (!usage) return [];
  const { glyph, paint } = screen.theme;
  const sources =
    usage.sources.length === 0
      ? ''
      : `, by ${usage.sources.slice(0, 3).join(', ')}${usage.sources.length > 3 ? ' and others' : ''}`;
  const gap =
    usage.unmeasured === 0
      ? ''
      : `, ${usage.unmeasured} mounted ${usage.unmeasured === 1 ? 'volume was' : 'volumes were'} not measured`;
  const head = `fullness of ${count(usage.measured, 'volume')}${sources}${gap}`;
  const shown = screen.wide ? usage.fullest : usage.fullest.slice(0, fewShown);
  return [
    ...hang('', head, screen.width, 2),
    ...shown.flatMap((volume) => {
      const style = styleOf(volume);
      return hang(`  ${paint(style, glyph[style])} `, lineOf(volume), screen.width, 4);
    }),
  ];
}

function styleOf({ level }: VolumeFullness): 'blocked' | 'waiting' | 'passed' {
  if (level === 'full') return 'blocked';
  return level === 'near' ? 'waiting' : 'passed';
}

function lineOf({ namespace, claim, level, percent, inodesPercent, used, fullInSeconds }: VolumeFullness): string {
  const words = [
    ...(level === 'full' ? ['full'] : []),
    ...(used === undefined ? [] : [`${used}${percent === undefined ? '' : ` (${percent}%)`}`]),
    ...(inodesPercent === undefined ? [] : [`inodes ${inodesPercent}%`]),
    ...(fullInSeconds === undefined || fullInSeconds > longestSeconds ? [] : [fullInWords(fullInSeconds)]),
  ];
  return `${namespace}/${claim}: ${words.join(', ')}`;
}
