import type { Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { groupRefImmutableText } from '../lib/driver-error/sentences/snapshots.ts';
import { grantFix } from '../lib/grant.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { driverWordsOf, senseFixes, tellWords } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { contentNameOf, groupRetry, lookUpContent } from './group-snapshot.ts';
import type { Group, GroupCase, GroupContent } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** groupsnapshot_controller_helper.go: the same fields as single snapshots, with the latest error in the status. */
export const groupsnapFailed: readonly AnyObjectRule[] = [
  objectRule('VolumeGroupSnapshot', {
    cause: 'groupsnap-failed',
    stage: 'snapshot',
    severity: 'blocking',
    explain: explainGroup,
  }),
  objectRule('VolumeGroupSnapshotContent', {
    cause: 'groupsnap-failed',
    stage: 'snapshot',
    severity: 'blocking',
    explain: ({ object }) => explainError(object),
  }),
];

function explainGroup(subject: GroupCase): Explanation | undefined {
  const content = lookUpContent(subject);
  return (content?.state === 'found' ? explainError(content.object) : undefined) ?? explainError(subject.object);
}

function explainError(object: Group | GroupContent): Explanation | undefined {
  const error = object.status?.error;
  if (!error?.message) return undefined;
  const words = driverWordsOf(error.message);
  const driver = object.kind === 'VolumeGroupSnapshotContent' ? object.spec?.driver : undefined;
  const who = words.code === undefined ? 'The snapshot controller' : (driver ?? 'The driver');
  return {
    summary: tellWords(`${objectText(object)} has not been taken. ${who} reports`, words),
    evidence: [field(object, 'status.error.message', error.message, error.time)],
    fix: errorFixes(object, words, driver ?? 'the driver'),
  };
}

function errorFixes(object: Group | GroupContent, words: DriverWords, driver: string): Fix[] {
  if (groupRefImmutableText.test(words.text)) return [bindByHand(object), upgradeDefinitions];
  if (accountForbiddenText.test(words.text)) return [grantFix(words.text, driver, groupRetry)];
  const known = senseFixes(words);
  return known.length > 0 ? known : [fix(`${adviceFor(words, driver)} ${groupRetry}`)];
}

/** What the code leaves to do, where the words are not known (CSI spec, CreateVolumeGroupSnapshot). */
function adviceFor({ code }: DriverWords, driver: string): string {
  switch (code) {
    case undefined:
      return 'Correct what the error names: in the group, in its class or on the storage.';
    case 'PermissionDenied':
    case 'Unauthenticated':
      return `Ask the owner of the storage to allow the identity of ${driver} what the error names.`;
    case 'InvalidArgument':
      return `Correct what ${driver} names: in the parameters of the VolumeGroupSnapshotClass, or among the members of the group.`;
    case 'FailedPrecondition':
    case 'Aborted':
      return 'Let the volumes of the group reach the state that the error asks for (attached or detached, no other operation running).';
    case 'ResourceExhausted':
      return 'Ask the owner of the storage to raise the limit that the error names, or delete snapshots there that are no longer needed.';
    case 'NotFound':
      return `Ask the owner of the storage whether all volumes of the group exist in the account and region that ${driver} uses.`;
    default:
      return (
        'Ask your storage team, with the quoted words, why the volumes of the group cannot be snapshotted ' +
        'together, and correct what they name.'
      );
  }
}

function bindByHand(object: Group | GroupContent): Fix {
  const isGroup = object.kind === 'VolumeGroupSnapshot';
  const name = isGroup ? (contentNameOf(object) ?? 'PLACEHOLDER_CONTENT') : object.metadata.name;
  const uid = (isGroup ? object.metadata.uid : undefined) ?? 'PLACEHOLDER_UID';
  const content = { kind: 'VolumeGroupSnapshotContent', metadata: { name } } as const;
  return steps(
    `Recreate VolumeGroupSnapshotContent "${name}" with the uid of the group: the installed definition ` +
      'does not let the snapshot controller add it later. Retain keeps the snapshots on the ' +
      `storage.${uid === 'PLACEHOLDER_UID' ? ' PLACEHOLDER_UID is the metadata.uid of the group.' : ''} ` +
      `${groupRetry}`,
    [
      patchCommand(content, { spec: { deletionPolicy: 'Retain' } }),
      ...recreateCommands(content, { spec: { volumeGroupSnapshotRef: { uid } } }),
    ],
    'disruptive',
  );
}

const upgradeDefinitions = fix(
  'Or upgrade the definitions of the group snapshots together with the snapshot controller ' +
    '(kubernetes-csi/external-snapshotter): newer ones let it write that field.',
);
