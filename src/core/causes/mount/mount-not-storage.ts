import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import { conditionOf, containerStatusesOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { cutWords } from '../../kube/cut-words.ts';
import { parseTime } from '../../kube/time.ts';
import { mountFailuresOf } from './mount-failure.ts';
import { nodeOf, podWords } from './told-volume.ts';

const longestMessage = 140;

/** The kubelet mounts all volumes before it makes the sandbox (kubelet.go SyncPod): whatever fails later is not their fault. */
export const mountNotStorage = podRule({
  cause: 'mount-not-storage',
  stage: 'mount',
  severity: 'info',
  explain(p) {
    const { pod } = p;
    if (!p.isScheduled || pod.metadata.deletionTimestamp !== undefined) return undefined;
    if (!hasMountedVolumes(pod) && pod.spec && (pod.spec.volumes ?? []).length === 0)
      return {
        summary: `${podWords(p)} has no volumes to wait for; it does not start for another reason`,
        evidence: [field(pod, 'spec.volumes', 'none')],
        fix: [describe(p)],
      };
    if (!hasMountedVolumes(pod)) return explainSandbox(p);
    const trouble = containerTroubleOf(pod);
    const look = describe(p);
    if (trouble && trouble.volume === undefined) {
      const words = trouble.message ? ` (${cutWords(trouble.message, longestMessage)})` : '';
      return {
        summary: `the volumes of ${podWords(p)} are mounted and fine; container ${trouble.container} does not start for another reason: ${trouble.reason}${words}`,
        evidence: [
          field(pod, `${trouble.path}.reason`, trouble.reason),
          ...(trouble.message ? [field(pod, `${trouble.path}.message`, trouble.message)] : []),
          ...mountedEvidence(p),
        ],
        fix: [
          trouble.reason === 'CrashLoopBackOff'
            ? fix(
                'read what the container said before it ended',
                `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(trouble.container)} --previous --tail=50`,
              )
            : look,
        ],
      };
    }
    if (trouble || pod.status?.phase !== 'Pending') return undefined;
    const [mounted = field(pod, 'status.phase')] = mountedEvidence(p);
    return {
      summary: `the volumes of ${podWords(p)} are mounted and fine; its containers have yet to start`,
      evidence: [mounted],
      fix: [look],
    };
  },
});

function explainSandbox(p: PodCase): Explanation | undefined {
  const said = newestMatch(p.events.items, ['FailedCreatePodSandBox', 'FailedCreatePodSandbox'], /^/);
  // After a restart of the node the volumes have to be mounted again, and that may fail later than an old sandbox did.
  if (!said || mountFailuresOf(p).some(({ event }) => lastSeen(event) > lastSeen(said.event))) return undefined;
  return {
    confidence: 'likely',
    summary: `the volumes of ${podWords(p)} are mounted and fine; its sandbox cannot be made: ${cutWords(messageOf(said.event), longestMessage)}`,
    evidence: [eventSaid(p.pod, said.event)],
    fix: [
      fix(
        'look at the network plugin and the container runtime of the node',
        `kubectl ${inNamespace(p.pod.metadata.namespace)}describe pod ${shellWord(p.pod.metadata.name)}`,
      ),
    ],
  };
}

function mountedEvidence(p: PodCase): Explanation['evidence'][number][] {
  const condition = conditionOf(p.pod.status?.conditions, 'PodReadyToStartContainers');
  return condition?.status === 'True'
    ? [field(p.pod, 'status.conditions[PodReadyToStartContainers].status', 'True', condition.lastTransitionTime)]
    : [];
}

/** A pod that does not go away though no volume holds it. */
export const deleteNotStorage = podRule({
  cause: 'mount-not-storage',
  stage: 'delete',
  severity: 'info',
  explain(p) {
    const { metadata } = p.pod;
    const finalizers = metadata.finalizers ?? [];
    const running = containerStatusesOf(p.pod).find(({ state }) => state?.running);
    const ended = parseTime(metadata.deletionTimestamp);
    if (ended === undefined || p.now <= ended) return undefined;
    const node = p.isScheduled ? p.ask.get('Node', undefined, nodeOf(p), `whether ${nodeOf(p)} is up`) : undefined;
    if (node?.state === 'unknown') return undefined;
    const isUp = node?.state === 'found' && conditionOf(node.object.status?.conditions, 'Ready')?.status === 'True';
    if (node && !isUp) {
      // With volumes at stake that is a matter of detaching.
      return p.claims.length > 0
        ? undefined
        : {
            summary: `${podWords(p)} is being deleted, and its node ${nodeOf(p)} does not answer: it has no claims that could keep it`,
            evidence: [field(p.pod, 'spec.nodeName')],
            fix: [describe(p)],
          };
    }
    if (running) {
      return {
        summary: `${podWords(p)} is being deleted, and its container ${running.name ?? ''} still runs: its volumes are not what keeps it`,
        evidence: [
          field(p.pod, `status.containerStatuses[${running.name ?? ''}].state`, 'running'),
          field(p.pod, 'metadata.deletionTimestamp'),
        ],
        fix: [describe(p)],
      };
    }
    if (finalizers.length === 0) return undefined;
    return {
      summary: `${podWords(p)} is being deleted and is held by ${finalizers.join(', ')}: its volumes are not what keeps it`,
      evidence: [
        field(p.pod, 'metadata.finalizers', finalizers.join(', ')),
        field(p.pod, 'metadata.deletionTimestamp'),
      ],
      fix: [
        fix(
          'find the controller that owns the finalizer, and see why it does not take it off',
          `kubectl ${inNamespace(metadata.namespace)}get pod ${shellWord(metadata.name)} -o jsonpath='{.metadata.finalizers}'`,
        ),
      ],
    };
  },
});

function describe(p: PodCase): Explanation['fix'][number] {
  return fix(
    'look at the events of the pod',
    `kubectl ${inNamespace(p.pod.metadata.namespace)}describe pod ${shellWord(p.pod.metadata.name)}`,
  );
}
