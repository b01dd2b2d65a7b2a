import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { kubeletVersion, noPlugin, versionEvidence } from './kubelet-plugin.ts';
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
      summary: `${volume.label} is a ${source} volume, and Kubernetes has no plugin for these since 1.${since}`,
      evidence: [
        field(volume.owner, `${volume.path}.${source}`, JSON.stringify(volume.source[source])),
        ...versionEvidence(p, version),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: advice,
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

const advice: readonly Fix[] = [
  fix(
    'install the CSI driver for this storage, and make a PersistentVolume of it that points to the same data (policy Retain on both)',
    'kubectl get csidriver',
  ),
  fix(
    'then delete the claim and the old volume object, and make the claim again for the new volume; the data stays where it is while the policy is Retain',
    undefined,
    'disruptive',
  ),
];
