import { cutWords } from '../../kube/cut-words.ts';
import type { GrpcCode } from '../provision/rpc/error-kind.ts';

/** An error as a sidecar writes it down: the code that decides what becomes of it, and the driver's own words. */
export interface RpcWords {
  readonly code: GrpcCode | undefined;
  readonly words: string;
}

const codePattern =
  /code = (Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated) desc = /g;
/** What the resizer, the volume controller and the kubelet put before the error of the driver. */
const prefixes =
  /^(?:failed to expand pvc with |resize volume "[^"]*" by resizer "[^"]*" failed: |error expanding volume "[^"]*" of plugin "?[^" ]*"? ?: |\S+\.NodeExpandVolume failed(?: to resize volume)? for volume "[^"]*"(?: \(UniqueName: "[^"]*"\))?(?: pod "[^"]*" \(UID: "[^"]*"\))? ?: )/i;

/** The outermost code is the one that the sidecars act upon; the words are those of the innermost error. */
export function rpcWordsOf(text: string): RpcWords {
  const matches = [...text.matchAll(codePattern)];
  const last = matches.at(-1);
  const words = (last ? text.slice(last.index + last[0].length) : text.replace(prefixes, ''))
    .replace(/\s+/g, ' ')
    .trim();
  return { code: matches[0]?.[1] as GrpcCode | undefined, words };
}

/** Errors after which the call may still be at work in the backend (external-resizer IsFinalError). */
const passing: readonly (GrpcCode | undefined)[] = ['Canceled', 'DeadlineExceeded', 'Unavailable', 'Aborted'];

export function mayPass(code: GrpcCode | string | undefined): boolean {
  return passing.includes(code as GrpcCode | undefined);
}

const longestQuote = 140;

export function quote(words: string): string {
  return `"${cutWords(words, longestQuote)}"`;
}
