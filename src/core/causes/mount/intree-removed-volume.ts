import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Volume } from '../../kube/kinds.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { kubeletVersion, versionEvidence } from './kubelet-plugin.ts';
import { podWords, sentenceStart } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';
import { noPluginTexts } from '../lib/driver-error/sentences/kubelet.ts';

/** The minor version since which the kubelet has no plugin for a source, and no CSI driver takes its volumes over. */
export const removedSources = [
  { source: 'scaleIO', since: 22 },
  { source: 'flocker', since: 25 },
  { source: 'quobyte', since: 25 },
  { source: 'storageos', since: 25 },
  { source: 'glusterfs', since: 26 },
  { source: 'cephfs', since: 31 },
  { source: 'rbd', since: 31 },
] as const;

export const intreeRemovedVolume = podRule({
  cause: 'intree-removed-volume',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const removed = findRemovedVolume(p);
    if (!removed) return undefined;
    const { volume, source, since } = removed;
    const version = kubeletVersion(p);
    const isRemoved = atLeast(version, 1, since);
    const failure = findVolumeFailure(p, noPluginTexts);
    if (isRemoved === false || (isRemoved === undefined && !failure)) return undefined;
    return {
      confidence: isRemoved ? 'certain' : 'likely',
      about: source,
      summary:
        `${sentenceStart(volume.label)} of ${podWords(p)} is a ${source} volume, and Kubernetes has had no ` +
        `plugin for these since 1.${since}.`,
      evidence: [
        field(volume.owner, `${volume.path}.${source}`, JSON.stringify(volume.source[source])),
        ...versionEvidence(p, version),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: adviceFor(p, removed),
    };
  },
});

type RemovedVolume = (typeof removedSources)[number] & { readonly volume: WaitingVolume };

function findRemovedVolume(p: PodCase): RemovedVolume | undefined {
  return waitingVolumes(p).flatMap((volume) =>
    removedSources
      .filter(({ source }) => volume.source[source] !== undefined)
      .map((removed): RemovedVolume => ({ ...removed, volume })),
  )[0];
}

/** The CSI drivers of these storages, where one exists that reads the same data. */
const successors: Readonly<Record<string, string>> = { cephfs: 'cephfs.csi.ceph.com', rbd: 'rbd.csi.ceph.com' };

function adviceFor(p: PodCase, { volume, source }: RemovedVolume): Fix[] {
  const driver = successors[source];
  const install = steps(
    `Install ${driver === undefined ? 'the CSI driver of this storage' : `the CSI driver ${driver}`}: ` +
      'it can use the same data. The next step moves the volume to it.',
    [],
  );
  const object = volume.owner.kind === 'PersistentVolume' ? (volume.owner as Volume) : undefined;
  const claim = p.claims.find(({ volumeName }) => volumeName === object?.metadata.name)?.claim;
  if (!object || !claim)
    return [
      install,
      steps(
        `Then use a claim for a volume of that driver in the pod instead of spec.volumes[].${source}.`,
        [],
        'disruptive',
      ),
    ];
  return [
    install,
    steps(
      `Then recreate pv/${object.metadata.name} as a volume of the driver; Retain keeps the data. ` +
        `PLACEHOLDER_HANDLE is the volume's id in the form that the driver's documentation gives for static ` +
        'volumes. Stop all pods of the claim before that.',
      recreateVolumeCommands(p.ask, object, claim, p.pod, {
        spec: { [source]: null, csi: { driver: driver ?? 'PLACEHOLDER_DRIVER', volumeHandle: 'PLACEHOLDER_HANDLE' } },
      }),
      'disruptive',
    ),
  ];
}
