import { field, shellWord } from '../../facts/evidence.ts';
import { imageVersion } from '../../facts/driver/driver-version.ts';
import { controllerContainerOf, deploymentsNearController } from '../../facts/snapshot/snapshot-controller.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Container, ObjectOf } from '../../kube/kinds.ts';
import type { ServerVersion } from '../../kube/version.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { ruleForGroup } from './group-snapshot.ts';
import type { Group } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

const silenceSeconds = 120;
const gate = '--feature-gates=CSIVolumeGroupSnapshot=true';
/** The flag of releases before 8.2. */
const oldFlag = '--enable-volume-group-snapshots=true';

/**
 * The feature is off by default up to 8.6 of the external-snapshotter, and on in what follows. Nothing happens to a
 * group while it is off, and nothing is reported.
 */
export const groupsnapSwitchedOff = ruleForGroup('groupsnap-switched-off', (subject) => {
  const { object: group } = subject;
  if (!isUntouched(group)) return undefined;
  const found = findController(subject.ask);
  const version = found && versionOf(found.container);
  const isOn = found !== undefined && hasGate(found.container, version);
  // Off by its own flags and version: no wait changes that. Otherwise the silence has to tell.
  const isKnownOff = version !== undefined && !isOn;
  if (!isKnownOff && subject.ageSeconds < silenceSeconds) return undefined;
  return {
    confidence: 'likely',
    about: 'group snapshots',
    summary: `${objectText(group)} has not been picked up: ${reasonOf(version, isOn)}.`,
    evidence: [field(group, 'status'), ...controllerEvidence(found)],
    fix: isOn ? [restartController(found)] : [switchOn(found, version)],
  };
});

interface FoundController {
  readonly deployment: ObjectOf<'Deployment'>;
  readonly container: Container;
}

function findController(ask: Inquiry): FoundController | undefined {
  for (const deployment of deploymentsNearController(ask)) {
    const container = controllerContainerOf(deployment.spec?.template?.spec);
    if (container) return { deployment, container };
  }
  return undefined;
}

function versionOf({ image }: Container): ServerVersion | undefined {
  return parseServerVersion(imageVersion(image));
}

function hasGate({ args = [], command = [] }: Container, version: ServerVersion | undefined): boolean {
  const words = [...command, ...args].join(' ');
  if (/CSIVolumeGroupSnapshot=false/.test(words)) return false;
  return (
    /CSIVolumeGroupSnapshot=true|enable-volume-group-snapshots(?!=false)/.test(words) || atLeast(version, 8, 7) === true
  );
}

function reasonOf(version: ServerVersion | undefined, isOn: boolean): string {
  if (isOn)
    return (
      'group snapshots are switched on in the snapshot controller, and it does nothing for them: ' +
      'it is not running, or cannot read their API'
    );
  if (version === undefined)
    return (
      'no snapshot controller is running, or group snapshots are switched off in it (feature gate ' +
      'CSIVolumeGroupSnapshot, off by default up to 8.6)'
    );
  return (
    `group snapshots are switched off in the snapshot controller (${version.major}.${version.minor}; ` +
    'up to 8.6 they are off by default)'
  );
}

function controllerEvidence(found: FoundController | undefined): Evidence[] {
  if (!found) return [];
  const { deployment, container } = found;
  const path = `spec.template.spec.containers[${container.name ?? ''}]`;
  return [
    field(deployment, `${path}.image`, container.image),
    field(deployment, `${path}.args`, (container.args ?? []).join(' ') || 'none'),
  ];
}

function switchOn(found: FoundController | undefined, version: ServerVersion | undefined): Fix {
  const flag = atLeast(version, 8, 2) === false ? oldFlag : gate;
  const text =
    `Switch group snapshots on in the snapshot controller, and with the same flag (${flag}) in the ` +
    'csi-snapshotter of the driver, best in the chart that installs them.';
  if (!found)
    return steps(
      `${text} PLACEHOLDER_NAMESPACE and PLACEHOLDER_NAME are in the first line; ` +
        `releases before 8.2 have the flag ${oldFlag}, and those after 8.6 need none. ` +
        'The group is then taken automatically.',
      [
        'kubectl get deploy -A -o wide | grep -i snapshot-controller',
        `kubectl -n PLACEHOLDER_NAMESPACE patch deployment PLACEHOLDER_NAME ${patchOf(0, true, gate)}`,
      ],
      'disruptive',
    );
  const { deployment, container } = found;
  const index = Math.max(0, (deployment.spec?.template?.spec?.containers ?? []).indexOf(container));
  const patch = patchOf(index, (container.args ?? []).length > 0, flag);
  return steps(`${text} The group is then taken automatically.`, [kubectl('patch', deployment, patch)], 'disruptive');
}

function patchOf(index: number, hasArgs: boolean, flag: string): string {
  const path = `/spec/template/spec/containers/${index}/args`;
  const patch = hasArgs ? [{ op: 'add', path: `${path}/-`, value: flag }] : [{ op: 'add', path, value: [flag] }];
  return `--type=json -p ${shellWord(JSON.stringify(patch))}`;
}

function restartController({ deployment }: FoundController): Fix {
  const { namespace = '', name } = deployment.metadata;
  return steps(
    'Read why the snapshot controller does nothing for groups (it exits if the API of group snapshots is not ' +
      'served in the version that it wants), install the CRDs of its release if so, and restart it.',
    [
      `kubectl -n ${shellWord(namespace)} logs deployment/${shellWord(name)} --tail=50`,
      `kubectl get crd volumegroupsnapshots.groupsnapshot.storage.k8s.io -o jsonpath='{.spec.versions[*].name}'`,
      `kubectl -n ${shellWord(namespace)} rollout restart deployment/${shellWord(name)}`,
    ],
    'disruptive',
  );
}

function isUntouched({ status, metadata }: Group): boolean {
  return (
    status?.readyToUse === undefined &&
    status?.error === undefined &&
    !status?.boundVolumeGroupSnapshotContentName &&
    (metadata.finalizers ?? []).length === 0
  );
}
