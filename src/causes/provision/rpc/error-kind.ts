export type GrpcCode =
  | 'Canceled' | 'Unknown' | 'InvalidArgument' | 'DeadlineExceeded' | 'NotFound' | 'AlreadyExists' | 'PermissionDenied' | 'ResourceExhausted'
  | 'FailedPrecondition' | 'Aborted' | 'OutOfRange' | 'Unimplemented' | 'Internal' | 'Unavailable' | 'DataLoss' | 'Unauthenticated';

/** What became of the call; `elsewhere` is an error that other rules explain, most often since no driver made it. */
export type ErrorKind =
  | 'background' | 'infeasible' | 'invalidArgument' | 'accessMode' | 'exhausted' | 'outOfRange' | 'alreadyExists' | 'sourceNotFound' | 'credentials'
  | 'unimplemented' | 'internal' | 'sizeShort' | 'contentSourceMissing' | 'saveFailed' | 'elsewhere';
