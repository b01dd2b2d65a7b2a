import type { Fix } from '../../report/report.ts';
import { grpcCodeOf } from '../lib/driver-error/grpc-codes.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { unknownTypeText } from '../lib/driver-error/senses/file-system.ts';
import { nfsMountText, smbMountText } from '../lib/driver-error/senses/mount-command.ts';
import { grantFix } from '../lib/grant.ts';
import { steps } from '../lib/steps.ts';
import {
  credentialsFix,
  loginFixes,
  missingObjectFixes,
  runProviderFix,
  secretsStoreFix,
  writeSecretFix,
} from './access-fixes.ts';
import { allowActionFixes } from './identity-fixes.ts';
import { capsFix, cephDeniedFixes, clusterFixes, unfenceFix } from './ceph-cluster-fixes.ts';
import {
  brokenDeviceFixes,
  busyFixes,
  deviceFixes,
  inUseFix,
  multipathFixes,
  mountedFixes,
  repairFix,
} from './device-fixes.ts';
import { attachAnewFix } from './attach-anew.ts';
import { isSaidByKubelet, lookFix, restartFix, retryWords, runsWindows, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { damagedFixes, fileSystemFixes, otherContentFix, unknownFeatureFixes } from './file-system-fixes.ts';
import { helperFixes } from './helper-pod.ts';
import { networkFix, shareManagerFixes, tryMountFixes, unknownServiceOf } from './network-fixes.ts';
import { installClientFix, loadModuleFix, startServiceFix, updateImageFix } from './node-software.ts';
import { optionsFix, readOnlyFix, smbVersionFix } from './option-fixes.ts';
import { readPluginLog, restartPlugin } from './plugin-fixes.ts';
import {
  admitNodeFix,
  exportFix,
  filePolicyFixes,
  metadataServerFix,
  namesFixes,
  nfsVersionFix,
  unresolvedTargetFixes,
  windowsServiceFixes,
} from './server-fixes.ts';
import { podSpecFixes, sidecarMemoryFix } from './pod-spec-fixes.ts';
import { commandMissingFixes, programFixes } from './program-fixes.ts';
import { accessTypeFixes, formatFailedFixes } from './volume-form-fixes.ts';
import { drbdFixes } from './drbd-fixes.ts';
import {
  emptySourceFix,
  goneFixes,
  localVolumeFix,
  mountOnNodeFix,
  noTargetFix,
  pathFixes,
  staleMountFixes,
  unmountFix,
} from './source-fixes.ts';
import { freeNodeFix, freeVolumeFix } from './space-fixes.ts';
import { nodeOf } from './told-volume.ts';
import { unnamedFixes } from './unnamed-fixes.ts';
import { oneUserFixes } from './windows-mapping.ts';

/** What to do about each sense, the best first. */
export function fixesForSense(m: FailedMount, sense: MountSense | undefined): Fix[] {
  const { p, driver } = m;
  const specific = sense ? fixesById[sense.id](m) : fixesForCode(m);
  if (specific.length === 0) return unnamedFixes(m);
  const readsLog = sense?.id === 'driverDown' || sense?.id === 'mountFailed' || driver === undefined;
  if (readsLog) return specific;
  return [
    ...specific,
    readPluginLog(
      p.ask,
      driver,
      nodeOf(p),
      `If that does not help, read what ${driver ?? 'the driver'} logged on ${nodeOf(p)} around the error.`,
    ),
  ];
}

/** What the code alone leaves to do, where no rule knows the words (CSI spec, error scheme). */
function fixesForCode(m: FailedMount): Fix[] {
  const code = grpcCodeOf(m.text);
  if (isOpaque(ownWords(m.text)) || isSaidByKubelet(m.text)) return [];
  if (code === 'InvalidArgument') return [optionsFix(m)];
  if (code === 'FailedPrecondition' || code === 'ResourceExhausted')
    return [
      steps(
        `Ask your storage team, with the quoted words, what has to change for ${storageName(m)} or ` +
          `${nodeOf(m.p)}: the driver refuses the present state, and repeating the call does not change it. ` +
          `${retryWords}`,
        [],
      ),
    ];
  return [];
}

const fixesById: Readonly<Record<MountSense['id'], (m: FailedMount) => Fix[]>> = {
  driverDown: ({ p, driver }) => [
    restartPlugin(
      p.ask,
      driver,
      nodeOf(p),
      `Save the log of the node plugin on ${nodeOf(p)} and restart it; its DaemonSet recreates the pod. A ` +
        `FUSE driver loses its mounts on the node. ${retryWords}`,
    ),
  ],
  apiForbidden: ({ text, driver }) => [grantFix(text, driver, retryWords)],
  apiMissing: (m) => missingObjectFixes(m),
  noProvider: (m) => [runProviderFix(m)],
  secretsStore: (m) => [secretsStoreFix(m)],
  nodeService: (m) => [startServiceFix(m)],
  names: (m) => namesFixes(m),
  metadataServer: (m) => [metadataServerFix(m)],
  login: (m) => loginFixes(m),
  passphrase: (m) => [
    writeSecretFix(
      m,
      'Write the passphrase with which the volume was encrypted (never format it anew: its data would be lost)',
    ),
  ],
  nfsVersion: (m) => [nfsVersionFix(m)],
  exportMissing: (m) => [exportFix(m)],
  state: (m) => [repairFix(m)],
  credentials: (m) => [credentialsFix(m)],
  action: (m) => allowActionFixes(m),
  policyDenied: (m) => filePolicyFixes(m),
  cephDenied: (m) => cephDeniedFixes(m),
  nfsDenied: (m) => [admitNodeFix(m)],
  wrongLogin: (m) => [writeSecretFix(m, 'Write the right credentials')],
  cluster: (m) => clusterFixes(m),
  helperPod: (m) => helperFixes(m),
  denied: (m) => [writeSecretFix(m, 'If a key or password was changed, write the current one')],
  unknownFeatures: (m) => unknownFeatureFixes(m),
  unknownType: (m) => [loadModuleFix(m, firstGroup(unknownTypeText, m.text))],
  kernelModule: (m) => [loadModuleFix(m, undefined)],
  helper: (m) => [installClientFix(m)],
  program: (m) => [updateImageFix(m)],
  mounted: (m) => mountedFixes(m),
  busy: (m) => busyFixes(m),
  fileSystem: (m) => fileSystemFixes(m),
  fuse: ({ p, driver }) => [
    restartPlugin(
      p.ask,
      driver,
      nodeOf(p),
      `Save the log of the node plugin on ${nodeOf(p)} and restart it. Pods there that use volumes of this ` +
        'driver have to be recreated afterwards.',
    ),
    restartFix(p, 'Then recreate the pod, so that the volume is mounted again.'),
  ],
  staleHandle: ({ p, text }) => [
    ...staleMountFixes(p, text),
    restartFix(p, 'Recreate the pod, so that the directory is mounted again.'),
    steps('If the error stays, ask your storage team whether the export still exists under the same path.', []),
  ],
  blocklist: (m) => [capsFix(m)],
  inUse: (m) => [inUseFix(m)],
  notStaged: ({ p }) => [restartFix(p, 'Recreate the pod, so that the volume is staged and published again.')],
  network: (m) => {
    const service = unknownServiceOf(m);
    return service === undefined ? [...shareManagerFixes(m), networkFix(m)] : windowsServiceFixes(m, service);
  },
  deviceMissing: (m) => deviceFixes(m),
  readOnly: (m) => [readOnlyFix(m)],
  full: (m) => [isSaidByKubelet(m.text) ? freeNodeFix(m) : freeVolumeFix(m)],
  device: (m) => brokenDeviceFixes(m),
  notAttached: (m) => [attachAnewFix(m)],
  gone: (m) => goneFixes(m),
  path: (m) => pathFixes(m),
  podSpec: (m) => podSpecFixes(m),
  multipath: (m) => multipathFixes(m),
  localVolume: (m) => [localVolumeFix(m)],
  staleMount: (m) => [unmountFix(m)],
  checkerTooOld: (m) => [updateImageFix(m, 'a newer e2fsck (e2fsprogs)')],
  notMounted: (m) => [mountOnNodeFix(m)],
  noTarget: (m) => [noTargetFix(m)],
  emptySource: (m) => [emptySourceFix(m)],
  oneUser: (m) => oneUserFixes(m),
  smbVersion: (m) => [smbVersionFix(m)],
  exit: (m) => programFixes(m),
  unresolvedTarget: (m) => unresolvedTargetFixes(m),
  accessType: (m) => accessTypeFixes(m),
  commandMissing: (m) => commandMissingFixes(m),
  damaged: (m) => damagedFixes(m),
  drbd: (m) => drbdFixes(m),
  fenced: (m) => [unfenceFix(m)],
  sidecarMemory: (m) => [sidecarMemoryFix(m)],
  formatFailed: (m) => formatFailedFixes(m),
  options: (m) => [optionsFix(m)],
  notEmpty: (m) => [otherContentFix(m)],
  certificate: ({ driver }) => [
    steps(
      'Ask the owner of the storage to renew the certificate if it has expired, or to issue it for the ' +
        `address that is used; if a private authority signed it, give ${driver ?? 'the driver'} that CA ` +
        `certificate. ${retryWords}`,
      [],
    ),
  ],
  outage: () => [
    steps(
      `Ask your storage team to bring back what the error names (down, overloaded or in maintenance). ${retryWords}`,
      [],
    ),
  ],
  storageBusy: (m) => [
    steps(
      `Ask your storage team what uses or locks ${storageName(m)}, as the error names it, and to end it, ` +
        `release it or wait for it. ${retryWords}`,
      [],
    ),
  ],
  mountFailed: (m) => [
    ...tryMountFixes(m),
    // Windows has neither mount(8) nor dmesg.
    ...(runsWindows(m)
      ? []
      : [
          lookFix(
            m,
            'sh -c "dmesg | tail -n 30"',
            (node) =>
              `Read in the kernel log of ${node} what mount(8) does not say; it decides what to correct. ` +
              `${kernelAnswers(m)} ${retryWords}`,
          ),
        ]),
    ...(smbMountText.test(m.text) && m.use?.volumeObject?.spec?.csi?.nodeStageSecretRef
      ? [writeSecretFix(m, 'If the account key or password was changed, write the current one')]
      : []),
    ...(m.driver === undefined
      ? []
      : [
          readPluginLog(
            m.p.ask,
            m.driver,
            nodeOf(m.p),
            `${runsWindows(m) ? 'Read' : 'If the kernel log is silent, read'} the log of ${m.driver} on ${nodeOf(m.p)}.`,
          ),
        ]),
  ],
};

/** What the kernel prints about a mount that failed, and what follows from it. */
function kernelAnswers({ text, use, driver }: FailedMount): string {
  if (smbMountText.test(text) || /^(?:file\.csi\.azure\.com|smb\.csi\.k8s\.io)$/.test(driver ?? ''))
    return (
      '"STATUS_LOGON_FAILURE" or "-13": write the current key or password into the Secret of the volume. "-115" or ' +
      '"-110": ask the network team to open port 445. "-2": the share does not exist on the server.'
    );
  if (nfsMountText.test(text) || use?.volumeObject?.spec?.nfs)
    return (
      '"not responding" or "timed out": ask the network team to open port 2049. "access denied": ask the owner of the ' +
      'server to admit the node.'
    );
  return (
    '"unknown features": use a newer kernel. "duplicate UUID": add nouuid to the mountOptions of the volume. "I/O error": ' +
    'ask the storage team about the disk. "corrupt": restore a backup, or repair a copy; never format it.'
  );
}

function firstGroup(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.slice(1).find(Boolean);
}
