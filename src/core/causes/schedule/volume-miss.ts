import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { note } from '../../facts/evidence.ts';
import type { NodeFits } from '../../facts/node/node-fit.ts';
import { nameNodes, tellRefusals } from '../../facts/pod/pod-placement.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';

/** Why a volume does not satisfy a claim, or that it would. */
export interface VolumeMiss {
  /** Follows the name of the volume: `is too small: …`. */
  readonly text: string;
  readonly evidence: Evidence;
  readonly isUsable: boolean;
  readonly isReleased: boolean;
}

/** What the volume fails on every node, otherwise why the pod cannot go to the nodes where it could be used. */
export function missOf(volume: Volume, claim: PresentClaim, fits: NodeFits): VolumeMiss {
  const { text, isUsable } = judgeVolume(volume, claim, fits);
  return { text, evidence: note(volume, text), isUsable, isReleased: volume.status?.phase === 'Released' };
}

const nowhere: Node = { kind: 'Node', metadata: { name: '' } };

function judgeVolume(volume: Volume, claim: PresentClaim, fits: NodeFits): Pick<VolumeMiss, 'text' | 'isUsable'> {
  const failedOn = (node: Node) => matchVolume(volume, claim.claim, { by: 'scheduler', node }).failed;
  const failed = failedOn(fits.items[0]?.node ?? nowhere).find(isNodeIndependent);
  if (failed !== undefined) return { text: failedText(failed, volume, claim), isUsable: false };
  const near = fits.items.filter(({ node }) => !failedOn(node).includes('nodeAffinity'));
  const free = near.filter(({ refusal }) => !refusal);
  if (free.length > 0) return { text: `would fit on ${nameNodes(free)}`, isUsable: true };
  if (near.length > 0)
    return { text: `can be used on ${nameNodes(near)} only: ${tellRefusals(near)}`, isUsable: false };
  return { text: `can be used on no node (${describeReach(volume)})`, isUsable: false };
}

type NodeIndependentCheck = Exclude<VolumeCheck, 'nodeAffinity'>;

function isNodeIndependent(check: VolumeCheck): check is NodeIndependentCheck {
  return check !== 'nodeAffinity';
}

function failedText(check: NodeIndependentCheck, volume: Volume, claim: PresentClaim): string {
  const { spec, status } = volume;
  switch (check) {
    case 'claimed':
      return `belongs to ${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}${status?.phase === 'Released' ? ' (Released)' : ''}`;
    case 'terminating':
      return 'is being deleted';
    case 'phase':
      return `is ${status?.phase ?? 'without a phase'}, not Available`;
    case 'class':
      return 'has another class';
    case 'volumeMode':
      return 'has another volumeMode';
    case 'accessModes':
      return `offers ${(spec?.accessModes ?? []).join(', ') || 'no access mode'}, not ${(claim.claim.spec?.accessModes ?? []).join(', ')}`;
    case 'capacity':
      return `is too small: ${spec?.capacity?.['storage'] ?? 'no size'} of ${claim.request ?? '0'}`;
    case 'attributesClass':
      return 'has another volume attributes class';
    case 'selector':
      return 'does not match the selector of the claim';
  }
}
