import type { Evidence } from '../../report/report.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import type { DriverError } from '../lib/driver-error/parse.ts';

/** What was said about an attach or a detach that failed, and where it was read. */
export interface AttachError extends DriverError {
  readonly from: 'object' | 'event';
  readonly evidence: Evidence;
}

export function readError(
  message: string,
  errorCode: number | undefined,
  evidence: Evidence,
  from: AttachError['from'],
): AttachError {
  return { ...parseDriverError({ message, errorCode }), from, evidence };
}
