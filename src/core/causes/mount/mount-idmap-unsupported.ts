import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { knownNode, nodeOf, podWords, volumeWords } from './told-volume.ts';

/** Drivers whose volumes are NFS on the node, which has no idmapped mounts. */
const nfsDrivers = /nfs|(?:^|\.)efs\.|filestore|fsx\.csi\.aws\.com|isilon|manila/i;

/**
 * With `hostUsers: false` the runtime maps the ids of every volume (mount_setattr(2)), which not every file system can
 * (KEP-127).
 */
export const mountIdmapUnsupported = podRule({
  cause: 'mount-idmap-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    if (p.pod.spec?.hostUsers !== false) return undefined;
    const trouble = containerTroubleOf(p.pod, p.now);
    if (trouble?.volume !== 'idmap' && !isRefused(trouble)) return undefined;
    const isSaid = trouble?.volume === 'idmap';
    const use = volumeAtFault(p, trouble, isSaid);
    if (!trouble || (!isSaid && !use)) return undefined;
    const node = knownNode(p);
    return {
      confidence: isSaid ? 'certain' : 'likely',
      summary:
        `${podWords(p)} runs in a user namespace (hostUsers: false), and ` +
        `${use ? `the file system of ${volumeWords(use)}${typeWords(use)}` : 'the file system of a volume'} ` +
        `${isSaid ? 'does not support' : 'most likely does not support'} the idmapped mount that this needs on ` +
        `${nodeOf(p)}. Container ${trouble.container}: ${trouble.reason} (${quoted(trouble.message)}).`,
      evidence: [
        field(p.pod, 'spec.hostUsers', 'false'),
        field(p.pod, trouble.messagePath, trouble.message),
        ...(node?.status?.nodeInfo?.kernelVersion ? [field(node, 'status.nodeInfo.kernelVersion')] : []),
      ],
      fix: [
        changePodFix(
          p.pod,
          { hostUsers: true },
          (where) =>
            `Set hostUsers: true ${where}. The pod then starts with this volume, and gives up the isolation of a ` +
            'user namespace: ask your security team first.',
        ),
        steps(
          'To keep the user namespace, move the data to a volume whose file system supports idmapped mounts in the ' +
            'kernel of the node (ext4, XFS, btrfs; tmpfs from Linux 6.3 on). NFS does not.',
          [],
        ),
      ],
    };
  },
});

function isRefused(trouble: ContainerTrouble | undefined): boolean {
  return trouble?.volume === 'unclear' && /^(?:CreateContainer|RunContainer)Error$/.test(trouble.reason);
}

function volumeAtFault(p: PodCase, trouble: ContainerTrouble | undefined, isSaid: boolean): VolumeUse | undefined {
  const uses = volumeUsesOf(p);
  const named = uses.find(({ name }) => name === trouble?.volumeName);
  if (named && (isSaid || isNfs(named))) return named;
  const nfs = uses.filter(isNfs);
  return isSaid && nfs.length === 1 ? nfs[0] : undefined;
}

function isNfs({ volumeObject, podVolume, driver }: VolumeUse): boolean {
  return volumeObject?.spec?.nfs !== undefined || podVolume.nfs !== undefined || nfsDrivers.test(driver ?? '');
}

function typeWords(use: VolumeUse): string {
  const fsType = use.volumeObject?.spec?.csi?.fsType;
  if (isNfs(use)) return use.driver === undefined ? ' (nfs)' : ` (${use.driver})`;
  return fsType ? ` (${fsType})` : '';
}
