import { connectFailedTexts, metadataServerText } from '../senses/file-system.ts';
import { certificateTexts, nodeNetworkTexts, nodeSocketTexts, unresolvedTexts } from '../senses/network.ts';
import { outageTexts } from '../senses/time.ts';
import type { PatternedMountSense } from './sense.ts';

export const driverSocket: PatternedMountSense = {
  id: 'driverDown',
  pattern: nodeSocketTexts,
  meaning: '',
  isOfNode: true,
};

export const metadataServer: PatternedMountSense = {
  id: 'metadataServer',
  pattern: metadataServerText,
  meaning: 'The file system has no metadata server (MDS) that is up, or the user of the driver may not see it.',
};

export const unresolved: PatternedMountSense = {
  id: 'names',
  pattern: unresolvedTexts,
  meaning: 'The name of the server cannot be resolved from this node.',
};

export const targetUnreachable: PatternedMountSense = {
  id: 'network',
  pattern: connectFailedTexts,
  meaning: 'The node could not connect to the target of the volume; this is not an error of a disk.',
};

export const certificate: PatternedMountSense = {
  id: 'certificate',
  pattern: certificateTexts,
  meaning: 'The connection was refused because of a certificate, before any login.',
};

export const unreachable: PatternedMountSense = {
  id: 'network',
  pattern: nodeNetworkTexts,
  meaning: 'The node does not reach the storage over the network.',
};

export const outage: PatternedMountSense = {
  id: 'outage',
  pattern: outageTexts,
  meaning: 'The storage answers that it is not available now.',
};
