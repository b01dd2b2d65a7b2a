import type { Pod, PodVolume } from '../../kube/kinds.ts';
import { field, fix } from '../../facts/evidence.ts';
import { blames, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';

/** VolumeRestrictions isVolumeConflict: a disk named in the pod itself may be used by one pod of a node only. */
export const schedDiskConflict = podRule({
  cause: 'sched-disk-conflict',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.disk);
    if (p.isScheduled || blamed === false) return undefined;
    const disks = (p.pod.spec?.volumes ?? []).flatMap((volume) => diskOf(volume) ?? []);
    if (disks.length === 0 || !blamed) return undefined;
    // Only pods that are at hand: the scheduler has spoken already, they merely give the other side a name.
    const pods = p.ask.seen('Pod').filter((pod) => pod.metadata.uid !== p.pod.metadata.uid && isOnNode(pod));
    const clash = disks.flatMap((disk) =>
      pods
        .filter((pod) => (pod.spec?.volumes ?? []).some((volume) => conflicts(disk, diskOf(volume))))
        .map((pod) => ({ disk, pod })),
    )[0];
    const disk = clash?.disk ?? (disks[0] as Disk);
    const others = otherReasonsText(p);
    const holder = clash?.pod;
    return {
      confidence: holder ? 'certain' : 'likely',
      summary: `${disk.text} is used by ${holder ? `pod/${holder.metadata.name} in namespace ${holder.metadata.namespace ?? ''} on node ${holder.spec?.nodeName ?? ''}` : 'another pod'}, and the node takes it once only${others ? `; other nodes refuse as well (${others})` : ''}`,
      evidence: [
        field(p.pod, `spec.volumes[${disk.volume}]`, disk.text),
        ...(holder ? [field(holder, 'spec.nodeName')] : []),
        ...schedulerSaid(p),
      ],
      fix: [
        fix(
          'see which pods run where, and let one of them write to the disk; mount it readOnly everywhere if several only read',
          'kubectl get pods -A -o wide',
        ),
        fix('or put the disk behind a claim, so that Kubernetes keeps account of who uses it'),
      ],
    };
  },
});

interface Disk {
  readonly volume: string;
  readonly id: string;
  readonly text: string;
  readonly isReadOnly: boolean;
}

function diskOf(volume: PodVolume): Disk | undefined {
  const name = volume.name ?? '';
  if (volume.gcePersistentDisk?.pdName)
    return {
      volume: name,
      id: `gce ${volume.gcePersistentDisk.pdName}`,
      text: `disk ${volume.gcePersistentDisk.pdName}`,
      isReadOnly: volume.gcePersistentDisk.readOnly === true,
    };
  // EBS knows no shared reading.
  if (volume.awsElasticBlockStore?.volumeID)
    return {
      volume: name,
      id: `ebs ${volume.awsElasticBlockStore.volumeID}`,
      text: `disk ${volume.awsElasticBlockStore.volumeID}`,
      isReadOnly: false,
    };
  if (volume.iscsi?.iqn)
    return {
      volume: name,
      id: `iscsi ${volume.iscsi.iqn}`,
      text: `iSCSI target ${volume.iscsi.iqn}`,
      isReadOnly: volume.iscsi.readOnly === true,
    };
  if (volume.rbd?.image)
    return {
      volume: name,
      id: `rbd ${volume.rbd.pool ?? 'rbd'}/${volume.rbd.image}`,
      text: `RBD image ${volume.rbd.pool ?? 'rbd'}/${volume.rbd.image}`,
      isReadOnly: volume.rbd.readOnly === true,
    };
  return undefined;
}

function conflicts(disk: Disk, other: Disk | undefined): boolean {
  return other?.id === disk.id && !(disk.isReadOnly && other.isReadOnly);
}

function isOnNode(pod: Pod): boolean {
  return Boolean(pod.spec?.nodeName) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}
