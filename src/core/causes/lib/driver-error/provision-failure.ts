import type { GrpcCode } from './grpc-codes.ts';
import { parseDriverError } from './parse.ts';
import { withoutOwnWebhook } from './tidy-words.ts';
import { classPrefix } from './wrappings.ts';
import { creationSenseOf } from './storage-sense.ts';
import type { FoundSense, Sense } from './storage-senses/sense.ts';
import { sourceMissingTexts } from './senses/missing.ts';
import { contentSourceMissingText, provisionerOwnTexts, saveFailedTexts, sizeShortText } from './senses/kubernetes.ts';
import { blamesMode, blockRefusal, infeasibleText } from './senses/request.ts';

/** What became of the call; `elsewhere` is an error that other rules explain, most often since no driver made it. */
export type ErrorKind =
  | 'background'
  | 'infeasible'
  | 'invalidArgument'
  | 'accessMode'
  | 'exhausted'
  | 'outOfRange'
  | 'alreadyExists'
  | 'sourceNotFound'
  | 'credentials'
  | 'unimplemented'
  | 'internal'
  | 'sizeShort'
  | 'contentSourceMissing'
  | 'saveFailed'
  | 'elsewhere';

export interface ErrorClass {
  readonly kind: ErrorKind;
  readonly code: GrpcCode | undefined;
  /** The driver's own words, without what the provisioner puts before them. */
  readonly text: string;
  /** What the text means in plain words, where it is well known. */
  readonly sense: FoundSense | undefined;
}

interface Circumstances {
  readonly hasSource: boolean;
  readonly reason: string;
  readonly modes: readonly string[];
  /** The claim wants a raw block volume. */
  readonly isBlock?: boolean;
}

export function classifyError(
  message: string,
  { hasSource, reason, modes, isBlock = false }: Circumstances,
): ErrorClass {
  const { code, words: text } = parseDriverError(message);
  const bare = message.replace(classPrefix, '');
  const own = ownWords(bare, reason);
  if (own) return { kind: own, code, text, sense: undefined };
  if (code === undefined && provisionerOwnTexts.test(bare)) return { kind: 'elsewhere', code, text, sense: undefined };
  if (isBlock && blockRefusal.test(bare)) return { kind: 'elsewhere', code, text, sense: undefined };
  const sense = creationSenseOf(withoutOwnWebhook(bare));
  if (hasSource && sourceGoneText.test(text)) return { kind: 'sourceNotFound', code, text, sense: undefined };
  return { kind: kindOf(code, bare, sense, hasSource, modes), code, text, sense };
}

/** Clouds answer with any code that the snapshot of the request is not there. */
const sourceGoneText =
  /InvalidSnapshot(?:ID)?\.NotFound|\bsnapshot\b[^.;]{0,80}\b(?:does not exist|not found|could not be found|was deleted)\b|\bno such snapshot\b|\bvolumesnapshotcontents?(?:\.snapshot\.storage\.k8s\.io)? \\?"[^"]+" not found/i;

/** The provisioner's own complaints about what a driver gave it. */
function ownWords(text: string, reason: string): ErrorKind | undefined {
  if (sizeShortText.test(text)) return 'sizeShort';
  if (contentSourceMissingText.test(text)) return 'contentSourceMissing';
  if (reason === 'ProvisioningCleanupFailed' || saveFailedTexts.test(text)) return 'saveFailed';
  return undefined;
}

function kindOf(
  code: GrpcCode | undefined,
  text: string,
  sense: Sense | undefined,
  hasSource: boolean,
  modes: readonly string[],
): ErrorKind {
  switch (code) {
    case 'PermissionDenied':
    case 'Unauthenticated':
      return 'credentials';
    case 'ResourceExhausted':
      // A scheduler that found no backend is answered with this code, whatever the reason.
      return sense?.about === 'filter' ? 'internal' : 'exhausted';
    case 'OutOfRange':
      return 'outOfRange';
    case 'AlreadyExists':
      return 'alreadyExists';
    case 'Unimplemented':
      return 'unimplemented';
    case 'NotFound':
      if (hasSource) return 'sourceNotFound';
      return sense?.kind ?? (sense?.about === 'missing' ? 'invalidArgument' : 'internal');
    case 'Canceled':
    case 'DeadlineExceeded':
    case 'Unavailable':
    case 'Aborted':
      return sense?.kind === 'credentials' || sense?.kind === 'exhausted' ? sense.kind : 'background';
    default:
  }
  if (sense?.kind === 'credentials' || sense?.kind === 'exhausted' || sense?.kind === 'background') return sense.kind;
  if (hasSource && sourceMissingTexts.test(text)) return 'sourceNotFound';
  if (blamesMode(text, modes)) return 'accessMode';
  if (code === 'InvalidArgument') return infeasibleText.test(text) ? 'infeasible' : 'invalidArgument';
  return sense?.kind ?? 'internal';
}
