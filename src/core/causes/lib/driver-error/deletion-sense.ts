import { saysCode } from './grpc-codes.ts';
import type { GrpcCode } from './grpc-codes.ts';
import { adminLockTexts, credentialTexts } from './senses/credentials.ts';
import { certificateTexts, networkTexts, unresolvedTexts } from './senses/network.ts';
import { busyTexts, outageTexts, runningTexts } from './senses/time.ts';
import { anyOf } from './senses/wordings.ts';

/** Why a driver refuses to delete a volume, in plain words. */
export interface DeletionSense {
  /** One sentence; says no more than the words of the driver. */
  readonly meaning: string;
  /** One sentence that begins with what to do. */
  readonly cure: string;
  /** Snapshots of the volume may be the obstacle, even if the driver does not say so. */
  readonly mayBeSnapshots?: true;
  /** The backend counts a machine as its user. */
  readonly isAttached?: true;
  /** Volumes that were cloned from it are the obstacle. */
  readonly areClones?: true;
}

interface Wording extends DeletionSense {
  readonly codes?: readonly GrpcCode[];
  readonly pattern: RegExp;
}

/** CSI spec, DeleteVolume Errors, and words seen in drivers; the first match counts. */
const wordings: readonly Wording[] = [
  // A job on snapshots or clones that still runs ends; nothing has to be deleted for that.
  {
    pattern: runningTexts,
    meaning: 'The backend is still busy with it.',
    cure: 'Wait for the operation in the backend to end.',
  },
  {
    pattern: /snapshot/i,
    meaning: 'The volume still has snapshots.',
    cure: 'Ask your storage team to delete the snapshots of the volume that are not needed.',
    mayBeSnapshots: true,
  },
  {
    pattern:
      /\bclone|\bchild(?:ren)?\b(?! process)|\bdependent|depends on|\bparent\b(?! (?:directory|process|job|context))/i,
    meaning: 'Other volumes in the backend still depend on it.',
    cure: 'Ask your storage team to make the clones independent of the volume (flatten, split), or delete those that are not needed.',
    areClones: true,
  },
  {
    pattern:
      /(?:unlinkat|rmdir|remove|unlink|chmod|lstat|open(?:dir)?) \/\S+: (?:permission denied|operation not permitted)/i,
    meaning: 'The driver may not delete files below that directory.',
    cure: 'Give the driver the right to delete there: owner and mode of the directory, or no_root_squash on an NFS export.',
  },
  {
    pattern:
      /(?:unlinkat|rmdir|remove|unlink|rm:?) \S*\/\S+: (?:device or resource busy|text file busy|directory not empty)/i,
    meaning: 'A file below that directory is still open, mounted or being written somewhere.',
    cure: 'Stop what still uses the directory: a pod, a machine outside the cluster that mounts it, or a process that holds a deleted file open (.nfs…).',
  },
  {
    pattern: /\brename \/\S+ \/\S+: no such file or directory/i,
    meaning: 'The directory of the volume, or the one above its new name, does not exist.',
    cure: 'Create the directory above the new name (the second path without its last part) on the storage, if it is missing.',
  },
  {
    pattern: anyOf(
      /retention|\bworm\b|immutab|legal hold|deletion protection|protected (?:from|against) delet/,
      adminLockTexts,
    ),
    meaning: 'The storage protects it from deletion (a retention or a lock).',
    cure: 'Ask your storage team until when it is protected, and to lift the protection if the volume may go.',
  },
  {
    codes: ['PermissionDenied', 'Unauthenticated'],
    pattern: /access ?denied|unauthori[sz]ed|not authori[sz]ed|forbidden|credential/i,
    meaning: 'The storage refuses the account of the driver.',
    cure: 'Give the account that the driver uses the right to delete volumes, or renew its credentials.',
  },
  {
    codes: ['Unavailable', 'DeadlineExceeded', 'Canceled'],
    pattern: /connection refused|no such host|timed? ?out|connection error|deadline exceeded/i,
    meaning: 'The driver or the storage behind it did not answer in time.',
    cure: 'Restore the connection between the driver and its storage: address, network policy, certificate, and the state of the storage.',
  },
  {
    pattern: /\battached to\b/i,
    isAttached: true,
    meaning: 'The backend counts the volume as attached to a machine.',
    cure: 'Free the volume: detach it in the backend from the machine that the error names, once nothing there uses it.',
  },
  {
    pattern:
      /\b(?:node|instance|server|host|vm|machine) ['"]?[\w.-]+['"]? (?:is |still )*(?:in use|uses|using)\b|\b(?:in use|used) (?:on|by) (?:node|instance|server|host|vm|machine)\b/i,
    isAttached: true,
    meaning: 'The backend counts the volume as in use on that machine.',
    cure: 'Stop what uses the volume on the machine that the error names.',
  },
  {
    codes: ['FailedPrecondition'],
    // Not in a name such as `test-busybox`.
    pattern:
      /\bin use\b|\bin-?use\b|is (?:still )?used by|attached|(?<![\w./-])busy(?![\w-])|being used|watchers|(?<![\w./-])locked(?![\w-])/i,
    meaning:
      'The backend counts the volume as in use. A disk snapshot, another machine or a backup job is a common reason.',
    cure: 'Ask your storage team what holds the volume in the backend: a snapshot, a machine, an export or a backup job.',
    mayBeSnapshots: true,
  },
  {
    codes: ['NotFound'],
    pattern: /not found|does not exist/i,
    meaning: 'The backend does not find it, which a driver should treat as deleted.',
    cure: 'Ask your storage team whether the volume is really gone, and not only in another region, project or account.',
  },
  {
    codes: ['Aborted', 'ResourceExhausted'],
    pattern: /pending|in progress|throttl|rate limit/i,
    meaning: 'The backend is still busy with it.',
    cure: 'Wait for the operation in the backend to end.',
  },
];
/** Words of any storage system, where none of the above fits. */
const general: readonly Wording[] = [
  {
    pattern: credentialTexts,
    meaning: 'The storage refuses the account of the driver.',
    cure: 'Give the account that the driver uses the right to delete volumes, or renew its credentials.',
  },
  {
    pattern: anyOf(networkTexts, unresolvedTexts, certificateTexts, outageTexts),
    meaning: 'The driver gets no service from the storage behind it.',
    cure: 'Restore the connection between the driver and its storage: address, network policy, certificate, and the state of the storage.',
  },
  {
    pattern: busyTexts,
    meaning: 'The storage refuses it until what the error names is finished or released.',
    cure: 'Ask your storage team what the error names, and to end it, release it or wait for it.',
  },
];
const anyOther: DeletionSense = {
  meaning: '',
  cure: 'Ask your storage team, with the quoted words, why the storage does not delete the volume, and correct what they name.',
};

export function deletionSenseOf(text: string): DeletionSense {
  return (
    [...wordings, ...general].find(({ codes = [], pattern }) => saysCode(text, codes) || pattern.test(text)) ?? anyOther
  );
}
