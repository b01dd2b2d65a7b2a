/** The status codes of gRPC in the order of their numbers, which VolumeError.errorCode holds since Kubernetes 1.34. */
const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

export type GrpcCode = Exclude<(typeof codeNames)[number], 'OK'>;

const failureNames: readonly string[] = codeNames.slice(1);

/** The name of a code by its number; none for OK. */
export function grpcCodeOfNumber(number: number | undefined): GrpcCode | undefined {
  const name = number === undefined ? undefined : codeNames[number];
  return name === 'OK' ? undefined : name;
}

/**
 * google.golang.org/grpc/status Error(): `rpc error: code = X desc = Y`. Some drivers print the code without `code =`.
 */
const codePattern = new RegExp(
  `\\bcode = (${failureNames.join('|')})\\b(?: desc = ?)?|\\b(${failureNames.join('|')}) desc = ?`,
  'g',
);

/** Any text that holds an error of gRPC. */
export const rpcErrorText = /code = \w+ desc = /;

export interface CodeInText {
  readonly code: GrpcCode;
  readonly start: number;
  /** Where the description begins that belongs to the code. */
  readonly end: number;
}

/** All codes in a text, the outermost first: sidecars and drivers wrap errors in errors. */
export function grpcCodesIn(text: string): CodeInText[] {
  return [...text.matchAll(codePattern)].flatMap((match) => {
    const name = match[1] ?? match[2];
    return isGrpcCode(name) ? [{ code: name, start: match.index, end: match.index + match[0].length }] : [];
  });
}

/** Whether one of the codes is in the text, however deep it is wrapped. */
export function saysCode(text: string, codes: readonly GrpcCode[]): boolean {
  return codes.length > 0 && grpcCodesIn(text).some(({ code }) => codes.includes(code));
}

function isGrpcCode(name: string | undefined): name is GrpcCode {
  return name !== undefined && failureNames.includes(name);
}

/** The innermost code that says more than "something went wrong". */
export function tellingCode(codes: readonly CodeInText[]): GrpcCode | undefined {
  return (codes.findLast(({ code }) => code !== 'Internal' && code !== 'Unknown') ?? codes.at(-1))?.code;
}

export function grpcCodeOf(text: string): GrpcCode | undefined {
  return tellingCode(grpcCodesIn(text));
}

const resizeMayStillRun: readonly (string | undefined)[] = ['Canceled', 'DeadlineExceeded', 'Unavailable', 'Aborted'];

/** external-resizer IsFinalError: after these the call may still be at work in the backend. */
export function mayPass(code: string | undefined): boolean {
  return resizeMayStillRun.includes(code);
}

/** external-snapshotter isCSIFinalError counts ResourceExhausted among them. */
export function isOpenCode(code: string | undefined): boolean {
  return mayPass(code) || code === 'ResourceExhausted';
}
