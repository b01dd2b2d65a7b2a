import type { Pod, PodVolume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { changePodFix, stopPodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

/** VolumeRestrictions isVolumeConflict: a disk that the pod itself names may be used by only one pod on a node. */
export const schedDiskConflict = podRule({
  cause: 'sched-disk-conflict',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const conflict = findConflict(p);
    if (!conflict) return undefined;
    const others = otherReasonsText(p);
    return {
      confidence: conflict.holder ? 'certain' : 'likely',
      summary:
        `${conflict.disk.text} is used by ${nameHolder(conflict.holder)}, and only one pod on a node may use ` +
        `it.${others ? ` The scheduler rejects the other nodes, too ("${others}").` : ''}`,
      evidence: evidenceOf(p, conflict),
      fix: adviceFor(p, conflict),
    };
  },
});

interface Conflict {
  readonly disk: Disk;
  /** The other pod, if it has been read. */
  readonly holder?: Pod;
}

/** The scheduler has to name the conflict: the pods that were read only show which pod is on the other side. */
function findConflict(p: PodCase): Conflict | undefined {
  if (blames(p, storageTexts.disk) !== true) return undefined;
  const disks = (p.pod.spec?.volumes ?? []).flatMap((volume) => diskOf(volume) ?? []);
  const [firstDisk] = disks;
  if (!firstDisk) return undefined;
  const pods = p.ask.seen('Pod').filter((pod) => pod.metadata.uid !== p.pod.metadata.uid && isOnNode(pod));
  for (const disk of disks) {
    const holder = pods.find((pod) => (pod.spec?.volumes ?? []).some((volume) => conflicts(disk, diskOf(volume))));
    if (holder) return { disk, holder };
  }
  return { disk: firstDisk };
}

function nameHolder(holder: Pod | undefined): string {
  if (!holder) return 'another pod';
  const { name, namespace } = holder.metadata;
  return `pod/${name} in namespace ${namespace ?? ''} on ${holder.spec?.nodeName ?? ''}`;
}

function evidenceOf(p: PodCase, { disk, holder }: Conflict): EvidenceList {
  return [
    field(p.pod, `spec.volumes[${disk.volume}]`, disk.text),
    ...(holder ? [field(holder, 'spec.nodeName')] : []),
    ...schedulerSaid(p),
  ];
}

function adviceFor({ pod }: PodCase, { disk, holder }: Conflict): Fix[] {
  const { name } = pod.metadata;
  const share = disk.source === undefined ? [] : [shareForReading(pod, disk, disk.source)];
  if (!holder)
    return [
      steps(
        `Find the pod that uses ${disk.word}, and stop it if pod/${name} should take over. pod/${name} is then scheduled automatically.`,
        [`kubectl get pods -A -o json | grep -F -e ${shellWord(disk.word)}`, 'kubectl get pods -A -o wide'],
      ),
      ...share,
    ];
  return [
    stopPodFix(
      holder,
      (what) =>
        `Let pod/${name} take over, if it should: ${what}. The disk is then free, and pod/${name} is scheduled automatically.`,
    ),
    ...share,
  ];
}

function shareForReading(pod: Pod, { volume }: Disk, source: string): Fix {
  return changePodFix(
    pod,
    { volumes: [{ name: volume, [source]: { readOnly: true } }] },
    (where) =>
      `If both pods only read, set readOnly for volume "${volume}" ${where}, and in the other pod as well. ` +
      'The scheduler then allows both on one node.',
  );
}

interface Disk {
  /** The volume of the pod that names it. */
  readonly volume: string;
  readonly id: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  /** The name of the disk itself. */
  readonly word: string;
  /** The field of the pod's volume, where several pods may share the disk read-only. */
  readonly source?: string;
}

function diskOf(volume: PodVolume): Disk | undefined {
  const { name = '', gcePersistentDisk: gce, awsElasticBlockStore: ebs, iscsi, rbd } = volume;
  if (gce?.pdName)
    return {
      volume: name,
      id: `gce ${gce.pdName}`,
      text: `Disk ${gce.pdName}`,
      word: gce.pdName,
      source: 'gcePersistentDisk',
      isReadOnly: gce.readOnly === true,
    };
  // isVolumeConflict allows no read-only sharing for EBS.
  if (ebs?.volumeID)
    return {
      volume: name,
      id: `ebs ${ebs.volumeID}`,
      text: `Disk ${ebs.volumeID}`,
      word: ebs.volumeID,
      isReadOnly: false,
    };
  if (iscsi?.iqn)
    return {
      volume: name,
      id: `iscsi ${iscsi.iqn}`,
      text: `iSCSI target ${iscsi.iqn}`,
      word: iscsi.iqn,
      source: 'iscsi',
      isReadOnly: iscsi.readOnly === true,
    };
  if (rbd?.image) {
    const image = `${rbd.pool ?? 'rbd'}/${rbd.image}`;
    return {
      volume: name,
      id: `rbd ${image}`,
      text: `RBD image ${image}`,
      word: rbd.image,
      source: 'rbd',
      isReadOnly: rbd.readOnly === true,
    };
  }
  return undefined;
}

function conflicts(disk: Disk, other: Disk | undefined): boolean {
  return other?.id === disk.id && !(disk.isReadOnly && other.isReadOnly);
}

function isOnNode(pod: Pod): boolean {
  return Boolean(pod.spec?.nodeName) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}
