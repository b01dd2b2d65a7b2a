import type { SidecarRole } from '../../facts/driver/driver-lease.ts';
import type { ControllerWorkload } from '../../facts/driver/controller.ts';
import { crashFixes, startFixes } from '../../facts/driver/controller-fixes.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { brokenDriverPod } from '../../facts/driver/own-pod.ts';
import type { BrokenDriverPod } from '../../facts/driver/own-pod.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { cannotStart, crashEnd, crashEvidence, waitingEvidence, waitingWords } from '../../facts/pod/pod-health.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Explanation } from '../lib/rule.ts';
import { quoted } from './driver-answer.ts';
import { startPluginFix } from './plugin-start-fixes.ts';

const longestMessage = 140;

/** What the controller no longer does with volumes while a sidecar does not work, and what that is called. */
const work: Readonly<
  Record<SidecarRole, { readonly verbs: readonly string[]; readonly crash: string; readonly idle: string }>
> = {
  provisioner: { verbs: ['create', 'delete'], crash: 'provisioner-crashloop', idle: 'provisioner-not-running' },
  attacher: {
    verbs: ['attach', 'detach'],
    crash: 'attach-attacher-not-running',
    idle: 'attach-attacher-not-running',
  },
  resizer: { verbs: ['expand'], crash: 'resize-no-resizer', idle: 'resize-no-resizer' },
  snapshotter: { verbs: ['snapshot'], crash: 'snap-sidecar-down', idle: 'snap-sidecar-down' },
};

const nodeCause = 'driver-daemonset-pod-unhealthy';

/** The rule of one cause: for each broken pod only one of them holds. */
export function explainOwnPod(cause: string): (p: PodCase) => Explanation | undefined {
  return (p) => {
    if (!hasMountedVolumes(p.pod) || p.pod.metadata.deletionTimestamp !== undefined) return undefined;
    const broken = brokenDriverPod(p.ask, p.pod);
    if (!broken || causeOf(broken) !== cause) return undefined;
    // A volume of its own that fails is explained as such.
    if (containerTroubleOf(p.pod, p.now)?.volume !== undefined) return undefined;
    return explain(p, broken);
  };
}

function causeOf({ status, roles: [role] }: BrokenDriverPod): string {
  if (role === undefined) return nodeCause;
  return cannotStart(status) ? work[role].idle : work[role].crash;
}

function explain({ ask, pod }: PodCase, broken: BrokenDriverPod): Explanation {
  const { driver, status, roles } = broken;
  const { name, namespace } = pod.metadata;
  const end = cannotStart(status)
    ? `does not start (${waitingWords(status)})`
    : `keeps crashing${crashEnd(status)}${lastWords(status)}`;
  const container = `container ${status.name ?? ''} of pod/${name} in namespace ${namespace ?? ''}`;
  return {
    about: roles.length > 0 ? (driver ?? name) : `${driver ?? name}/${pod.spec?.nodeName ?? ''}`,
    summary: `${subjectOf(broken, pod)}: ${container} ${end}. ${effectOf(broken, pod)}`,
    evidence: cannotStart(status) ? [waitingEvidence(pod, status)] : crashEvidence(pod, status),
    fix: roles.length === 0 ? [startPluginFix(ask, pod, status)] : controllerFixes({ ask, pod }, status),
  };
}

function subjectOf({ driver, isRegistrar, roles }: BrokenDriverPod, { spec }: Pod): string {
  const who = driver === undefined ? 'a storage driver' : `driver ${driver}`;
  if (roles.length > 0) return `The controller of ${who} does not work in this pod`;
  if (isRegistrar) return `The registrar of ${who} does not work on ${spec?.nodeName ?? 'its node'}`;
  return `${who[0]?.toUpperCase() ?? ''}${who.slice(1)} does not work on ${spec?.nodeName ?? 'its node'}`;
}

/** What depends on it. That nothing else does the work of a controller is proven only where no replica is ready. */
function effectOf({ driver, isRegistrar, roles }: BrokenDriverPod, { spec }: Pod): string {
  const node = spec?.nodeName ?? 'the node';
  const its = driver === undefined ? 'its volumes' : `volumes of ${driver}`;
  if (roles.length > 0) {
    const verbs = roles.flatMap((role) => work[role].verbs);
    const last = verbs.pop() ?? '';
    return `Until it runs, this pod does not ${verbs.length > 0 ? `${verbs.join(', ')} or ` : ''}${last} ${its}.`;
  }
  return isRegistrar
    ? `Until it runs, the kubelet of ${node} cannot register the driver.`
    : `Until it runs, ${its} cannot be mounted or unmounted on ${node}.`;
}

/** The end of its log, where the container leaves it in its status. */
function lastWords({ lastState, state }: ContainerStatus): string {
  const message = (lastState?.terminated ?? state?.terminated)?.message?.trim();
  return message ? ` (${quoted(cutWords(message, longestMessage))})` : '';
}

function controllerFixes({ ask, pod }: Pick<PodCase, 'ask' | 'pod'>, status: ContainerStatus): Fix[] {
  const owner = ownerOf(pod);
  const kind = (['Deployment', 'StatefulSet', 'DaemonSet'] as const).find((known) => known === owner?.kind);
  const namespace = pod.metadata.namespace ?? '';
  const object = owner && kind && ask.graph.find(kind, namespace, owner.name);
  const workload: ControllerWorkload | undefined = owner &&
    kind && { kind, namespace, name: owner.name, ...(object && { object }) };
  return cannotStart(status) ? [...startFixes(pod, workload)] : crashFixes({ workload }, { pod, status });
}
