import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { PodVolume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { ServerVersion } from '../../kube/version.ts';
import { versionOf } from '../provision/in-tree.ts';
import { mountFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';

/** Since which minor version the kubelet has no plugin for a source, and no CSI driver takes its volumes over. */
const removed = { scaleIO: 22, flocker: 25, quobyte: 25, storageos: 25, glusterfs: 26, cephfs: 31, rbd: 31 } as const;
type RemovedSource = keyof typeof removed;

const noPlugin = /no volume plugin matched|FindAttachablePluginBySpec failed|failed to get Plugin from volumeSpec/;

/** It is the kubelet of the node that lacks the plugin, and it may be older than the server. */
function kubeletVersion(p: PodCase): ServerVersion | undefined {
  const node = p.pod.spec?.nodeName;
  const lookup = node ? p.ask.get('Node', undefined, node, `which version the kubelet of ${node} has`) : undefined;
  return (
    (lookup?.state === 'found' ? parseServerVersion(lookup.object.status?.nodeInfo?.kubeletVersion) : undefined) ??
    versionOf(p.ask)
  );
}

export const intreeRemovedVolume = podRule({
  cause: 'intree-removed-volume',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const found = waitingVolumes(p).flatMap((volume) =>
      (Object.keys(removed) as RemovedSource[])
        .filter((source) => volume.source[source] !== undefined)
        .map((source) => ({ volume, source })),
    )[0];
    if (!found) return undefined;
    const { volume, source } = found;
    const version = kubeletVersion(p);
    const isGone = atLeast(version, 1, removed[source]);
    const said = mountFailure(p, noPlugin);
    if (isGone === false || (isGone === undefined && !said)) return undefined;
    return {
      confidence: isGone ? 'certain' : 'likely',
      about: source,
      summary: `${volume.label} is a ${source} volume, and Kubernetes has no plugin for these since 1.${removed[source]}`,
      evidence: [
        field(volume.owner, `${volume.path}.${source}`, JSON.stringify(volume.source[source])),
        ...(version ? [kubeletEvidence(p, version)] : []),
        ...(said ? [eventSaid(p.pod, said.event)] : []),
      ],
      fix: [
        fix(
          'install the CSI driver for this storage, and make a PersistentVolume of it that points to the same data (policy Retain on both)',
          'kubectl get csidriver',
        ),
        fix(
          'then delete the claim and the old volume object, and make the claim again for the new volume; the data stays where it is while the policy is Retain',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});

function kubeletEvidence(p: PodCase, version: ServerVersion): Evidence {
  const node = p.pod.spec?.nodeName ?? '';
  return field(
    { kind: 'Node', metadata: { name: node } },
    'status.nodeInfo.kubeletVersion',
    `${version.major}.${version.minor}`,
  );
}

/** pkg/volume/flexvolume: the driver is a program in a directory of each node; without it the volume matches no plugin. */
export const flexvolumeDriverMissing = podRule({
  cause: 'flexvolume-driver-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume = waitingVolumes(p).find(({ source }) => source.flexVolume !== undefined);
    if (!volume) return undefined;
    const said = mountFailure(p, noPlugin);
    const isOtherwise = !said && mountFailure(p, /MountVolume|MapVolume|AttachVolume/) !== undefined;
    if (isOtherwise || (!said && p.ageSeconds < patienceSeconds)) return undefined;
    const driver = volume.source.flexVolume?.driver ?? 'a driver without name';
    const node = p.pod.spec?.nodeName ?? '';
    return {
      confidence: said ? 'likely' : 'possible',
      about: `${driver}/${node}`,
      summary: `${volume.label} needs the FlexVolume driver ${driver} on ${node}, and the kubelet ${said ? 'does not find it' : 'does not mount it: most likely it does not find it'}`,
      evidence: [
        field(volume.owner, `${volume.path}.flexVolume.driver`, driver),
        ...(said ? [eventSaid(p.pod, said.event)] : []),
      ],
      fix: [
        fix(
          `install the program ${driver} in the volume plugin directory of ${node} (and of the controller manager, if it attaches), as vendor~driver/driver`,
        ),
        fix('FlexVolume is deprecated: move to the CSI driver of this storage', 'kubectl get csidriver'),
      ],
    };
  },
});

const patienceSeconds = 180;

/** pkg/volume/git_repo: off by default from 1.33, and for good from 1.36. */
export const gitrepoDisabled = podRule({
  cause: 'gitrepo-disabled',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume: WaitingVolume | undefined = waitingVolumes(p).find(
      ({ source }) => 'gitRepo' in source && source.gitRepo !== undefined,
    );
    if (!volume) return undefined;
    const said = mountFailure(p, /git-?repo volume plugin has been disabled/i);
    const version = kubeletVersion(p);
    const isOff =
      atLeast(version, 1, 36) === true || (atLeast(version, 1, 33) === true && p.ageSeconds >= patienceSeconds);
    if (!said && !isOff) return undefined;
    return {
      confidence: atLeast(version, 1, 36) ? 'certain' : 'likely',
      summary: `${volume.label} of pod/${p.pod.metadata.name} is a gitRepo volume, which Kubernetes no longer mounts`,
      evidence: [
        field(p.pod, `${volume.path}.gitRepo`, JSON.stringify((volume.source as PodVolume).gitRepo)),
        ...(version ? [kubeletEvidence(p, version)] : []),
        ...(said ? [eventSaid(p.pod, said.event)] : []),
      ],
      fix: [
        fix('let an init container clone the repository into an emptyDir volume in its place', undefined, 'disruptive'),
      ],
    };
  },
});
