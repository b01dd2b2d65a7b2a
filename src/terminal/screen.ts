import { contextFlag } from '../core/kube/context-flag.ts';
import type { Source } from '../core/kube/snapshot.ts';
import { ageText, parseTime } from '../core/kube/time.ts';
import { createTheme } from './theme.ts';
import type { Theme } from './theme.ts';
import { usableWidth } from './wrap.ts';

/** ` --context prod`, ` --from prod.tgz`, or nothing. */
export type EndOf = (context?: string) => string;

export const usualEnd: EndOf = (context) => (context === undefined ? '' : ` ${contextFlag(context)}`);

export interface TextOptions {
  /** Columns of the terminal; at least 40 are used. */
  readonly width: number;
  readonly colour: boolean;
  /** Draw with ASCII only. */
  readonly ascii?: boolean;
  /** Show everything: all findings, all evidence, all objects, uids. */
  readonly wide?: boolean;
  /** Show every cause in full, even if there are many. */
  readonly details?: boolean;
  /** The targets were named, so each of them is reported, healthy or not. */
  readonly named?: boolean;
  /** Where the command searched, such as `namespace shop`; by default the namespace of the targets. */
  readonly scope?: string;
  /**
   * What is appended to a command that is not part of the document, so that it asks the same cluster, or this one of
   * several.
   */
  readonly endOf?: EndOf;
  /** Where the rest is, for a cluster that cannot be asked again. */
  readonly hint?: Hint;
}

/** A sentence and the command that it announces. */
export interface Hint {
  readonly text: string;
  readonly command: string;
}

/** What every part of a text report is rendered with. */
export interface Screen {
  readonly theme: Theme;
  readonly width: number;
  readonly wide: boolean;
  readonly endOf: EndOf;
  readonly hint?: Hint;
  /**
   * The age of a moment at the time of the report; undefined if either is not a time, or the moment is in the future.
   */
  readonly age: (moment: string | undefined) => string | undefined;
  /** When each of several clusters was read: dumps of them were taken at different times. */
  readonly clocks?: ReadonlyMap<string, string>;
}

export function createScreen(takenAt: string, options: TextOptions, source?: Source): Screen {
  const clocks = source?.contexts?.flatMap(({ name, takenAt: own }): [string, string][] => (own ? [[name, own]] : []));
  return {
    theme: createTheme(options),
    width: usableWidth(options.width),
    wide: options.wide === true,
    endOf: options.endOf ?? usualEnd,
    ...(options.hint && { hint: options.hint }),
    age: agesAt(takenAt),
    ...(clocks && { clocks: new Map(clocks) }),
  };
}

/** The same screen with the clock of one of several clusters. */
export function screenAt(screen: Screen, context: string | undefined): Screen {
  const clock = context === undefined ? undefined : screen.clocks?.get(context);
  return clock === undefined ? screen : { ...screen, age: agesAt(clock) };
}

/** How far the clocks of clusters may be apart that are read at once. */
const sameClockMs = 120_000;

/**
 * The screen for a moment that may be of any of these clusters: without ages where dumps of them were taken at
 * different times.
 */
export function screenOfAny(screen: Screen, contexts: readonly string[]): Screen {
  const times = contexts.flatMap((context) => parseTime(screen.clocks?.get(context)) ?? []);
  if (times.length < 2 || Math.max(...times) - Math.min(...times) < sameClockMs) return screenAt(screen, contexts[0]);
  return { ...screen, age: () => undefined };
}

function agesAt(takenAt: string): Screen['age'] {
  const now = parseTime(takenAt);
  return (moment) => {
    const from = parseTime(moment);
    // Clocks differ by a second or so; beyond that, no age is better than a wrong one.
    return from === undefined || now === undefined || from > now + 1000 ? undefined : ageText(from, now);
  };
}
