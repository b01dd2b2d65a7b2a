import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerStatusesOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { ContainerStatus, Pod, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { appliesFsGroup } from './fs-group.ts';
import { podWords, volumeWords } from './told-volume.ts';

/** Reported only where a container fails, because most programs never notice. */
export const mountFsgroupSkipped = podRule({
  cause: 'mount-fsgroup-skipped',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const { pod } = p;
    const group = pod.spec?.securityContext?.fsGroup;
    if (group === undefined || !hasMountedVolumes(pod) || pod.metadata.deletionTimestamp !== undefined)
      return undefined;
    const container = containerStatusesOf(pod).find(isFailing);
    const skipped = container && findSkippedVolume(p);
    if (!skipped) return undefined;
    const policy = policyOf(p, skipped.driver);
    return {
      about: skipped.driver,
      summary:
        `The kubelet does not apply fsGroup ${group} of ${podWords(p)} to ${volumeWords(skipped.use)}, because ` +
        `${describeReason(skipped, policy)}. ` +
        `Container ${container.name ?? ''} fails and may lack the right to write there.`,
      evidence: evidenceOf(p, skipped, policy),
      fix: adviceFor(pod, container, skipped.driver, policy),
    };
  },
});

interface SkippedVolume {
  readonly use: VolumeUse;
  readonly volume: Volume;
  readonly driver: string;
}

function isFailing({ state, lastState, ready }: ContainerStatus): boolean {
  const exitCode = state?.terminated?.exitCode ?? lastState?.terminated?.exitCode ?? 0;
  return ready !== true && (state?.waiting?.reason === 'CrashLoopBackOff' || exitCode !== 0);
}

function findSkippedVolume(p: PodCase): SkippedVolume | undefined {
  const use = volumeUsesOf(p).find(
    (candidate) =>
      candidate.volumeObject?.spec?.volumeMode !== 'Block' &&
      candidate.volumeObject?.spec?.csi !== undefined &&
      appliesFsGroup(p, candidate) === false,
  );
  const volume = use?.volumeObject;
  const driver = use?.driver;
  return use && volume && driver !== undefined ? { use, volume, driver } : undefined;
}

function policyOf(p: PodCase, driver: string): string {
  const object = p.ask.get('CSIDriver', undefined, driver);
  return (object.state === 'found' ? object.object.spec?.fsGroupPolicy : undefined) ?? 'not set';
}

function describeReason({ volume, driver }: SkippedVolume, policy: string): string {
  if (policy === 'None') return `fsGroupPolicy of ${driver} is None`;
  return volume.spec?.csi?.fsType ? 'its access modes do not hold ReadWriteOnce' : 'it has no fsType';
}

function evidenceOf(p: PodCase, { volume, driver }: SkippedVolume, policy: string): Explanation['evidence'] {
  const object = p.ask.get('CSIDriver', undefined, driver);
  return [
    field(p.pod, 'spec.securityContext.fsGroup'),
    ...(object.state === 'found' ? [field(object.object, 'spec.fsGroupPolicy', policy)] : []),
    field(volume, 'spec.csi.fsType'),
    field(volume, 'spec.accessModes'),
  ];
}

function adviceFor({ metadata }: Pod, { name = '' }: ContainerStatus, driver: string, policy: string): Fix[] {
  const readLog = steps(
    'Read why the container ended. If it says "permission denied", run it as the user that owns the files ' +
      '(runAsUser), or change their owner in the storage; otherwise fsGroup is not the reason.',
    [
      `kubectl ${inNamespace(metadata.namespace)}logs ${shellWord(metadata.name)} -c ${shellWord(name)} --previous --tail=20`,
    ],
  );
  if (policy === 'None') return [readLog];
  return [
    readLog,
    steps(
      `If the volumes of ${driver} can change their group, let the kubelet apply fsGroup to all of them. Recreate the pod afterwards.`,
      [patchCommand({ kind: 'CSIDriver', metadata: { name: driver } }, { spec: { fsGroupPolicy: 'File' } })],
      'disruptive',
    ),
  ];
}
