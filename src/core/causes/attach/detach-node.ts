import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import {
  detachEvidence,
  detachRules,
  isLeaving,
  isNodeReady,
  leavingHolders,
  nodeOf,
  stayingHolders,
  taintOutOfService,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

/** maxWaitForUnmountDuration, and some time for the detach itself. */
const forceSeconds = 360;
const lateSeconds = 480;
const orphanSeconds = 600;

/** adc reconciler: a volume on a node that is not healthy is detached by force six minutes after its last pod is gone, and not before. */
const detachNodeNotReadyRules = detachRules('detach-node-not-ready', 'info', (detach) => {
  const { node, lead, seenFrom } = detach;
  if (seenFrom === 'same node' || isLeaving(detach) || node === '') return undefined;
  const lookup = nodeOf(detach);
  if (lookup.state === 'unknown' || (lookup.state === 'found' && isNodeReady(lookup.object))) return undefined;
  if (stayingHolders(detach).length > 0 || (seenFrom === 'attachment' && detach.attachment.status?.attached !== true))
    return undefined;
  const object = lookup.state === 'found' ? lookup.object : undefined;
  const held = leavingHolders(detach);
  const waitedSeconds = Math.min(
    detach.waitedSeconds,
    object ? downSeconds(object, detach.ask.now) : Number.POSITIVE_INFINITY,
  );
  const isLate = held.length > 0 ? waitedSeconds > 60 : waitedSeconds > lateSeconds;
  const taint = object && taintOutOfService(object);
  const state = object ? `which ${tellDown(object, detach.ask.now)}` : 'which does not exist any more';
  const then = taint
    ? '; it is marked as out of service, on which its pods are removed and its volumes detached at once, and that has not happened yet'
    : held.length > 0
      ? `; pod/${held[0]?.metadata.name ?? ''} is being deleted there, but a dead node never confirms that, and until then nothing is detached`
      : isLate
        ? `; the six minutes after which it is detached by force are over`
        : '; it is detached by force six minutes after its last pod there is gone';
  return {
    severity: isLate ? 'blocking' : 'info',
    about: `node ${node}`,
    summary: `${lead}, ${state}${then}`,
    evidence: [
      object
        ? field(
            object,
            'status.conditions[Ready]',
            conditionOf(object.status?.conditions, 'Ready')?.status ?? 'not set',
            conditionOf(object.status?.conditions, 'Ready')?.lastTransitionTime,
          )
        : absent('Node', node),
      ...held.slice(0, 3).map((pod) => field(pod, 'metadata.deletionTimestamp')),
      ...(taint ? [field(object as Node, 'spec.taints', `${taint.key ?? ''}:${taint.effect ?? ''}`)] : []),
      ...detachEvidence(detach),
    ],
    fix: nodeFixes(detach, object),
  };
});

function downSeconds(node: Node, now: number): number {
  const since = parseTime(conditionOf(node.status?.conditions, 'Ready')?.lastTransitionTime);
  return since === undefined ? Number.POSITIVE_INFINITY : (now - since) / 1000;
}

function tellDown(node: Node, now: number): string {
  const seconds = downSeconds(node, now);
  return Number.isFinite(seconds) ? `has not been ready for ${ageText(now - seconds * 1000, now)}` : 'is not ready';
}

function nodeFixes({ node, attachment }: DetachCase, object: Node | undefined): Fix[] {
  if (!object) {
    return [
      fix(
        'wait for the six minutes, and see that the kube-controller-manager runs',
        'kubectl -n kube-system get lease kube-controller-manager -o yaml',
      ),
      fix(
        `data-loss: delete the attachment once the machine of ${node} is certainly off; two writers destroy a file system`,
        `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
        'data-loss',
      ),
    ];
  }
  return [
    fix(
      `bring ${node} back if it can be: its kubelet then unmounts the volume and everything goes on by itself`,
      `kubectl describe node ${shellWord(node)}`,
    ),
    ...(taintOutOfService(object)
      ? [
          fix(
            'the node is marked as out of service: its pods are deleted and its volumes detached at once; remove the mark when it is back',
            `kubectl taint nodes ${shellWord(node)} node.kubernetes.io/out-of-service-`,
          ),
        ]
      : [
          fix(
            `data-loss: mark the node as out of service only if the machine is certainly off (its pods are then deleted and its volumes detached at once); two writers destroy a file system`,
            `kubectl taint nodes ${shellWord(node)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
            'data-loss',
          ),
        ]),
  ];
}

/** Asked about the node itself: what hangs on it. */
const nodeHoldsVolumes = objectRule('Node', {
  cause: 'detach-node-not-ready',
  stage: 'mount',
  severity: 'info',
  explain(n) {
    const attached = n.object.status?.volumesAttached ?? [];
    const ready = conditionOf(n.object.status?.conditions, 'Ready');
    if (ready?.status === 'True' || attached.length === 0) return undefined;
    const since = ready?.lastTransitionTime;
    const leaving = n.ask.podsOnNode(n.name).items.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    const taint = taintOutOfService(n.object);
    return {
      severity: n.secondsSince(since) > forceSeconds || leaving.length > 0 ? 'blocking' : 'info',
      summary: `node ${n.name} ${tellDown(n.object, n.now)} and still holds ${attached.length} volume${attached.length === 1 ? '' : 's'}, which no other node can have until ${attached.length === 1 ? 'it is' : 'they are'} detached${leaving.length > 0 ? `; ${leaving.length === 1 ? `pod/${leaving[0]?.metadata.name ?? ''} waits` : `${leaving.length} of its pods wait`} there for ${leaving.length === 1 ? 'its' : 'their'} deletion to be confirmed` : ''}`,
      evidence: [
        field(
          n.object,
          'status.conditions[Ready]',
          [ready?.status ?? 'not set', ready?.reason].filter(Boolean).join(', '),
          since,
        ),
        field(
          n.object,
          'status.volumesAttached',
          attached
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', '),
        ),
        ...leaving.slice(0, 3).map((pod) => field(pod, 'metadata.deletionTimestamp')),
        ...(taint ? [field(n.object, 'spec.taints', `${taint.key ?? ''}:${taint.effect ?? ''}`)] : []),
      ],
      fix: [
        fix('bring the node back if it can be', `kubectl describe node ${shellWord(n.name)}`),
        ...(taint
          ? []
          : [
              fix(
                'data-loss: mark the node as out of service only if the machine is certainly off; its pods are then deleted and its volumes detached at once',
                `kubectl taint nodes ${shellWord(n.name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
                'data-loss',
              ),
            ]),
      ],
    };
  },
});

export const detachNodeNotReady: readonly Rule[] = [...detachNodeNotReadyRules, nodeHoldsVolumes];

/** adc reconciler hasOutOfServiceTaint: on a marked node every check is skipped, whether the node runs or not. */
export const detachOutOfServiceLeft = objectRule('Node', {
  cause: 'detach-out-of-service-left',
  stage: 'mount',
  severity: 'warning',
  explain(n: ObjectCase<'Node'>): Explanation | undefined {
    const taint = taintOutOfService(n.object);
    if (!taint || !isNodeReady(n.object)) return undefined;
    return {
      summary: `node ${n.name} is ready and still marked as out of service: no pod can run there, and its volumes are detached without asking whether they are in use`,
      evidence: [
        field(
          n.object,
          'spec.taints',
          `${taint.key ?? ''}=${taint.value ?? ''}:${taint.effect ?? ''}`,
          taint.timeAdded,
        ),
        field(n.object, 'status.conditions[Ready]', 'True'),
      ],
      fix: [fix('remove the mark', `kubectl taint nodes ${shellWord(n.name)} node.kubernetes.io/out-of-service-`)],
    };
  },
});

/** adc processVolumeAttachments: the attachment outlived its node for longer than a detach by force takes. */
export const vaOrphanNodeDeleted = detachRules('va-orphan-node-deleted', 'warning', (detach) => {
  const { ask, node, attachment, lead, waitedSeconds, seenFrom } = detach;
  if (
    isLeaving(detach) ||
    seenFrom === 'same node' ||
    waitedSeconds <= orphanSeconds ||
    nodeOf(detach).state !== 'missing'
  )
    return undefined;
  const made = parseTime(attachment.metadata.creationTimestamp);
  if (made !== undefined && (ask.now - made) / 1000 <= orphanSeconds) return undefined;
  const isAttached = attachment.status?.attached === true;
  const error = attachment.status?.attachError;
  const evidence: [Evidence, ...Evidence[]] = [
    absent('Node', node),
    ...detachEvidence(detach),
    ...(error?.message
      ? [field(attachment, 'status.attachError.message', error.message, error.time)]
      : [note(attachment, `made ${made === undefined ? 'long ago' : `${ageText(made, ask.now)} ago`}`)]),
  ];
  return {
    severity: 'blocking',
    about: `node ${node}`,
    summary:
      seenFrom === 'attachment'
        ? `the attachment is for node ${node}, which does not exist any more: ${isAttached ? 'nobody detaches the volume' : 'it can never be attached there'}`
        : `${lead}, which does not exist any more, and nobody has detached it`,
    evidence,
    fix: [
      fix(
        'see that the volume object exists and that the kube-controller-manager runs: it should remove such attachments by itself',
        `kubectl get volumeattachment ${shellWord(attachment.metadata.name)} -o yaml`,
      ),
      isAttached
        ? fix(
            `data-loss: delete the attachment once the machine of ${node} is certainly off; two writers destroy a file system`,
            `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
            'data-loss',
          )
        : fix(
            'delete the attachment: nothing was ever attached through it',
            `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
            'disruptive',
          ),
    ],
  };
});
