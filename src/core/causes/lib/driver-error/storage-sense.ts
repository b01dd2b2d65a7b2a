import * as availability from './storage-senses/availability.ts';
import * as capacity from './storage-senses/capacity.ts';
import * as credentials from './storage-senses/credentials.ts';
import * as fileSystem from './storage-senses/file-system.ts';
import * as kubernetes from './storage-senses/kubernetes.ts';
import * as settings from './storage-senses/settings.ts';
import type { FoundSense, PatternedSense, Sense } from './storage-senses/sense.ts';

/**
 * The order of judgement: the first that fits counts. A quota of a cloud is refused with 403, and a request limit is no
 * volume limit.
 */
const senses: readonly PatternedSense[] = [
  availability.controllerSocket,
  credentials.ghostVolume,
  availability.certificate,
  availability.lookupFailed,
  availability.dialFailed,
  credentials.exportRefused,
  fileSystem.clientMissing,
  fileSystem.exportMissing,
  fileSystem.nfsVersion,
  fileSystem.helperTimeout,
  credentials.addressRefused,
  settings.noNodeMachines,
  settings.subvolumeGroup,
  settings.parentDataset,
  availability.cephTimeout,
  credentials.cephLogin,
  credentials.cephDenied,
  capacity.throttling,
  kubernetes.objectMissing,
  kubernetes.admission,
  credentials.policy,
  credentials.adminLock,
  credentials.billing,
  credentials.unseen,
  credentials.namedServiceOff,
  credentials.serviceOff,
  capacity.groupIds,
  settings.unknownCluster,
  settings.zoneFilter,
  settings.otherFilter,
  capacity.stockout,
  credentials.licence,
  capacity.count,
  capacity.placement,
  capacity.nodeSpace,
  capacity.space,
  capacity.namedQuota,
  capacity.quota,
  credentials.encryptionKey,
  credentials.directoryDenied,
  fileSystem.readOnly,
  fileSystem.staleHandle,
  credentials.callerRefused,
  settings.notOffered,
  settings.machineType,
  settings.otherZone,
  availability.brokenState,
  availability.notAvailable,
  settings.noSharedDatastore,
  kubernetes.ownServiceMissing,
  kubernetes.ownServiceInvalid,
  settings.notReachableFromAll,
  settings.noSuchZone,
  settings.noneCreated,
  settings.noSuitableBackend,
  settings.missingOnStorage,
  settings.parameterMissing,
  settings.sizeRefused,
  settings.parameterRefused,
  settings.noNode,
  availability.unresolved,
  availability.busy,
  availability.outage,
  availability.network,
  availability.notServing,
  settings.absent,
  availability.crash,
  availability.slow,
];

/** The first sense of the words, whatever the driver was asked to do. */
export function senseOf(text: string): FoundSense | undefined {
  return firstSense(sensesOfAnyCall, text);
}

/** The first sense of the words where the driver was asked to create a volume. */
export function creationSenseOf(text: string): FoundSense | undefined {
  return firstSense(senses, text);
}

const sensesOfAnyCall = senses.filter(({ isOfCreation }) => isOfCreation !== true);

function firstSense(among: readonly PatternedSense[], text: string): FoundSense | undefined {
  for (const { pattern, isOfCreation: _, ...sense } of among) {
    const match = pattern.exec(text);
    if (match) return { ...(match.length === 1 ? sense : fillIn(sense, match)), words: match[0] };
  }
  return undefined;
}

function fillIn(sense: Sense, match: RegExpExecArray): Sense {
  const fill = (words: string): string => words.replace(/\$(\d)/g, (_, index: string) => match[Number(index)] ?? '');
  return {
    ...sense,
    meaning: fill(sense.meaning),
    ...(sense.advice !== undefined && { advice: fill(sense.advice) }),
    ...(sense.sacrifice !== undefined && { sacrifice: fill(sense.sacrifice) }),
    ...(sense.command !== undefined && { command: fill(sense.command) }),
  };
}
