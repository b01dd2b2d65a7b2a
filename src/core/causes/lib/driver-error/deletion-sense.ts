import { saysCode } from './grpc-codes.ts';
import type { GrpcCode } from './grpc-codes.ts';

/** Why a driver refuses to delete a volume, in plain words. */
export interface DeletionSense {
  readonly meaning: string;
  readonly cure: string;
  /** Snapshots of the volume may be the obstacle, even if the driver does not say so. */
  readonly mayBeSnapshots?: true;
}

interface Wording extends DeletionSense {
  readonly codes?: readonly GrpcCode[];
  readonly pattern: RegExp;
}

/** CSI spec, DeleteVolume Errors, and words seen in drivers; the first match counts. */
const wordings: readonly Wording[] = [
  {
    pattern: /snapshot/i,
    meaning: 'it still has snapshots',
    cure: 'delete the snapshots of the volume, in the cluster and in the backend',
    mayBeSnapshots: true,
  },
  {
    pattern: /clone|child|dependent|depends on|parent/i,
    meaning: 'other volumes still depend on it',
    cure: 'delete or detach the clones of the volume in the backend',
  },
  {
    codes: ['PermissionDenied', 'Unauthenticated'],
    pattern: /access ?denied|unauthori[sz]ed|not authori[sz]ed|forbidden|credential/i,
    meaning: 'the driver may not delete it',
    cure: 'give the driver the right to delete volumes, or mend its credentials',
  },
  {
    codes: ['Unavailable', 'DeadlineExceeded', 'Canceled'],
    pattern: /connection refused|no such host|timed? ?out|connection error/i,
    meaning: 'the driver or the storage behind it does not answer',
    cure: 'get the driver and its backend to answer again',
  },
  {
    codes: ['FailedPrecondition'],
    pattern: /in use|inuse|attached|busy|being used|watchers|locked/i,
    meaning: 'the backend says it is in use',
    cure: 'find in the backend who still uses the volume: an attachment, an export, a snapshot',
    mayBeSnapshots: true,
  },
  {
    codes: ['NotFound'],
    pattern: /not found|does not exist/i,
    meaning: 'the backend does not know it, which the driver should take for deleted',
    cure: 'make sure that the volume is gone in the backend',
  },
  {
    codes: ['Aborted', 'ResourceExhausted'],
    pattern: /pending|in progress|throttl|rate limit/i,
    meaning: 'the backend is busy with it',
    cure: 'wait for the operation in the backend to end',
  },
];
const anyOther: DeletionSense = { meaning: 'the driver refuses', cure: 'act on what the driver says' };

export function deletionSenseOf(text: string): DeletionSense {
  return wordings.find(({ codes = [], pattern }) => saysCode(text, codes) || pattern.test(text)) ?? anyOther;
}
