import type { ErrorKind, GrpcCode } from './error-kind.ts';
import { senseOf } from './error-senses.ts';
import type { FoundSense, Sense } from './error-senses.ts';
import { blockRefusal, modeWords } from './refusal-words.ts';

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

/** Up to version 5 the provisioner puts the class before the error, and so does the volume controller. */
const prefix = /^failed to provision volume with storage ?class "[^"]*":\s*/i;
const infeasible = /failed with infeasible error/i;
const codeBefore =
  /\b(Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated) desc = /g;

/** Errors that arise before the driver is called; rules of their own explain them. */
const elsewhere = new RegExp(
  [
    'error getting handle for DataSource',
    'dataSourceRef namespace specified',
    "dataSource from \\S+ isn't allowed",
    'does not belong to the right APIGroup',
    'PVC source not found',
    'error getting secret',
    'error resolving value',
    'which is not a valid (?:secret|namespace) name',
    'either name and namespace for',
    'value of either namespace or name is empty',
    'specified in parameters with both',
    'error generating accessibility requirements',
    'no topology key found',
    'failed to get (?:selected CSINode|target node)',
    'nodes? "[^"]+" not found',
    'claim Selector is not supported',
    'CSI driver does not support',
    'found unknown parameter key',
    'does not support block volume provisioning',
    'does not support use of ReadWriteOncePod',
    'CSI does not support ReadOnlyMany',
    'unsupported AccessMode combination',
    'is forbidden: User "system:serviceaccount',
    'storageclass(?:es)?\\.storage\\.k8s\\.io "',
    'volumeattributesclass',
    'VAC \\S+ referenced',
    'no volume plugin matched',
    'no provisionable volume plugin',
  ].join('|'),
  'i',
);

export function classifyError(
  message: string,
  { hasSource, reason, modes, isBlock = false }: Circumstances,
): ErrorClass {
  const bare = message.replace(prefix, '');
  const codes = [...bare.matchAll(codeBefore)];
  const code = innermostTelling(codes.map((match) => match[1] as GrpcCode));
  const last = codes.at(-1);
  const text = (last ? bare.slice(last.index + last[0].length) : bare).trim();
  const own = ownWords(bare, reason);
  if (own) return { kind: own, code, text, sense: undefined };
  if (code === undefined && elsewhere.test(bare)) return { kind: 'elsewhere', code, text, sense: undefined };
  if (isBlock && blockRefusal.test(bare)) return { kind: 'elsewhere', code, text, sense: undefined };
  const sense = senseOf(bare);
  return { kind: kindOf(code, bare, sense, hasSource, modes), code, text, sense };
}

/** Sidecars and drivers wrap errors in errors: the innermost code that says more than "something went wrong" counts. */
function innermostTelling(codes: readonly GrpcCode[]): GrpcCode | undefined {
  return codes.findLast((code) => code !== 'Internal' && code !== 'Unknown') ?? codes.at(-1);
}

/** The provisioner's own complaints about what a driver gave it. */
function ownWords(text: string, reason: string): ErrorKind | undefined {
  if (/created volume capacity \d+ less than requested capacity/.test(text)) return 'sizeShort';
  if (/volume content source missing/.test(text)) return 'contentSourceMissing';
  if (
    reason === 'ProvisioningCleanupFailed' ||
    /Error (?:creating provisioned PV object|saving volume|cleaning provisioned volume)/i.test(text)
  )
    return 'saveFailed';
  return undefined;
}

const refusalWords =
  /not supported|unsupported|not support\b|only (?:.{0,60} )?support|invalid|not allowed|cannot|can't|must be|not valid|unknown/i;

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
      return 'exhausted';
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
  if (blamesMode(text, modes)) return 'accessMode';
  if (code === 'InvalidArgument') return infeasible.test(text) ? 'infeasible' : 'invalidArgument';
  return sense?.kind ?? 'internal';
}

/** "Volume capabilities not supported" may mean the mode or the kind of access: it is the mode if the claim asks for more than one node. */
function blamesMode(text: string, modes: readonly string[]): boolean {
  if (!refusalWords.test(text)) return false;
  return (
    modeWords.test(text) || (/volume capabilit(?:y|ies)/i.test(text) && modes.some((mode) => mode !== 'ReadWriteOnce'))
  );
}
