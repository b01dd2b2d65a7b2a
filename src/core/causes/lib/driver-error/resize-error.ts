import { parseDriverError } from './parse.ts';
import type { GrpcCode } from './grpc-codes.ts';

/**
 * What the resizer or the kubelet wrote about a call: the code that decides what becomes of it, and the innermost
 * words.
 */
export interface RpcWords {
  readonly code: GrpcCode | undefined;
  readonly words: string;
}

export function rpcWordsOf(text: string): RpcWords {
  const { outerCode, words } = parseDriverError(text);
  return { code: outerCode, words };
}
