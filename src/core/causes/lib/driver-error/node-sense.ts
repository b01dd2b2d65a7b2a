import { cutWords } from '../../../kube/cut-words.ts';
import { tidyWords } from './tidy-words.ts';
import { parseDriverError } from './parse.ts';
import * as credentials from './node-senses/credentials.ts';
import * as device from './node-senses/device.ts';
import * as fileSystem from './node-senses/file-system.ts';
import * as kubernetes from './node-senses/kubernetes.ts';
import * as missing from './node-senses/missing.ts';
import * as network from './node-senses/network.ts';
import * as precise from './node-senses/precise.ts';
import * as request from './node-senses/request.ts';
import * as software from './node-senses/software.ts';
import * as use from './node-senses/use.ts';
import type { MountSense, PatternedMountSense } from './node-senses/sense.ts';
import { mountDeniedTexts } from './senses/credentials.ts';
import { spelledOut } from './spelled-out.ts';

/** The first that fits counts: mount(8) answers most things with exit status 32, so that comes last. */
const senses: readonly PatternedMountSense[] = [
  network.driverSocket,
  kubernetes.apiForbidden,
  kubernetes.apiObjectMissing,
  ...precise.early,
  kubernetes.podSpec,
  kubernetes.secretsProviderSilent,
  kubernetes.secretsStore,
  credentials.credentialsMissing,
  credentials.actionDenied,
  missing.emptySource,
  missing.targetUnknown,
  missing.noSession,
  device.multipath,
  missing.localVolume,
  software.notMounted,
  software.smbVersion,
  software.nodeService,
  missing.unknownCluster,
  credentials.passphrase,
  credentials.oneUser,
  network.metadataServer,
  software.nfsVersion,
  missing.exportMissing,
  network.unresolved,
  software.checkerTooOld,
  software.unknownFeatures,
  software.mountHelperMissing,
  software.unknownType,
  fileSystem.checkOfMounted,
  fileSystem.notEmpty,
  fileSystem.wrongFileSystem,
  software.programMissing,
  software.kernelModuleMissing,
  network.targetUnreachable,
  fileSystem.fuseProcessGone,
  fileSystem.staleHandle,
  credentials.blocklistRefused,
  credentials.mapRefused,
  use.heldByClient,
  use.busyOnNode,
  missing.notStaged,
  network.certificate,
  credentials.targetLogin,
  network.unreachable,
  device.deviceMissing,
  credentials.tunnelRefused,
  credentials.cephDenied,
  credentials.exportRefused,
  credentials.wrongPassword,
  credentials.loginFailed,
  credentials.loginRefused,
  credentials.denied,
  use.brokenState,
  fileSystem.readOnly,
  fileSystem.full,
  device.diskError,
  device.notAttached,
  missing.volumeGone,
  fileSystem.staleMount,
  missing.pathMissing,
  kubernetes.helperPod,
  request.mountOption,
  network.outage,
  use.storageBusy,
  precise.formatFailed,
  request.bareExit,
  request.mountFailed,
];

const mostWords = 168;

/** mount(8) begins with the directory, and drivers repeat the command they ran: what went wrong comes after that. */
function withoutEcho(said: string): string {
  const result = tidyWords(said)
    .trim()
    .replace(/^[^]*\b(?:(?:error|stderr) output|stderr): (?=\S)/, '')
    // amazon-efs-utils prints this in every container, also when it mounts.
    .replace(/Could not start amazon-efs-mount-watchdog, unrecognized init system "[^"]*"\s*/, '')
    .replace(/^mount: (?:\/\S+: )+/, '')
    .replace(/^[^]*\bexit status \d+: (?=\S)/, '');
  return result === '' ? said : result;
}

/** What a provider of secrets quotes from its store tells more than the words around it. */
function tellingOf(sense: PatternedMountSense | undefined, said: string): RegExp | undefined {
  if (sense?.id === 'mountFailed') return undefined;
  return sense?.id === 'secretsStore' && mountDeniedTexts.test(said) ? mountDeniedTexts : sense?.pattern;
}

/** Senses that only say that something failed. */
const isVague = (id: MountSense['id']): boolean => id === 'mountFailed' || id === 'exit';

/** Errors that are a single name (`VolumeDeviceNotFound`) are read word by word, if the text as it is says nothing. */
function senseIn(text: string): PatternedMountSense | undefined {
  const direct = senses.find(({ pattern }) => pattern.test(text));
  if (direct && !isVague(direct.id)) return direct;
  const words = spelledOut(parseDriverError(text).words);
  return (
    (words === undefined ? undefined : senses.find(({ id, pattern }) => !isVague(id) && pattern.test(words))) ?? direct
  );
}

export function mountSenseOf(text: string): MountSense | undefined {
  const sense = senseIn(text);
  return sense && { ...sense, meaning: precise.meaningIn(sense.id, text) ?? sense.meaning };
}

/**
 * What the mount command printed, else the innermost words, cut around the telling part to a length that fits a
 * summary.
 */
export function ownWords(text: string): string {
  const { output, words } = parseDriverError(text);
  const sense = senseIn(text);
  // The arguments of a mount command without its output say nothing about the reason.
  const said = withoutEcho(output ?? words.replace(/\s*Mounting command:[^]*$/, ''));
  return cutWords(said.trim().replace(/^(["'])([^]*)\1$/, '$2'), mostWords, tellingOf(sense, said));
}
