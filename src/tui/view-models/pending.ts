import { sanitise } from '../../terminal/sanitise.ts';
import { textSheet } from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** What is shown where an answer has not arrived yet, or could not be read. */
export function pendingSheet({ trouble }: { readonly trouble?: string | undefined }): Sheet {
  return textSheet([], trouble === undefined ? 'Reading' : `Could not be read: ${sanitise(trouble)}`);
}
