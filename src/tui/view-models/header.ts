import { sanitise } from '../../terminal/sanitise.ts';
import type { Style } from '../../terminal/theme.ts';
import type { Frame, Freshness } from '../ports.ts';
import type { State } from '../state/state.ts';
import { isTroubled } from './division.ts';

/** A word and the style in which it is drawn. */
export interface Word {
  readonly text: string;
  readonly style?: Style;
  readonly glyph?: 'blocked' | 'passed' | 'unknown';
}

/** Which cluster, which namespace, how fresh, and how bad. */
export interface HeaderModel {
  readonly context: string;
  /** Absent until something is known of the cluster. */
  readonly known?: {
    readonly namespace: string;
    readonly freshness: Word;
    readonly counts: readonly Word[];
  };
}

export function headerOf({ frame, place }: State): HeaderModel {
  if (frame === undefined) return { context: sanitise(place.context ?? '') };
  const { context, namespace, freshness } = frame;
  return {
    context: sanitise(context),
    known: {
      namespace: namespace === undefined ? 'all namespaces' : `namespace ${sanitise(namespace)}`,
      freshness: freshnessWord(freshness),
      counts: countsOf(frame),
    },
  };
}

function countsOf({ report }: Frame): Word[] {
  const { blocked, unknown, waiting } = report.summary;
  const words: Word[] = [
    blocked > 0
      ? { text: `${blocked} stuck`, style: 'blocked', glyph: 'blocked' }
      : { text: 'none stuck', style: 'passed', glyph: 'passed' },
  ];
  if (unknown > 0) words.push({ text: `${unknown} unknown`, style: 'unknown', glyph: 'unknown' });
  if (waiting > 0) words.push({ text: `${waiting} waiting` });
  return words;
}

function freshnessWord({ state, since }: Freshness): Word {
  switch (state) {
    case 'live':
      return { text: 'live', style: 'passed' };
    case 'dump':
      return { text: `dump as of ${toSeconds(since)}` };
    case 'stale':
      return { text: 'STALE', style: 'blocked' };
    case 'connecting':
      return { text: 'connecting', style: 'waiting' };
  }
}

/** What is wrong with what is shown, or why nothing is shown. */
export function troubleOf(state: State): string | undefined {
  if (!isTroubled(state)) return undefined;
  const { failure, frame } = state;
  if (frame?.freshness.state !== 'stale') return ` ${sanitise(failure ?? '')}`;
  const reason = failure ?? frame.freshness.reason;
  return ` STALE since ${toSeconds(frame.freshness.since)}${reason === undefined ? '' : `: ${sanitise(reason)}`}`;
}

function toSeconds(time: string): string {
  return sanitise(time).replace(/\.\d+/, '');
}
