import {
  accessTypeText,
  bucketGoneText,
  fencedText,
  noPathsText,
  noTokenText,
  readOnlyDeviceText,
  sidecarMemoryText,
  smbPendingText,
  waitsForHelperText,
  commandMissingText,
  damagedText,
  drbdRefusedText,
  exitWords,
  formatFailedText,
  mapUnsupportedText,
  notInjectedText,
  unresolvedEfsText,
} from '../senses/node-programs.ts';
import { blockRefusal } from '../senses/request.ts';
import { anyOf } from '../senses/wordings.ts';
import type { PatternedMountSense } from './sense.ts';

/** Wordings that prove more than the general ones that they contain, so they are asked first. */
export const early: readonly PatternedMountSense[] = [
  {
    id: 'podSpec',
    pattern: notInjectedText,
    meaning: 'The container that the driver needs in the pod was not added when the pod was created.',
  },
  {
    id: 'unresolvedTarget',
    pattern: unresolvedEfsText,
    meaning:
      'The name of the file system does not resolve on this node, and the role of the driver may not ask the API for the address instead.',
  },
  {
    id: 'accessType',
    pattern: anyOf(accessTypeText, blockRefusal),
    meaning: 'The driver does not offer the volumeMode of this volume; another try does not change that.',
  },
  {
    id: 'commandMissing',
    pattern: commandMissingText,
    meaning: 'With 127 a shell reports that it did not find the program; the text does not name it.',
    isOfNode: true,
  },
  {
    id: 'unknownFeatures',
    pattern: mapUnsupportedText,
    meaning:
      'The kernel of the node does not support what the image asks for, most likely one of its features; the text does not name it.',
  },
  {
    id: 'network',
    pattern: smbPendingText,
    meaning:
      'The connection to the server (port 445) is never completed, so the node does not reach it; key and share were not asked for.',
  },
  {
    id: 'fenced',
    pattern: fencedText,
    meaning: 'The Ceph cluster has fenced this node: its address is on the blocklist.',
  },
  {
    id: 'gone',
    pattern: bucketGoneText,
    meaning: 'The storage has no bucket of that name, or does not show it in this account or region.',
  },
  { id: 'credentials', pattern: noTokenText, meaning: 'The driver got no token: the storage has not been asked.' },
  { id: 'multipath', pattern: noPathsText, meaning: 'The node has lost all paths to the disk.' },
  { id: 'readOnly', pattern: readOnlyDeviceText, meaning: 'The device itself takes no writes on this node.' },
  {
    id: 'sidecarMemory',
    pattern: sidecarMemoryText,
    meaning: 'The container that serves the mount in the pod was ended for lack of memory.',
  },
  { id: 'helperPod', pattern: waitsForHelperText, meaning: 'The pod that serves the mount does not run.' },
  { id: 'damaged', pattern: damagedText, meaning: 'The kernel of the node finds the file system damaged.' },
  {
    id: 'drbd',
    pattern: drbdRefusedText,
    meaning:
      'DRBD does not let this node write to the device: most often another node is Primary, or too few replicas are up to date.',
  },
];

/** After everything that gives a reason. */
export const formatFailed: PatternedMountSense = {
  id: 'formatFailed',
  pattern: formatFailedText,
  meaning: 'The driver could not create a file system; the text does not say why.',
};

/** A meaning that depends on the text. */
export function meaningIn(id: string, text: string): string | undefined {
  return id === 'exit' ? exitWords(text) : undefined;
}
