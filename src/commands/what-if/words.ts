import type { EffectKind, WhatIfReport, WhatIfVerdict } from '../../core/report/what-if.ts';

export const effectWords: Readonly<Record<EffectKind, string>> = {
  refused: 'Refused',
  'cannot-start': 'Could not start',
  'cannot-restart': 'Could not start again',
  stuck: 'Would get stuck',
  broken: 'Would break',
  'data-deleted': 'Data deleted',
  stops: 'Would stop',
  orphaned: 'Left over',
  waits: 'Would wait',
  moves: 'Would move',
  deleted: 'Deleted',
  repaired: 'Would be repaired',
  changes: 'Would change',
};

export const verdictWords: Readonly<Record<WhatIfVerdict, string>> = {
  breaks: 'something would break',
  safe: 'nothing would break, as far as objects show',
  unknown: 'cannot tell',
};

/** `Something would break. 2 pods could not start, 14 pods would move.` */
export function summaryWords({ verdict, summary, unread, effects }: WhatIfReport): string {
  const parts = [
    told(summary.notStarting, 'pod could not start', 'pods could not start'),
    told(summary.moving, 'pod would move', 'pods would move'),
    told(summary.claimsDeleted, 'claim deleted', 'claims deleted'),
    told(summary.volumesDeleted, 'volume deleted with its data', 'volumes deleted with their data'),
    told(summary.volumesOrphaned, 'volume left over', 'volumes left over'),
    told(summary.snapshotsDeleted, 'snapshot deleted', 'snapshots deleted'),
  ].filter((part) => part !== undefined);
  const verdictText = verdictWords[verdict];
  const sentence = `${verdictText.charAt(0).toUpperCase()}${verdictText.slice(1)}`;
  const why =
    verdict === 'unknown'
      ? unknownWords(
          unread.length,
          effects.some(({ confidence, severity }) => confidence === 'possible' && severity === 'breaks'),
        )
      : '';
  return `${sentence}${why}.${parts.length > 0 ? ` ${parts.join(', ')}.` : ''}`;
}

function unknownWords(unread: number, isPossible: boolean): string {
  const reasons = [
    ...(unread > 0 ? ['not everything that decides could be read'] : []),
    ...(isPossible ? ['something may break'] : []),
  ];
  return ` (${reasons.join(', ')})`;
}

function told(number: number, one: string, many: string): string | undefined {
  return number === 0 ? undefined : `${number} ${number === 1 ? one : many}`;
}
