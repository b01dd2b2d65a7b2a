import { messageOf } from '../../graph/events.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { multiAttachText, usedByPodsText } from '../lib/driver-error/sentences/attach-detach-controller.ts';

/** The attach-detach controller's refusal to attach a ReadWriteOnce volume to a second node. */
export interface Refusal {
  readonly event: KubeEvent;
  /** The pods that the controller names as users, as it writes them. */
  readonly users: string | undefined;
}

export function refusalOf(use: VolumeUse): Refusal | undefined {
  const event = use.attachEvents.findLast((candidate) => multiAttachText.test(messageOf(candidate)));
  if (!event) return undefined;
  const words = multiAttachText.exec(messageOf(event))?.[1] ?? '';
  return { event, users: usedByPodsText.exec(words)?.[1] };
}

/** Whether the attachments could not be read, so that only pods and events show which node holds the volume. */
export function isAttachmentUnseen(use: VolumeUse): boolean {
  const state = use.attachment?.state;
  if (state === 'found') return false;
  return state !== 'missing' || !use.otherAttachments.complete;
}

/** Other pods with a node that use the same claim and have not ended. */
export function otherUsersOf(p: PodCase, claim: NonNullable<VolumeUse['claim']>): readonly Pod[] {
  return p.ask
    .podsUsing(claim)
    .items.filter((pod) => pod.metadata.uid !== p.pod.metadata.uid && pod.spec?.nodeName && !isTerminated(pod));
}
