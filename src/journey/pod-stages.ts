import { attachmentName } from '../model/names.ts';
import { notApplicable, open, passed, unknown, unreached } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ClaimCase } from './claim-case.ts';
import { hasMountedVolumes } from './pod-state.ts';
import { storageTexts } from './scheduling-message.ts';
import { isOthersClaim } from './pod-case.ts';
import type { PodCase } from './pod-case.ts';

/** The pod may use the claim: an ephemeral volume only its own, and none that is being deleted; undefined when nothing speaks against it. */
export function assessPodClaim(p: PodCase, claim: ClaimCase): Assessment | undefined {
  if (!claim.claim || hasMountedVolumes(p.pod)) return undefined;
  if (isOthersClaim(p.pod, claim.claim)) return open(`pvc/${claim.name} does not belong to pod/${p.pod.metadata.name}`, p.pod.metadata.creationTimestamp, 30);
  const { deletionTimestamp } = claim.claim.metadata;
  if (deletionTimestamp !== undefined && !p.isScheduled) return open(`pvc/${claim.name} is being deleted`, deletionTimestamp, 30);
  return undefined;
}

/** The pod has a node. */
export function assessPodSchedule(p: PodCase): Assessment {
  const { pod } = p;
  const label = `pod/${pod.metadata.name}`;
  if (p.isScheduled) return passed(`${label} on ${pod.spec?.nodeName ?? ''}`);
  const since = p.scheduledCondition?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  if ((pod.spec?.schedulingGates ?? []).length > 0) return open(`${label} is gated`, since, 0);
  const bound = boundSinceRefusal(p);
  if (bound !== undefined) return open(`${label}: its claims are bound by now, and the scheduler has yet to look again`, bound, 360);
  return open(p.schedulingMessage ? `${label}: no node fits` : `${label} is not scheduled yet`, since, 30);
}

/** The scheduler's last word may be older than the claims: it retries on their change, and every five minutes at the latest. */
function boundSinceRefusal(p: PodCase): string | undefined {
  const said = p.schedulingMessage?.raw ?? '';
  if (![storageTexts.unboundImmediate, storageTexts.claimGone, storageTexts.ephemeral].some((pattern) => pattern.test(said))) return undefined;
  if (p.claims.length === 0 || !p.claims.every((claim) => claim.isBound)) return undefined;
  const times = p.claims.flatMap(({ volume }) => (volume?.state === 'found' ? [volume.object.status?.lastPhaseTransitionTime ?? volume.object.metadata.creationTimestamp] : []));
  return times.filter((time) => time !== undefined).sort().at(-1);
}

/** Each volume that must be attached is attached to the pod's node. */
export function assessPodAttach(p: PodCase): Assessment {
  const node = p.pod.spec?.nodeName;
  if (!node) return unreached('not scheduled');
  if (hasMountedVolumes(p.pod)) return passed(`attached to ${node}`);
  const since = p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp;
  const states = p.claims.map((claim) => attachState(claim, node));
  const pending = states.find((state) => state.state === 'open');
  if (pending) return open(pending.note, since, 135);
  const hidden = states.find((state) => state.state === 'unknown');
  if (hidden) return unknown(hidden.note, since);
  return states.some((state) => state.state === 'passed') ? passed(`attached to ${node}`) : notApplicable('nothing to attach');
}

function attachState(claim: ClaimCase, node: string): Assessment {
  const volume = claim.volume;
  if (volume?.state === 'unknown') return unknown(`pv/${claim.volumeName} could not be read`);
  const csi = volume?.state === 'found' ? volume.object.spec?.csi : undefined;
  if (!csi?.driver || !csi.volumeHandle) return notApplicable('not a CSI volume');
  const driver = claim.ask.get('CSIDriver', undefined, csi.driver, `whether ${csi.driver} attaches its volumes`);
  if (driver.state === 'found' && driver.object.spec?.attachRequired === false) return notApplicable(`${csi.driver} attaches nothing`);
  const name = attachmentName(csi.volumeHandle, csi.driver, node);
  const attachment = claim.ask.get('VolumeAttachment', undefined, name, `whether pv/${claim.volumeName} is attached to ${node}`);
  if (attachment.state === 'found' && attachment.object.status?.attached === true) return passed(`attached to ${node}`);
  if (attachment.state === 'unknown') return unknown(`whether pv/${claim.volumeName} is attached to ${node} could not be read`);
  return open(`pv/${claim.volumeName} is not attached to ${node} yet`, undefined, 135);
}
