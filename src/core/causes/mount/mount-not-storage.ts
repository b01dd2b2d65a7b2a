import { registrarOf } from '../../facts/driver/node-plugin.ts';
import { startPluginFix } from './plugin-start-fixes.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, containerStatusesOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import { cutWords } from '../../kube/cut-words.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { containerOf, mountsOf } from '../../facts/pod/named-mount.ts';
import { quoted } from './driver-answer.ts';
import { imageMounts } from './image-volume.ts';
import { isReadOnlyBySpec } from './full-volume.ts';
import { mountFailuresOf } from './mount-failure.ts';
import { nodeOf, podWords } from './told-volume.ts';

const longestMessage = 140;

/**
 * The kubelet mounts all volumes before it creates the sandbox (kubelet.go SyncPod), so what fails later is not their
 * fault.
 */
export const mountNotStorage = podRule({
  cause: 'mount-not-storage',
  stage: 'mount',
  severity: 'info',
  explain(p) {
    const { pod } = p;
    if (!p.isScheduled || pod.metadata.deletionTimestamp !== undefined) return undefined;
    if (!hasMountedVolumes(pod)) return explainNoVolumes(p) ?? explainSandbox(p);
    const trouble = containerTroubleOf(pod, p.now);
    if (!trouble) return explainStarting(p);
    if (trouble.volume === 'readOnly') return explainReadOnlyMount(p, trouble);
    if (trouble.volume !== undefined || mayLackImage(p, trouble)) return undefined;
    return explainContainer(p, trouble);
  },
});

function explainNoVolumes(p: PodCase): Explanation | undefined {
  const { spec } = p.pod;
  if (!spec || (spec.volumes ?? []).length > 0) return undefined;
  return {
    summary: `${podWords(p)} has no volumes to wait for. It does not start for another reason.`,
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
    summary:
      `The volumes of ${podWords(p)} are mounted. ` +
      `Its sandbox cannot be created: ${quoted(cutWords(messageOf(failed.event), longestMessage))}.`,
    evidence: [eventSaid(p.pod, failed.event)],
    fix: [
      describeFix(
        p,
        `Correct what the quoted text names, in the network plugin or the container runtime of ${nodeOf(p)}; ` +
          'the events of the pod have the whole text.',
      ),
    ],
  };
}

/**
 * The container fails and mounts an image volume, and nothing shows whether the runtime of its node can do that
 * (image-volume-runtime).
 */
function mayLackImage(p: PodCase, { container }: ContainerTrouble): boolean {
  if (!imageMounts(p).some((mount) => mount.container.name === container)) return false;
  return p.ask.get('Node', undefined, nodeOf(p), `which container runtime ${nodeOf(p)} has`).state === 'unknown';
}

/**
 * The container may not write there by its own spec: a volume that became read-only has another cause
 * (volume-remounted-readonly).
 */
function explainReadOnlyMount(p: PodCase, trouble: ContainerTrouble): Explanation | undefined {
  const { container, volumeName, volumePath, message, messagePath } = trouble;
  const isNamed = volumeName !== undefined;
  if (isNamed && !isReadOnlyBySpec(p, trouble)) return undefined;
  const root = containerOf(p.pod, container)?.securityContext?.readOnlyRootFilesystem;
  if (!isNamed && root !== true) return undefined;
  const mountPath = mountsOf(p.pod, container).find(({ name }) => name === volumeName)?.mountPath;
  const isInit = (p.pod.spec?.initContainers ?? []).some(({ name }) => name === container);
  const list = isInit ? 'initContainers' : 'containers';
  const where = isNamed ? `${volumePath ?? ''}, which its spec mounts read-only` : 'a file system that is read-only';
  return {
    confidence: 'likely',
    summary:
      `The volumes of ${podWords(p)} are mounted. ` +
      `Container ${container} writes to ` +
      `${where}${isNamed ? '' : ', most likely its own (readOnlyRootFilesystem: true)'}: ` +
      `${quoted(cutWords(message, longestMessage))}.`,
    evidence: [
      field(p.pod, messagePath, message),
      ...(isNamed ? [] : [field(p.pod, `spec.${list}[${container}].securityContext.readOnlyRootFilesystem`, 'true')]),
    ],
    fix: [
      isNamed && mountPath !== undefined
        ? changePodFix(
            p.pod,
            { [list]: [{ name: container, volumeMounts: [{ name: volumeName, mountPath, readOnly: false }] }] },
            (place) =>
              `If it has to write there, mount volume "${volumeName}" with readOnly: false ${place}; ` +
              'a volume that is read-only as a whole (readOnly of the claim or of the PersistentVolume) has ' +
              'to be changed there.',
          )
        : describeFix(p, 'Let it write to an emptyDir volume, mounted where it needs one.'),
    ],
  };
}

