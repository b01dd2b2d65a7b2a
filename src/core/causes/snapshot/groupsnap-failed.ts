import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { controllerContainerOf } from '../../facts/snapshot/snapshot-controller.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { driverWordsOf, senseFixes, tellWords } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { objectText } from './snapshot-rule.ts';

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
  const contentName = contentNameOf(group) ?? '';
  const path = group.status?.boundVolumeGroupSnapshotContentName
    ? 'status.boundVolumeGroupSnapshotContentName'
    : 'spec.source.volumeGroupSnapshotContentName';
  return {
    summary: `VolumeGroupSnapshotContent "${contentName}", which ${objectText(group)} names, does not exist.`,
    evidence: [field(group, path), absent('VolumeGroupSnapshotContent', contentName)],
    fix: [
      steps(
        'If the snapshots of the group are not needed, or were never taken, recreate the group: save it, delete it and create it again. New snapshots are then taken at once. Otherwise restore the content from your backup of the objects first.',
        recreateCommands(group, {}),
        'data-loss',
      ),
    ],
  };
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
    fix: errorFixes(object, words),
  };
}

/** groupsnapshot_controller_helper.go: the selector of the group matches no claim of its namespace. */
const unmatchedText = /label selector (\S+) for group snapshot not applied to any PVC/;

function errorFixes(object: Group | GroupContent, words: DriverWords): Fix[] {
  const retry = 'The group is retried automatically within 5 minutes.';
  const { namespace } = object.metadata;
  const selector = unmatchedText.exec(words.text)?.[1];
  if (selector !== undefined)
    return [
      steps(
        `Label the claims that belong to the group (PLACEHOLDER_CLAIM): no claim of the namespace matches its selector ${selector}. ${retry}`,
        [`kubectl ${inNamespace(namespace)}label pvc PLACEHOLDER_CLAIM ${shellWord(selector)}`],
      ),
    ];
  if (words.code === 'Unimplemented')
    return [
      fix(
        'Upgrade the driver to a release with group snapshots, or take a VolumeSnapshot of each claim instead: this release does not offer them.',
      ),
    ];
  const known = senseFixes(words);
  return known.length > 0
    ? known
    : [fix(`Correct what the error names: in the group, in its class or on the storage. ${retry}`)];
}

/** The feature gate CSIVolumeGroupSnapshot of the controller and of the sidecar is off by default. */
function explainSilence(subject: ObjectCase<'VolumeGroupSnapshot'>): Explanation | undefined {
  const { object: group } = subject;
  if (!isUntouched(group) || subject.ageSeconds < silenceSeconds) return undefined;
  return {
    confidence: 'likely',
    summary: `${objectText(group)} has not been picked up: no snapshot controller is running, or group snapshots are switched off in it (feature gate CSIVolumeGroupSnapshot).`,
    evidence: [field(group, 'status')],
    fix: [switchOn(subject)],
  };
}

const gate = '--feature-gates=CSIVolumeGroupSnapshot=true';

function switchOn({ ask }: ObjectCase<'VolumeGroupSnapshot'>): Fix {
  const text = `Switch group snapshots on in the snapshot controller, and with the same flag (${gate}) in the csi-snapshotter of the driver, best in the chart that installs them.`;
  const deployment = ask.seen('Deployment').find(({ spec }) => controllerContainerOf(spec?.template?.spec));
  const container = controllerContainerOf(deployment?.spec?.template?.spec);
  const index = container ? (deployment?.spec?.template?.spec?.containers ?? []).indexOf(container) : 0;
  const path = `/spec/template/spec/containers/${index}/args`;
  const patch =
    container && (container.args ?? []).length === 0
      ? [{ op: 'add', path, value: [gate] }]
      : [{ op: 'add', path: `${path}/-`, value: gate }];
  const more = `--type=json -p ${shellWord(JSON.stringify(patch))}`;
  return deployment
    ? steps(`${text} The group is then taken automatically.`, [kubectl('patch', deployment, more)], 'disruptive')
    : steps(
        `${text} PLACEHOLDER_NAMESPACE and PLACEHOLDER_NAME are in the first line. The group is then taken automatically.`,
        [
          'kubectl get deploy -A -o wide | grep -i snapshot-controller',
          `kubectl -n PLACEHOLDER_NAMESPACE patch deployment PLACEHOLDER_NAME ${more}`,
        ],
        'disruptive',
      );
}

function isUntouched({ status, metadata }: Group): boolean {
  return (
    status?.readyToUse === undefined &&
    !status?.boundVolumeGroupSnapshotContentName &&
    (metadata.finalizers ?? []).length === 0
  );
}
