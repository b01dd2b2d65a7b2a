import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { absentThingIn } from '../lib/driver-error/senses/missing.ts';
import { saysLimit } from '../lib/driver-error/senses/capacity.ts';
import { saysNoAnswer, saysTimeout } from '../lib/driver-error/senses/time.ts';
import { saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { attacherOwnTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import type { DriverError } from '../lib/driver-error/parse.ts';
import { classifyError } from '../lib/driver-error/provision-failure.ts';
import type { ErrorKind } from '../lib/driver-error/provision-failure.ts';
import { speaksOfUse } from '../lib/driver-error/in-use-words.ts';
import { kubeletReadings } from './kubelet.ts';
import type { Reading } from './wording.ts';

/** Which step a driver's answer belongs to. */
export type Call =
  'provision' | 'attach' | 'detach' | 'mount' | 'expand' | 'nodeExpand' | 'modify' | 'snapshot' | 'delete';

/**
 * What is named first counts: the speaker comes before what is quoted. If two begin together, the first of the table.
 */
const signs: readonly (readonly [Call, RegExp])[] = [
  [
    'delete',
    /\bVolumeFailedDelete\b|\bDeleteVolume\b|deletion of volume "[^"]*" failed|delete "[^"]*": volume deletion failed|volume deletion failed/,
  ],
  ['modify', /\bVolumeModifyFailed\b|\bControllerModifyVolume\b|\bModifyVolumeError\b|Could not modify volume \(/],
  [
    'snapshot',
    /\bSnapshot(?:Content)?(?:Creation|CheckandUpdate|Delete)\w*\b|failed to take snapshot|\bCreateSnapshot\b|\bDeleteSnapshot\b|\bListSnapshots\b/,
  ],
  ['nodeExpand', /NodeExpandVolume/],
  [
    'expand',
    /\bVolumeResizeFailed\b|\bControllerExpandVolume\b|by resizer "|failed to expand pvc with|error expanding volume "|\bControllerResizeError\b/i,
  ],
  ['detach', /DetachVolume\.Detach|failed to detach|ControllerUnpublishVolume|\bdetachError\b/],
  [
    'attach',
    /AttachVolume\.Attach(?! succeeded)|\bFailedAttachVolume\b|failed to attach: |(?:Controller)PublishVolume(?! must)|\battachError\b|could not attach volume/i,
  ],
  [
    'mount',
    /\bFailedMount\b|\bFailedMapVolume\b|(?<!Un)(?:MountVolume|MapVolume)\.\w+|\bMountDevice failed|applyFSGroup failed|attacher\.MountDevice|mounter\.SetUp|\bNode(?:Stage|Publish)Volume\b|fetching Node\w+SecretRef|Mounting arguments:|\brbd: map failed|Unable to (?:attach or )?mount volumes|mount failed: exit status|\/sbin\/mount\.|\bmount\.nfs\b|\bmount error\(|access denied by server/i,
  ],
  [
    'provision',
    /\bProvisioningFailed\b|failed to provision volume|\bCreateVolume\b|provisioning failed|Could not create volume|infeasible error|error generating accessibility requirements|error getting handle for DataSource/i,
  ],
];

/** Which step the words name, if any. */
export function callOf(text: string): Call | undefined {
  let [first, named]: [number, Call | undefined] = [Infinity, undefined];
  for (const [call, pattern] of signs) {
    const start = pattern.exec(text)?.index ?? Infinity;
    if (start < first) [first, named] = [start, call];
  }
  return named;
}

/** What the answer to a call can mean, best first: as the rules read it. */
export function readingsOfCall(call: Call, text: string): readonly Reading[] {
  switch (call) {
    case 'provision':
      return provisionReadings(text);
    case 'attach':
      return attachReadings(parseDriverError(text));
    case 'detach':
      return [{ cause: 'detach-rpc-error' }];
    case 'mount':
      return kubeletReadings(text);
    case 'expand':
      return expandReadings(parseDriverError(text));
    case 'nodeExpand':
      return [{ cause: 'resize-node-error' }];
    case 'modify':
      return modifyReadings(parseDriverError(text));
    case 'snapshot':
      return /\bDeleteSnapshot\b|\bSnapshotDelete/.test(text)
        ? [{ cause: 'snap-delete-failed' }]
        : [{ cause: 'snap-create-failed' }];
    default:
      return [{ cause: 'pv-delete-rpc-failed' }];
  }
}

const causesOfProvision: Readonly<Record<Exclude<ErrorKind, 'elsewhere'>, string>> = {
  background: 'provision-in-background',
  infeasible: 'provision-infeasible',
  invalidArgument: 'provision-invalid-argument',
  accessMode: 'provision-accessmode-unsupported',
  exhausted: 'provision-resource-exhausted',
  outOfRange: 'provision-out-of-range',
  alreadyExists: 'provision-already-exists',
  sourceNotFound: 'provision-source-not-found',
  credentials: 'provision-credentials',
  unimplemented: 'provision-unimplemented',
  internal: 'provision-internal',
  sizeShort: 'provision-size-short',
  contentSourceMissing: 'provision-content-source-missing',
  saveFailed: 'provision-pv-save-failed',
};

const sourceWords = /\bsource\b|\bsnap(?:shot)?\b|\bclone\b/i;
/**
 * From here on the words are the provisioner's error; an event has its columns before it, a log the name of the claim.
 */
const errorStart =
  /(?:failed to provision volume with storage ?class|Volume provisioning failed with infeasible|rpc error: code|googleapi: )/i;

function provisionReadings(text: string): readonly Reading[] {
  const error = text.slice(errorStart.exec(text)?.index ?? 0);
  const hasSource = sourceWords.test(parseDriverError(error).words);
  const { kind, code } = classifyError(error, { hasSource, reason: '', modes: [] });
  if (kind === 'elsewhere') {
    const block = classifyError(error, { hasSource, reason: '', modes: [], isBlock: true });
    return block.kind === 'elsewhere' ? [] : [{ cause: causesOfProvision[block.kind] }];
  }
  const first: Reading = { cause: causesOfProvision[kind] };
  const also = alsoMeant[kind];
  const crashed: readonly Reading[] = isWithoutDriver.test(error) ? [driverGone] : [];
  const asBlock = classifyError(error, { hasSource, reason: '', modes: [], isBlock: true });
  if (asBlock.kind === 'elsewhere')
    return [{ cause: 'provision-block-unsupported', when: 'the claim has volumeMode: Block' }, first];
  const asShared = classifyError(error, { hasSource, reason: '', modes: ['ReadWriteMany'] });
  if (asShared.kind === 'accessMode' && kind !== 'accessMode')
    return [
      { cause: 'provision-accessmode-unsupported', when: 'the claim asks for an access mode other than ReadWriteOnce' },
      first,
    ];
  if (kind === 'internal' && inTreeStart.test(text))
    return [
      first,
      { cause: 'provision-in-tree-failed', when: 'the class names an in-tree provisioner (kubernetes.io/…)' },
    ];
  if (code === 'NotFound' && kind !== 'sourceNotFound')
    return [first, { cause: 'provision-source-not-found', when: 'the claim has a dataSource' }];
  return [first, ...crashed, ...(also ? [also] : [])];
}

/** The volume controller writes a capital, the external provisioner does not. */
const inTreeStart = /Failed to provision volume with StorageClass(?![^]*rpc error)/;
/** The provisioner has lost its driver. */
const isWithoutDriver = /error reading from server: EOF|dial unix|transport is closing/;
const driverGone: Reading = {
  cause: 'provisioner-crashloop',
  when: 'the driver container next to the provisioner restarts',
};
/** What the same answer means in special circumstances. */
const alsoMeant: Partial<Record<ErrorKind, Reading>> = {
  exhausted: {
    cause: 'wffc-provision-rescheduled',
    when: 'the class waits for the first consumer, and the claim loses its selected-node annotation again and again',
  },
};

function attachReadings(error: DriverError): readonly Reading[] {
  if (saysNoAnswer(error) || attacherOwnTexts.test(error.raw)) return [];
  if (saysLimit(error)) return [{ cause: 'attach-rpc-limit' }];
  if (saysCredentials(error)) return [{ cause: 'attach-rpc-credentials' }];
  if (saysAttachedElsewhere(error)) return [{ cause: 'attach-rpc-attached-elsewhere' }];
  const isWrapped = error.code === undefined || error.code === 'Internal' || error.code === 'Unknown';
  if (error.code === 'NotFound' || (isWrapped && absentThingIn(error.words) !== undefined))
    return [{ cause: 'attach-rpc-not-found' }];
  return [{ cause: saysTimeout(error) ? 'attach-rpc-timeout' : 'attach-rpc-error' }];
}

const infeasible: readonly (string | undefined)[] = ['InvalidArgument', 'OutOfRange', 'NotFound'];

function expandReadings({ outerCode: code, raw }: DriverError): readonly Reading[] {
  if (speaksOfUse({ code, text: raw })) return [{ cause: 'resize-offline-only' }];
  if (infeasible.includes(code))
    return [{ cause: 'resize-controller-infeasible' }, { cause: 'resize-controller-error' }];
  return mayPass(code)
    ? [{ cause: 'resize-controller-in-progress' }, { cause: 'resize-controller-error' }]
    : [{ cause: 'resize-controller-error' }];
}

function modifyReadings({ outerCode: code }: DriverError): readonly Reading[] {
  if (code === 'InvalidArgument') return [{ cause: 'modify-infeasible' }];
  return mayPass(code) ? [{ cause: 'modify-in-progress' }, { cause: 'modify-error' }] : [{ cause: 'modify-error' }];
}

/** The code, written without `code =` or with nothing behind it. */
const bareCode = /(?<!code = )\b([A-Z]\w+) desc = /;
/** An answer of a driver without a word about the call: each step has its own cause for the code. */
export function readingsWithoutCall(said: string): readonly Reading[] {
  const isBareTimeout = !/\bcode = |\bdesc = /.test(said) && /context deadline exceeded/i.test(said);
  const text = isBareTimeout
    ? `rpc error: code = DeadlineExceeded desc = ${said}`
    : said.replace(bareCode, 'code = $1 desc = ');
  const error = parseDriverError(text);
  const options: readonly (readonly [readonly Reading[], string])[] = [
    [provisionReadings(text), 'a claim is Pending (CreateVolume)'],
    [
      attachReadings(error),
      'a pod waits for FailedAttachVolume, or a VolumeAttachment shows it (ControllerPublishVolume)',
    ],
    [
      kubeletReadings(`MountVolume.MountDevice failed for volume "unknown" : ${text}`),
      'a pod reports FailedMount (NodeStageVolume, NodePublishVolume)',
    ],
    [expandReadings(error), 'a claim should grow (ControllerExpandVolume)'],
  ];
  return options.flatMap(([readings, when]) => readings.slice(0, 1).map(({ cause }) => ({ cause, when })));
}