function explainContainer(
  p: PodCase,
  { container, path, messagePath, reason, message }: ContainerTrouble,
): Explanation {
  const { namespace, name } = p.pod.metadata;
  const logs = `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(container)} --previous --tail=50`;
  return {
    summary:
      `The volumes of ${podWords(p)} are mounted. ` +
      `Container ${container} does not start for another reason: ` +
      `${reason}${message ? ` (${quoted(cutWords(message, longestMessage))})` : ''}.`,
    evidence: [
      field(p.pod, `${path}.reason`, reason),
      ...(message ? [field(p.pod, messagePath, message)] : []),
      ...mountedEvidence(p),
    ],
    fix: [
      reason === 'CrashLoopBackOff'
        ? (pluginFix(p, container) ??
          steps('Read what the container reported before it ended, and correct it.', [logs]))
        : describeFix(p, readEvents),
    ],
  };
}

function explainStarting(p: PodCase): Explanation | undefined {
  if (p.pod.status?.phase !== 'Pending') return undefined;
  const [mounted = field(p.pod, 'status.phase')] = mountedEvidence(p);
  return {
    summary: `The volumes of ${podWords(p)} are mounted. Its containers have not started yet.`,
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
    summary: `${podWords(p)} is being deleted, and its node ${nodeOf(p)} is not ready. It has no claims, so storage does not hold it.`,
    evidence: [field(p.pod, 'spec.nodeName')],
    fix: [describeFix(p, readEvents)],
  };
}

function explainRunning(p: PodCase): Explanation | undefined {
  const running = containerStatusesOf(p.pod).find(({ state }) => state?.running);
  if (!running) return undefined;
  const { name = '' } = running;
  return {
    summary: `${podWords(p)} is being deleted, and its container ${name} still runs. Storage does not hold it.`,
    evidence: [
      field(p.pod, `status.containerStatuses[${name}].state`, 'running'),
      field(p.pod, 'metadata.deletionTimestamp'),
    ],
    fix: [describeFix(p, readEvents)],
  };
}

function explainFinalizers(p: PodCase): Explanation | undefined {
  const { finalizers = [] } = p.pod.metadata;
  if (finalizers.length === 0) return undefined;
  return {
    summary: `${podWords(p)} is being deleted and is held by finalizer ${finalizers.join(', ')}. Storage does not hold it.`,
    evidence: [field(p.pod, 'metadata.finalizers', finalizers.join(', ')), field(p.pod, 'metadata.deletionTimestamp')],
    fix: [
      steps(
        `Start the controller that owns finalizer ${finalizers[0] ?? ''}, or read in its log why it does not ` +
          'remove it. Do not remove the finalizer by hand: it guards work that is not done.',
        [],
      ),
    ],
  };
}

const readEvents = 'Correct what the events of the pod name; they are at the end of the output.';

function describeFix({ pod }: PodCase, text: string): Fix {
  return steps(text, [kubectl('describe', pod)]);
}

/** The pod may itself be the node plugin of a driver, whose usual reasons are known. */
function pluginFix({ ask, pod }: PodCase, container: string): Fix | undefined {
  const status = containerStatusesOf(pod).find(({ name }) => name === container);
  return registrarOf(pod.spec) && status ? startPluginFix(ask, pod, status) : undefined;
}
