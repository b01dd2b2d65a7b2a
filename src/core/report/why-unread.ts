import type { Unread } from './report.ts';

/** A dump that holds some objects of a kind does not lack the kind: its message says which part it has. */
export function whyUnread({ reason, message }: Pick<Unread, 'reason' | 'message'>): string {
  return reason === 'not in the dump' && message !== undefined && message !== '' ? message : reason;
}
