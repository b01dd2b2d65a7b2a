import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { startFixes } from '../../facts/driver/controller-fixes.ts';
import { field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { podEvidence, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** The pod in which a provisioner removes a directory on a node, and why it does not do so. */
export interface CleanupPod {
  /** A sentence. */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Under these conditions a kubelet rejects every pod that is not critical (pkg/kubelet/eviction Admit). */
const pressures = ['DiskPressure', 'MemoryPressure', 'PIDPressure'] as const;
type Pressure = (typeof pressures)[number];

/** Named after the volume: cleanup-pvc-UID, helper-pod-delete-pvc-UID. Only what was read already. */
export function cleanupPodOf(v: VolumeSubject, retry: string): CleanupPod | undefined {
  const pod = v.ask
    .seen('Pod')
    .find(
      ({ metadata, status }) =>
        metadata.name.endsWith(v.name) && status?.phase !== 'Succeeded' && status?.phase !== 'Running',
    );
  if (!pod) return undefined;
  const nodeName = pod.spec?.nodeName;
  const node = nodeName === undefined ? undefined : v.ask.graph.find('Node', undefined, nodeName);
  const pressure = node && pressures.find((type) => conditionOf(node.status?.conditions, type)?.status === 'True');
  if (node && pressure) return rejected(v, pod, node, pressure, retry);
  return describe(pod, retry);
}

function podText({ metadata: { name, namespace } }: Pod): string {
  return `pod/${name} in namespace ${namespace ?? ''}`;
}

function rejected(v: VolumeSubject, pod: Pod, node: Node, pressure: Pressure, retry: string): CleanupPod {
  const { name } = node.metadata;
  return {
    words:
      `The provisioner removes the data in a pod on node ${name}, and the node refuses that pod because it has ` +
      `${pressure}${pod.status?.message === undefined ? '' : ` ("${pod.status.message.trim().replace(/\.$/, '')}")`}. ` +
      'The message of the provisioner says only that the pod did not finish.',
    evidence: [
      note(pod, [pod.status?.phase, pod.status?.reason].filter((part) => part !== undefined).join(', ')),
      field(
        node,
        `status.conditions[${pressure}]`,
        'True',
        conditionOf(node.status?.conditions, pressure)?.lastTransitionTime,
      ),
    ],
    fix: pressure === 'DiskPressure' ? freeDisk(v, name, retry) : [relieve(name, pressure, retry)],
  };
}

/** A debug pod would be refused too, so these lines run on the node itself. */
function freeDisk(v: VolumeSubject, node: string, retry: string): Fix[] {
  const path = pathOf(v);
  const host = `ssh ${shellWord(node)}`;
  return [
    steps(
      `Free disk space on ${node} until DiskPressure ends: unused images first, then logs and other data that is not needed. The lines run on the node (by ssh or the tool of its system): pods that would be started there are refused. ${retry}`,
      [`${host} crictl rmi --prune`, `${host} 'df -h; du -xhd1 /var/lib /var/log'`],
    ),
    ...(path === undefined
      ? []
      : [
          steps(
            `If nothing else can be freed, delete the content of the volume itself, ${path}: its deletion was asked for. The next cleanup then finds an empty directory.`,
            [`${host} find ${shellWord(path)} -mindepth 1 -delete`],
            'data-loss',
          ),
        ]),
  ];
}

/** Only a directory that bears the name of the volume: another one may hold more than this volume. */
function pathOf({ object: { spec }, name }: VolumeSubject): string | undefined {
  const path = spec?.local?.path ?? spec?.hostPath?.path;
  return path?.endsWith(`/${name}`) || path?.includes(`/${name}_`) ? path : undefined;
}

function relieve(node: string, pressure: Pressure, retry: string): Fix {
  return steps(
    `Relieve ${node}: it has ${pressure} and refuses new pods. Move or stop what uses the most there (the first line lists its pods). ${retry}`,
    [`kubectl get pods -A --field-selector spec.nodeName=${shellWord(node)}`],
  );
}

function describe(pod: Pod, retry: string): CleanupPod {
  const isFailed = pod.status?.phase === 'Failed';
  const { name, namespace } = pod.metadata;
  const state = isFailed
    ? `failed${pod.status?.reason === undefined ? '' : ` (${pod.status.reason}${pod.status.message === undefined ? '' : `: "${pod.status.message.trim()}"`})`}`
    : `is ${whyNotRunning(pod)}`;
  return {
    words: sentence(`The provisioner removes the data in ${podText(pod)}, which ${state}`),
    evidence: [podEvidence(pod)],
    fix: isFailed
      ? [
          steps(
            `Read why ${podText(pod)} failed: its log names the command and the path on the node. Correct that. ${retry}`,
            [`kubectl ${inNamespace(namespace)}logs ${shellWord(name)} --tail=50`],
          ),
        ]
      : startFixes(pod, undefined),
  };
}
