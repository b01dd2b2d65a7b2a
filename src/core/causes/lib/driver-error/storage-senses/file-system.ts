import {
  exportMissingText,
  mountHelperMissingTexts,
  nfsVersionText,
  readOnlyTexts,
  staleHandleText,
} from '../senses/file-system.ts';
import { anyOf } from '../senses/wordings.ts';
import type { PatternedSense } from './sense.ts';

/** A driver of a file server mounts the export in its controller to create a directory there. */
export const exportMissing: PatternedSense = {
  isOfCreation: true,
  about: 'export',
  pattern: anyOf(exportMissingText, /mount error\(2\)/),
  meaning: 'the file server answered, and has no such export, share or directory',
  advice:
    'Ask the owner of the storage for the export or share that the error names: to create it there, or for ' +
    'its right name. The claim is retried automatically within 5 minutes.',
};

export const nfsVersion: PatternedSense = {
  isOfCreation: true,
  about: 'protocol',
  pattern: nfsVersionText,
  meaning: 'the file server answered, and does not serve this version of the protocol',
  advice:
    'Or ask the owner of the storage to let the server speak this version. The claim is retried automatically within 5 minutes.',
};

export const readOnly: PatternedSense = {
  isOfCreation: true,
  about: 'readOnly',
  pattern: readOnlyTexts,
  meaning: 'the directory or export in which it creates volumes can only be read',
  advice:
    'Ask the owner of the storage to export the directory for writing to the node on which the provisioner ' +
    'runs. If it does already, the node has mounted it read-only: remount it there, or restart the pod of ' +
    'the provisioner on another node. The call is repeated automatically.',
};

/** The export was recreated, moved or is gone on the server; a mount made before that does not recover. */
export const staleHandle: PatternedSense = {
  isOfCreation: true,
  about: 'stale',
  pattern: staleHandleText,
  meaning: 'the export was recreated or moved on the file server since the provisioner mounted it',
  advice:
    'Restart the pod of the provisioner, so that it mounts the export again. If the same error comes back, ' +
    'ask the owner of the storage whether the export still exists under that path. The call is repeated ' +
    'automatically.',
};

/** mount(8) without the program of the type. */
export const clientMissing: PatternedSense = {
  isOfCreation: true,
  about: 'client',
  pattern: mountHelperMissingTexts,
  meaning: 'the program that mounts this type of file system is missing where the controller of the driver runs',
  advice:
    'Install the client of the file system (nfs-common, nfs-utils or cifs-utils) where the controller of ' +
    'the driver mounts: on its node, or in its image. The call is repeated automatically.',
};

/** local-path-provisioner and others work on the node in a pod of their own, and wait for its end (createHelperPod). */
export const helperTimeout: PatternedSense = {
  isOfCreation: true,
  about: 'helper',
  pattern:
    /(?:create|delete|init|cleanup) process time-?out after \d+ seconds|helper pod\b[^.;]{0,80}\btime(?:d |-)?out/i,
  meaning: 'the helper pod that works on the node for this volume did not end in time; why, only that pod shows',
};
