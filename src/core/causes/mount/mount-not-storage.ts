import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, containerStatusesOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { containerTroubleOf } from '../../journey/pod-mount.ts';
import type { ContainerTrouble } from '../../journey/pod-mount.ts';
import { cutWords } from '../../kube/cut-words.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { mountFailuresOf } from './mount-failure.ts';
import { nodeOf, podWords } from './told-volume.ts';

const longestMessage = 140;

/** The kubelet mounts all volumes before it creates the sandbox (kubelet.go SyncPod), so what fails later is not their fault. */
export const mountNotStorage = podRule({
  cause: 'mount-not-storage',
  stage: 'mount',
  severity: 'info',
  explain(p) {
    const { pod } = p;
    if (!p.isScheduled || pod.metadata.deletionTimestamp !== undefined) return undefined;
    if (!hasMountedVolumes(pod)) return explainNoVolumes(p) ?? explainSandbox(p);
    const trouble = containerTroubleOf(pod);
    if (!trouble) return explainStarting(p);
    return trouble.volume === undefined ? explainContainer(p, trouble) : undefined;
  },
});

function explainNoVolumes(p: PodCase): Explanation | undefined {
  const { spec } = p.pod;
  if (!spec || (spec.volumes ?? []).length > 0) return undefined;
  return {
    summary: `${podWords(p)} has no volumes to wait for; it does not start for another reason`,
    evidence: [field(p.pod, 'spec.volumes', 'none')],
    fix: [describeFix(p, readEvents)],
  };
}

function explainSandbox(p: PodCase): Explanation | undefined {
  const failed = newestMatch(p.events.items, ['FailedCreatePodSandBox', 'FailedCreatePodSandbox'], /^/);
  // After a restart of the node the volumes have to be mounted again, and that may fail later than an old sandbox did.
  if (!failed || mountFailuresOf(p).some(({ event }) => lastSeen(event) > lastSeen(failed.event))) return undefined;
  return {
    confidence: 'likely',
    summary: `the volumes of ${podWords(p)} are mounted and fine; its sandbox cannot be made: ${cutWords(messageOf(failed.event), longestMessage)}`,
    evidence: [eventSaid(p.pod, failed.event)],
    fix: [describeFix(p, 'look at the network plugin and the container runtime of the node')],
  };
}

function explainContainer(p: PodCase, { container, path, reason, message }: ContainerTrouble): Explanation {
  const { namespace, name } = p.pod.metadata;
  const logs = `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(container)} --previous --tail=50`;
  return {
    summary: `the volumes of ${podWords(p)} are mounted and fine; container ${container} does not start for another reason: ${reason}${message ? ` (${cutWords(message, longestMessage)})` : ''}`,
    evidence: [
      field(p.pod, `${path}.reason`, reason),
      ...(message ? [field(p.pod, `${path}.message`, message)] : []),
      ...mountedEvidence(p),
    ],
    fix: [
      reason === 'CrashLoopBackOff'
        ? fix('read what the container said before it ended', logs)
        : describeFix(p, readEvents),
    ],
  };
}

function explainStarting(p: PodCase): Explanation | undefined {
  if (p.pod.status?.phase !== 'Pending') return undefined;
  const [mounted = field(p.pod, 'status.phase')] = mountedEvidence(p);
  return {
    summary: `the volumes of ${podWords(p)} are mounted and fine; its containers have yet to start`,
    evidence: [mounted],
    fix: [describeFix(p, readEvents)],
  };
}

function mountedEvidence({ pod }: PodCase): Evidence[] {
  const condition = conditionOf(pod.status?.conditions, 'PodReadyToStartContainers');
  return condition?.status === 'True'
    ? [field(pod, 'status.conditions[PodReadyToStartContainers].status', 'True', condition.lastTransitionTime)]
    : [];
}

/** The deletion of the pod does not finish, though no volume holds it. */
export const deleteNotStorage = podRule({
  cause: 'mount-not-storage',
  stage: 'delete',
  severity: 'info',
  explain(p) {
    const ended = parseTime(p.pod.metadata.deletionTimestamp);
    if (ended === undefined || p.now <= ended) return undefined;
    switch (nodeState(p)) {
      case 'unknown':
        return undefined;
      case 'down':
        // With volumes at stake it is a matter of detaching.
        return p.claims.length > 0 ? undefined : explainLostNode(p);
      case 'up':
        return explainRunning(p) ?? explainFinalizers(p);
    }
  },
});

/** A pod without a node does not wait for one. */
function nodeState(p: PodCase): 'up' | 'down' | 'unknown' {
  if (!p.isScheduled) return 'up';
  const node = p.ask.get('Node', undefined, nodeOf(p), `whether ${nodeOf(p)} is up`);
  if (node.state === 'unknown') return 'unknown';
  const isUp = node.state === 'found' && conditionOf(node.object.status?.conditions, 'Ready')?.status === 'True';
  return isUp ? 'up' : 'down';
}

function explainLostNode(p: PodCase): Explanation {
  return {
    summary: `${podWords(p)} is being deleted, and its node ${nodeOf(p)} does not answer: it has no claims that could keep it`,
    evidence: [field(p.pod, 'spec.nodeName')],
    fix: [describeFix(p, readEvents)],
  };
}

function explainRunning(p: PodCase): Explanation | undefined {
  const running = containerStatusesOf(p.pod).find(({ state }) => state?.running);
  if (!running) return undefined;
  const { name = '' } = running;
  return {
    summary: `${podWords(p)} is being deleted, and its container ${name} still runs: its volumes are not what keeps it`,
    evidence: [
      field(p.pod, `status.containerStatuses[${name}].state`, 'running'),
      field(p.pod, 'metadata.deletionTimestamp'),
    ],
    fix: [describeFix(p, readEvents)],
  };
}

function explainFinalizers(p: PodCase): Explanation | undefined {
  const { namespace, name, finalizers = [] } = p.pod.metadata;
  if (finalizers.length === 0) return undefined;
  return {
    summary: `${podWords(p)} is being deleted and is held by ${finalizers.join(', ')}: its volumes are not what keeps it`,
    evidence: [field(p.pod, 'metadata.finalizers', finalizers.join(', ')), field(p.pod, 'metadata.deletionTimestamp')],
    fix: [
      fix(
        'find the controller that owns the finalizer, and see why it does not take it off',
        `kubectl ${inNamespace(namespace)}get pod ${shellWord(name)} -o jsonpath='{.metadata.finalizers}'`,
      ),
    ],
  };
}

const readEvents = 'look at the events of the pod';

function describeFix({ pod: { metadata } }: PodCase, text: string): Fix {
  return fix(text, `kubectl ${inNamespace(metadata.namespace)}describe pod ${shellWord(metadata.name)}`);
}
