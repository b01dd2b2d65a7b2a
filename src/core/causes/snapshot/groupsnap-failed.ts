import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { driverWordsOf, quote } from './driver-words.ts';

type Group = ObjectOf<'VolumeGroupSnapshot'>;
type GroupContent = ObjectOf<'VolumeGroupSnapshotContent'>;

const silenceSeconds = 120;

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

function explainGroup(subject: ObjectCase<'VolumeGroupSnapshot'>): Explanation | undefined {
  const { object: group } = subject;
  const content = lookUpContent(subject);
  if (content?.state === 'missing') return explainMissingContent(group);
  return (
    (content?.state === 'found' ? explainError(content.object) : undefined) ??
    explainError(group) ??
    explainSilence(subject)
  );
}

function contentNameOf({ spec, status }: Group): string | undefined {
  return status?.boundVolumeGroupSnapshotContentName || spec?.source?.volumeGroupSnapshotContentName;
}

function lookUpContent({ object: group, ask }: ObjectCase<'VolumeGroupSnapshot'>): Lookup<GroupContent> | undefined {
  const name = contentNameOf(group);
  if (!name) return undefined;
  return ask.get(
    'VolumeGroupSnapshotContent',
    undefined,
    name,
    `what became of volumegroupsnapshot/${group.metadata.name} on the storage`,
  );
}

function explainMissingContent(group: Group): Explanation {
  const { name, namespace } = group.metadata;
  const contentName = contentNameOf(group) ?? '';
  const path = group.status?.boundVolumeGroupSnapshotContentName
    ? 'status.boundVolumeGroupSnapshotContentName'
    : 'spec.source.volumeGroupSnapshotContentName';
  return {
    summary: `volumegroupsnapshotcontent/${contentName}, which stands for volumegroupsnapshot/${name}, does not exist`,
    evidence: [field(group, path), absent('VolumeGroupSnapshotContent', contentName)],
    fix: [
      fix(
        'bring the content back, or delete the group and take it again',
        `kubectl ${inNamespace(namespace)}describe volumegroupsnapshot ${shellWord(name)}`,
        'disruptive',
      ),
    ],
  };
}

function explainError(object: Group | GroupContent): Explanation | undefined {
  const error = object.status?.error;
  if (!error?.message) return undefined;
  const kind = object.kind.toLowerCase();
  const { name, namespace } = object.metadata;
  const { code, text, meaning, advice } = driverWordsOf(error.message);
  return {
    summary: `${kind}/${name} cannot be taken${meaning ? `, since ${meaning}` : ''}: ${quote(code === undefined ? text : `${code}: ${text}`)}`,
    evidence: [field(object, 'status.error.message', error.message, error.time)],
    fix: [
      ...advice,
      fix(
        'act on what it says: it is tried again by itself',
        `kubectl ${inNamespace(namespace)}describe ${kind} ${shellWord(name)}`,
      ),
    ],
  };
}

/** The feature gate CSIVolumeGroupSnapshot of the controller and of the sidecar is off by default. */
function explainSilence(subject: ObjectCase<'VolumeGroupSnapshot'>): Explanation | undefined {
  const { object: group } = subject;
  if (!isUntouched(group) || subject.ageSeconds < silenceSeconds) return undefined;
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

function isUntouched({ status, metadata }: Group): boolean {
  return (
    status?.readyToUse === undefined &&
    !status?.boundVolumeGroupSnapshotContentName &&
    (metadata.finalizers ?? []).length === 0
  );
}
