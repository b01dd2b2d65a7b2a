import type { Claim, Condition, KubeEvent, Pod } from '../../kube/kinds.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';
import { parseTime } from '../../kube/time.ts';
import { ClaimCase } from '../claim/claim-case.ts';
import { conditionOf } from './pod-state.ts';
import { parseSchedulingMessage } from './scheduling-message.ts';
import type { SchedulingMessage } from './scheduling-message.ts';
import { componentOf, messageOf, newestMatch } from '../../graph/events.ts';

/** The facts about one pod that waits, or may wait, for its volumes. */
export class PodCase {
  readonly ask: Inquiry;
  readonly pod: Pod;
  #claims: readonly ClaimCase[] | undefined;
  #message: SchedulingMessage | undefined;
  #events: Listing<KubeEvent> | undefined;

  constructor(ask: Inquiry, pod: Pod, known: readonly ClaimCase[] = []) {
    this.ask = ask;
    this.pod = pod;
    if (known.length > 0) this.#claims = this.#claimsOf(known);
  }

  #claimsOf(known: readonly ClaimCase[]): ClaimCase[] {
    const { namespace = '' } = this.pod.metadata;
    const names = claimNamesOf(this.pod);
    return (names.length < 2 ? names : [...new Set(names)]).map(
      (name) =>
        known.find((claim) => claim.name === name && claim.namespace === namespace) ??
        new ClaimCase(this.ask, namespace, name),
    );
  }

  get now(): number {
    return this.ask.now;
  }

  /** All claims of the pod's volumes, in the order of the volumes. */
  get claims(): readonly ClaimCase[] {
    return (this.#claims ??= this.#claimsOf([]));
  }

  get isScheduled(): boolean {
    return Boolean(this.pod.spec?.nodeName);
  }

  get scheduledCondition(): Condition | undefined {
    return conditionOf(this.pod.status?.conditions, 'PodScheduled');
  }

  /** The scheduler's message: from the condition, or from an event if the condition has none. */
  get schedulingMessage(): SchedulingMessage | undefined {
    if (this.isScheduled) return undefined;
    if (!this.#message) {
      const text = this.#schedulingText();
      if (text !== undefined) this.#message = parseSchedulingMessage(text);
    }
    return this.#message;
  }

  #schedulingText(): string | undefined {
    const condition = this.scheduledCondition;
    if (condition?.status === 'False' && condition.message) return condition.message;
    const event = newestMatch(this.events.items.filter(isOfScheduler), 'FailedScheduling', /[^]*/)?.event;
    return event && messageOf(event);
  }

  get events(): Listing<KubeEvent> {
    return (this.#events ??= this.ask.eventsOf(this.pod));
  }

  get ageSeconds(): number {
    const created = parseTime(this.pod.metadata.creationTimestamp);
    return created === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (this.now - created) / 1000);
  }
}

/**
 * Whether the name for the claim of an ephemeral volume is taken by a claim that the pod does not control. Such a claim
 * is never used, so that the pod does not get foreign data (component-helpers storage/ephemeral VolumeIsForPod).
 */
export function isOthersClaim(pod: Pod, claim: Claim): boolean {
  const { uid, name } = pod.metadata;
  const isEphemeral = (pod.spec?.volumes ?? []).some(
    (volume) => volume.ephemeral !== undefined && `${name}-${volume.name ?? ''}` === claim.metadata.name,
  );
  return (
    isEphemeral &&
    uid !== undefined &&
    !(claim.metadata.ownerReferences ?? []).some((owner) => owner.controller === true && owner.uid === uid)
  );
}

/** Karpenter reports under the same reason why it adds no node; it rejects no node for the pod. */
export function isOfScheduler(event: KubeEvent): boolean {
  return componentOf(event) !== 'karpenter';
}
