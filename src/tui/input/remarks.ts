import type { Action } from '../state/actions.ts';

/** A message in the last line. */
export function remark(text: string): Action {
  return { type: 'remark', remark: { text, isTrouble: false } };
}

export function trouble(text: string): Action {
  return { type: 'remark', remark: { text, isTrouble: true } };
}
