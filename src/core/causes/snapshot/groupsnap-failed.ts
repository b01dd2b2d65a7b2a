import type { ObjectOf } from '../../kube/kinds.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { driverWordsOf, quote } from './driver-words.ts';

type Group = ObjectOf<'VolumeGroupSnapshot'>;
type GroupContent = ObjectOf<'VolumeGroupSnapshotContent'>;

const silenceSeconds = 120;

/** groupsnapshot_controller_helper.go: the same shape as single snapshots, and an error that is written down is the last word. */
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

function explainGroup(subject: ObjectCase<'VolumeGroupSnapshot'>): Explanation | undefined {
  const { object: group, ask } = subject;
  const named = group.status?.boundVolumeGroupSnapshotContentName || group.spec?.source?.volumeGroupSnapshotContentName;
  const content = named
    ? ask.get(
        'VolumeGroupSnapshotContent',
        undefined,
        named,
        `what became of volumegroupsnapshot/${group.metadata.name} on the storage`,
      )
    : undefined;
  if (named && content?.state === 'missing') {
    return {
      summary: `volumegroupsnapshotcontent/${named}, which stands for volumegroupsnapshot/${group.metadata.name}, does not exist`,
      evidence: [
        field(
          group,
          group.status?.boundVolumeGroupSnapshotContentName
            ? 'status.boundVolumeGroupSnapshotContentName'
            : 'spec.source.volumeGroupSnapshotContentName',
        ),
        absent('VolumeGroupSnapshotContent', named),
      ],
      fix: [
        fix(
          'bring the content back, or delete the group and take it again',
          `kubectl ${inNamespace(group.metadata.namespace)}describe volumegroupsnapshot ${shellWord(group.metadata.name)}`,
          'disruptive',
        ),
      ],
    };
  }
  return (
    (content?.state === 'found' ? explainError(content.object) : undefined) ??
    explainError(group) ??
    explainSilence(subject, group)
  );
}

function explainError(object: Group | GroupContent): Explanation | undefined {
  const error = object.status?.error;
  if (!error?.message) return undefined;
  const kind = object.kind.toLowerCase();
  const words = driverWordsOf(error.message);
  return {
    summary: `${kind}/${object.metadata.name} cannot be taken${words.meaning ? `, since ${words.meaning}` : ''}: ${quote(words.code === undefined ? words.text : `${words.code}: ${words.text}`)}`,
    evidence: [field(object, 'status.error.message', error.message, error.time)],
    fix: [
      ...words.advice,
      fix(
        'act on what it says: it is tried again by itself',
        `kubectl ${inNamespace(object.metadata.namespace)}describe ${kind} ${shellWord(object.metadata.name)}`,
      ),
    ],
  };
}

/** The feature gate CSIVolumeGroupSnapshot of the controller and of the sidecar is off unless it is set. */
function explainSilence(subject: ObjectCase<'VolumeGroupSnapshot'>, group: Group): Explanation | undefined {
  if (
    group.status?.readyToUse !== undefined ||
    group.status?.boundVolumeGroupSnapshotContentName ||
    (group.metadata.finalizers ?? []).length > 0 ||
    subject.ageSeconds < silenceSeconds
  )
    return undefined;
  return {
    confidence: 'likely',
    summary: `nobody has taken up volumegroupsnapshot/${group.metadata.name}: the snapshot controller does not run, or group snapshots are not switched on in it`,
    evidence: [field(group, 'status')],
    fix: [
      fix(
        'start the snapshot controller, and the csi-snapshotter of the driver, with --feature-gates=CSIVolumeGroupSnapshot=true',
        'kubectl get deploy -A | grep -i snapshot-controller',
      ),
    ],
  };
}
