import type { Pod } from '../../kube/kinds.ts';
import type { Stage } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { isForNode, mountingPods } from '../../journey/claim-growth.ts';
import { pendingUses } from '../../journey/pod-attach.ts';
import type { Journey } from '../../journey/plan.ts';
import { controlPlaneOwner } from './control-plane-owner.ts';
import { kubeletOwner } from './kubelet-owner.ts';
import { ownerOfObject } from './owner-of-object.ts';
import type { StageOwner, Trace, TraceSource } from './owner.ts';
import { sidecarOwner } from './sidecar-owner.ts';
import { traceOf, traceOfAttachment } from './trace.ts';

/**
 * The component that has to take the next step of a journey that is stuck at this stage; undefined if that is not
 * known.
 */
export function ownerOfStage(journey: Journey, stage: Stage, ask: Inquiry): StageOwner | undefined {
  const { claim, object, pods } = journey;
  const [pod] = pods;
  if (object) return ownerOfObject(object, stage, ask);
  switch (stage) {
    case 'claim':
      return claim && creatorOf(ask, claim);
    case 'bind':
      return claim && controlPlaneOwner(ask, 'kube-controller-manager', 'volume controller', traceOfClaim(claim));
    case 'provision':
      return claim?.provisioner === undefined
        ? undefined
        : sidecarOwner(ask, claim.provisioner, 'provisioner', traceOfClaim(claim));
    case 'schedule':
      return pod && schedulerOf(ask, pod);
    case 'attach':
      return pod && attacherOf(ask, pod);
    case 'mount':
      return pod && kubeletOf(ask, pod);
    case 'expand':
    case 'modify':
      return claim && resizerOrKubelet(ask, claim, stage);
    case 'delete':
      return journey.target === 'pod' ? pod && kubeletOf(ask, pod) : claim && protectorOf(ask, claim);
    default:
      return undefined;
  }
}

function traceOfClaim(c: ClaimCase): TraceSource {
  return () => (c.claim ? traceOf(c.claim, c.events.items, c.now) : { progress: [], evidence: [], names: [c.name] });
}

/** A claim that is missing is created by the controller that expects it; the class of one that exists is filled in. */
function creatorOf(ask: Inquiry, c: ClaimCase): StageOwner {
  const isExpectedBySet = c.lookup.state === 'missing' && c.expectation.sets.length > 0;
  const controller = isExpectedBySet ? 'StatefulSet controller' : 'volume controller';
  return controlPlaneOwner(ask, 'kube-controller-manager', controller, traceOfClaim(c));
}

function schedulerOf(ask: Inquiry, p: PodCase): StageOwner {
  const { pod } = p;
  const trace = (): Trace => traceOf(pod, p.events.items, ask.now);
  const name = pod.spec?.schedulerName ?? 'default-scheduler';
  return name === 'default-scheduler'
    ? controlPlaneOwner(ask, 'kube-scheduler', 'kube-scheduler', trace)
    : { name: `scheduler "${name}"`, examine: () => ({ ...trace(), fix: [] }), logs: () => [] };
}

/** The attach-detach controller creates the attachment; the attacher of the driver carries it out. */
function attacherOf(ask: Inquiry, p: PodCase): StageOwner {
  const use = pendingUses(p)[0] ?? volumeUsesOf(p)[0];
  const attachment = use?.attachment?.state === 'found' ? use.attachment.object : undefined;
  if (attachment && use?.driver !== undefined && attachment.status?.attached !== true)
    return sidecarOwner(ask, use.driver, 'attacher', () => traceOfAttachment(attachment));
  return controlPlaneOwner(ask, 'kube-controller-manager', 'attach-detach controller', () => {
    const trace = traceOf(p.pod, p.events.items, ask.now);
    const state = attachment
      ? 'The volume is attached, and the status of the node does not list it.'
      : `No VolumeAttachment for pv/${use?.volumeName ?? ''} exists.`;
    return {
      ...trace,
      progress: [state, ...trace.progress],
      names: [use?.volumeName ?? '', p.pod.metadata.name],
    };
  });
}

function kubeletOf(ask: Inquiry, p: PodCase): StageOwner | undefined {
  const node = p.pod.spec?.nodeName;
  if (!node) return undefined;
  const uses = volumeUsesOf(p);
  const drivers = [...new Set(uses.flatMap((use) => use.driver ?? []))];
  const [driver] = drivers;
  const names = [...uses.map(({ volumeName }) => volumeName), p.pod.metadata.uid ?? p.pod.metadata.name];
  const trace = (): Trace => ({ ...traceOf(p.pod, p.events.items, ask.now), names });
  return kubeletOwner(ask, node, driver, p.pod, trace, drivers);
}

function resizerOrKubelet(ask: Inquiry, c: ClaimCase, stage: 'expand' | 'modify'): StageOwner | undefined {
  const driver = c.volume?.state === 'found' ? c.volume.object.spec?.csi?.driver : undefined;
  const trace = (): Trace => ({ ...traceOfClaim(c)(), names: [c.name, c.volumeName] });
  const pod: Pod | undefined = stage === 'expand' && c.claim && isForNode(c.claim) ? mountingPods(c)[0] : undefined;
  if (pod?.spec?.nodeName) return kubeletOwner(ask, pod.spec.nodeName, driver, pod, trace);
  if (stage === 'expand' && c.claim && isForNode(c.claim))
    return {
      name: 'the kubelet of the node where a pod uses it',
      examine: () => ({ ...trace(), fix: [] }),
      logs: () => [],
    };
  return driver === undefined ? undefined : sidecarOwner(ask, driver, 'resizer', trace);
}

function protectorOf(ask: Inquiry, c: ClaimCase): StageOwner {
  return controlPlaneOwner(ask, 'kube-controller-manager', 'pvc-protection controller', traceOfClaim(c));
}
