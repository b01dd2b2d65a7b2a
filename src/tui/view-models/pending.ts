import { sanitise } from '../../terminal/sanitise.ts';
import { textSheet } from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** What stands where an answer has not come yet, or will not come. */
export function pending(trouble: string | undefined): Sheet {
  return textSheet([], trouble === undefined ? 'reading' : `could not be read: ${sanitise(trouble)}`);
}
