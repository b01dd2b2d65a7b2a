import { ageText, parseTime } from '../core/kube/time.ts';
import { createTheme } from './theme.ts';
import type { Theme } from './theme.ts';
import { usableWidth } from './wrap.ts';

export interface TextOptions {
  /** Columns of the terminal; never fewer than 40 are used. */
  readonly width: number;
  readonly colour: boolean;
  /** Draw with ASCII only. */
  readonly ascii?: boolean;
  /** Everything: all findings, all evidence, all subjects, uids. */
  readonly wide?: boolean;
  /** The targets were named, so each of them is answered, healthy or not. */
  readonly named?: boolean;
  /** Where was looked, in words, e.g. `namespace shop` or `any namespace`; without it the targets tell. */
  readonly scope?: string;
}

/** What every part of a text report is drawn on. */
export interface Screen {
  readonly theme: Theme;
  readonly width: number;
  readonly wide: boolean;
  /** The age of a moment when the report was taken; undefined if either is not a time, or it lies ahead. */
  readonly age: (moment: string | undefined) => string | undefined;
}

export function createScreen(takenAt: string, options: TextOptions): Screen {
  const now = parseTime(takenAt);
  return {
    theme: createTheme(options),
    width: usableWidth(options.width),
    wide: options.wide === true,
    age: (moment) => {
      const from = parseTime(moment);
      // A clock that runs ahead gives no age, and no age is better than a wrong one.
      return from === undefined || now === undefined || from > now + 1000 ? undefined : ageText(from, now);
    },
  };
}
