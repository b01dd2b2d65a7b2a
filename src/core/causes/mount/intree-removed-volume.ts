import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { kubeletVersion, noPlugin, versionEvidence } from './kubelet-plugin.ts';
import { podWords, sentenceStart } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';

/** The minor version since which the kubelet has no plugin for a source, and no CSI driver takes its volumes over. */
const removedSources = [
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
    const failure = findVolumeFailure(p, noPlugin);
    if (isRemoved === false || (isRemoved === undefined && !failure)) return undefined;
    return {
      confidence: isRemoved ? 'certain' : 'likely',
      about: source,
      summary: `${sentenceStart(volume.label)} of ${podWords(p)} is a ${source} volume, and Kubernetes has had no plugin for these since 1.${since}.`,
      evidence: [
        field(volume.owner, `${volume.path}.${source}`, JSON.stringify(volume.source[source])),
        ...versionEvidence(p, version),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: adviceFor(removed),
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

function adviceFor({ volume, source }: RemovedVolume): Fix[] {
  const driver = successors[source];
  const install = `Install ${driver === undefined ? 'the CSI driver of this storage' : `the CSI driver ${driver}`}, and create a PersistentVolume with spec.csi for the same data (a static volume)`;
  if (volume.owner.kind !== 'PersistentVolume')
    return [
      steps(`${install}. Then use a claim for it in the pod instead of spec.volumes[].${source}.`, [], 'disruptive'),
    ];
  return [
    steps(
      `${install}; then delete the claim and recreate it with the new volume's name in volumeName. This first line keeps the data when the old objects go.`,
      [
        patchCommand(
          { kind: 'PersistentVolume', metadata: { name: volume.name } },
          { spec: { persistentVolumeReclaimPolicy: 'Retain' } },
        ),
      ],
    ),
  ];
}
