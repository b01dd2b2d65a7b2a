/** Replaces a value that was removed. */
export const redacted = '[redacted]';
