import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { note } from '../../facts/evidence.ts';
import type { NodeFit, NodeFits } from '../../facts/node/node-fit.ts';
import { nameNodes, tellRefusals } from '../../facts/pod/pod-placement.ts';
import { matchVolume, volumeModeOf } from '../../facts/volume/volume-match.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';

/** Why a volume does not satisfy a claim, or that it would. */
export interface VolumeMiss {
  /** Follows the name of the volume: `is too small: …`. */
  readonly text: string;
  readonly evidence: Evidence;
  readonly isUsable: boolean;
  readonly isReleased: boolean;
  readonly volume: Volume;
  /** A claim of the volume's size would bind to it. */
  readonly isOnlyTooSmall: boolean;
  /** Nodes that could use the volume, where nothing else is wrong with it; all of them refuse the pod. */
  readonly near: readonly NodeFit[];
  /** Nothing else is wrong with it, and no node of the cluster is where it can be used. */
  readonly isOutOfReach?: boolean;
  /** The only check that it fails on some node that could take the pod. */
  readonly only?: VolumeCheck;
}

/** What the volume fails on every node, otherwise why the pod cannot go to the nodes where it could be used. */
export function missOf(volume: Volume, claim: PresentClaim, fits: NodeFits): VolumeMiss {
  const judged = judgeVolume(volume, claim, fits);
  return { ...judged, volume, evidence: note(volume, judged.text), isReleased: volume.status?.phase === 'Released' };
}

const nowhere: Node = { kind: 'Node', metadata: { name: '' } };

type Judgement = Pick<VolumeMiss, 'text' | 'isUsable' | 'isOnlyTooSmall' | 'near' | 'isOutOfReach' | 'only'>;

function judgeVolume(volume: Volume, claim: PresentClaim, fits: NodeFits): Judgement {
  const failedOn = (node: Node) => matchVolume(volume, claim.claim, { by: 'scheduler', node }).failed;
  const failed = failedOn(fits.items[0]?.node ?? nowhere).find(isNodeIndependent);
  const isOnlyTooSmall = fits.items.some(
    ({ node, refusal }) => !refusal && failedOn(node).every((check) => check === 'capacity'),
  );
  if (failed !== undefined) {
    const only = fits.items.some(({ node, refusal }) => !refusal && failedOn(node).length === 1) ? failed : undefined;
    return {
      text: failedText(failed, volume, claim),
      isUsable: false,
      isOnlyTooSmall,
      near: [],
      ...(only && { only }),
    };
  }
  const near = fits.items.filter(({ node }) => !failedOn(node).includes('nodeAffinity'));
  const free = near.filter(({ refusal }) => !refusal);
  if (free.length > 0)
    return { text: `would fit on ${nameNodes(free)}`, isUsable: true, isOnlyTooSmall: false, near: [] };
  if (near.length > 0)
    return {
      text: `can only be used on ${nameNodes(near)}, and ${tellRefusals(near)}`,
      isUsable: false,
      isOnlyTooSmall: false,
      near,
    };
  return {
    text: `can be used on no node (${describeReach(volume)})`,
    isUsable: false,
    isOnlyTooSmall: false,
    near: [],
    isOutOfReach: fits.complete && fits.items.length > 0,
  };
}

type NodeIndependentCheck = Exclude<VolumeCheck, 'nodeAffinity'>;

function isNodeIndependent(check: VolumeCheck): check is NodeIndependentCheck {
  return check !== 'nodeAffinity';
}

function failedText(check: NodeIndependentCheck, volume: Volume, claim: PresentClaim): string {
  const { spec, status } = volume;
  switch (check) {
    case 'claimed':
      return `belongs to claim ${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}${status?.phase === 'Released' ? ' (Released)' : ''}`;
    case 'terminating':
      return 'is being deleted';
    case 'phase':
      return `is ${status?.phase ?? 'without a phase'}, not Available`;
    case 'class':
      return 'has another class';
    case 'volumeMode':
      return `has volumeMode ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(claim.claim)}`;
    case 'accessModes':
      return `offers ${(spec?.accessModes ?? []).join(', ') || 'no access mode'}, not ${(claim.claim.spec?.accessModes ?? []).join(', ')}`;
    case 'capacity':
      return `is too small: it has ${spec?.capacity?.['storage'] ?? 'no size'}, and the claim asks for ${claim.request ?? '0'}`;
    case 'attributesClass':
      return 'has another volume attributes class';
    case 'selector':
      return 'does not match the selector of the claim';
  }
}
