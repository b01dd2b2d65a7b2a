import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Container, ContainerStatus, Kind, Pod } from '../../kube/kinds.ts';
import { addQuantities } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { containerSourceTexts, imageText } from '../lib/driver-error/sentences/kubelet.ts';
import { metadataWords, rightsWords } from '../lib/driver-error/node-program.ts';
import { noRoomTexts } from '../lib/driver-error/sentences/scheduler.ts';

/** What gets the pod of a node plugin to run, by what keeps it from running. */
export function startPluginFix(ask: Inquiry, pod: Pod, status: ContainerStatus | undefined): Fix {
  if (!status)
    return conditionOf(pod.status?.conditions, 'PodScheduled')?.status === 'False'
      ? scheduleFix(pod)
      : describeFix(pod);
  const reason = status.state?.waiting?.reason ?? '';
  if (/Image|Registry/.test(reason)) return imageFix(ask, pod, status);
  if (/^CreateContainer/.test(reason)) return provideFix(pod, status);
  // It was never created, so it has no log; the kubelet waits for a volume or the network of the pod.
  if (/^(?:ContainerCreating|PodInitializing)$/.test(reason) && !isInit(pod, status)) return describeFix(pod);
  if (isInit(pod, status)) return initFix(pod, status);
  return crashFix(pod, status, usesCsiProxy(pod));
}

/**
 * A registrar that was killed hung, or its probe waits for a registration that the kubelet never makes
 * (--mode=kubelet-registration-probe).
 */
export function restartRegistrarFixes(pod: Pod, { name = '' }: ContainerStatus): [Fix, ...Fix[]] {
  return [
    steps(
      'Delete the pod, so that it registers again with a new socket. A FUSE driver loses its mounts on the node.',
      [kubectl('delete', pod)],
      'disruptive',
    ),
    steps(
      'If the registrar is killed again, read its log: "Received GetInfo call" shows that the kubelet has ' +
        'found it. Without that line the kubelet works in another directory than --kubelet-registration-path ' +
        'names (its --root-dir).',
      [`${place(pod)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(name)} --previous --tail=50`],
    ),
  ];
}

function workloadOf(pod: Pod): { readonly kind: Kind; readonly name: string } | undefined {
  const owner = ownerOf(pod);
  const kind = (['DaemonSet', 'Deployment', 'StatefulSet'] as const).find((known) => known === owner?.kind);
  return owner && kind ? { kind, name: owner.name } : undefined;
}

function place(pod: Pod): string {
  return `kubectl ${inNamespace(pod.metadata.namespace)}`;
}

function describeFix(pod: Pod): Fix {
  return steps('Correct what its events name; they are at the end of the output.', [kubectl('describe', pod)]);
}

/** A pod of a DaemonSet competes for room like any other, unless its priority lets it evict pods. */
function scheduleFix(pod: Pod): Fix {
  const message = conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? '';
  const owner = workloadOf(pod);
  if (!owner || !noRoomTexts.test(message)) return describeFix(pod);
  const metadata = {
    name: owner.name,
    ...(pod.metadata.namespace !== undefined && { namespace: pod.metadata.namespace }),
  };
  return steps(
    'Give the node plugin the priority of a node component, so that it evicts other pods there; ' +
      'or free room on the node. Its pods are recreated one by one.',
    [
      kubectl(
        'patch',
        { kind: owner.kind, metadata },
        `--type=merge -p ${shellWord(JSON.stringify({ spec: { template: { spec: { priorityClassName: 'system-node-critical' } } } }))}`,
      ),
    ],
    'disruptive',
  );
}

/** The same image that runs on another node exists: then this node cannot fetch it. */
function imageFix(ask: Inquiry, pod: Pod, { name = '', state }: ContainerStatus): Fix {
  const named = imageText.exec(state?.waiting?.message ?? '')?.[1]?.replace(/[:.,]$/, '');
  const image = named ?? containerNamed(pod, name)?.image ?? '';
  const runsElsewhere = ask
    .seen('Pod')
    .some(
      (other) =>
        other.metadata.uid !== pod.metadata.uid &&
        (other.status?.containerStatuses ?? []).some(
          (status) => status.state?.running && containerNamed(other, status.name)?.image === image,
        ),
    );
  if (runsElsewhere)
    return steps(
      `Restore the access of ${pod.spec?.nodeName ?? 'the node'} to the registry of ${image}: ` +
        'other nodes run this image. Then delete the pod, so that the image is fetched at once.',
      [kubectl('delete', pod)],
    );
  const owner = workloadOf(pod);
  if (!owner) return describeFix(pod);
  return steps(
    `Correct the image of container ${name}: ${image || 'the one that is set'} cannot be fetched. ` +
      'PLACEHOLDER_IMAGE is one that exists in a registry that the node may read.',
    [
      `${place(pod)}set image ${owner.kind.toLowerCase()}/${shellWord(owner.name)} ${shellWord(name)}=PLACEHOLDER_IMAGE`,
    ],
    'disruptive',
  );
}

function provideFix(pod: Pod, status: ContainerStatus): Fix {
  const [, kind, name, key, keyedKind, keyedName] =
    containerSourceTexts.exec(status.state?.waiting?.message ?? '') ?? [];
  const source = name ?? keyedName;
  if (source === undefined) return describeFix(pod);
  const type = /^secret$/i.test(kind ?? keyedKind ?? '') ? 'Secret' : 'ConfigMap';
  const namespace = pod.metadata.namespace ?? 'default';
  const content =
    key === undefined
      ? 'PLACEHOLDER_KEY and PLACEHOLDER_FILE: each key that the driver needs, and the file with its content.'
      : 'PLACEHOLDER_FILE is the file with its content.';
  const create = createSourceCommand(type, namespace, source, key ?? 'PLACEHOLDER_KEY');
  return steps(
    `Create ${type} "${source}"${key === undefined ? '' : ` with key ${key}`} in namespace ${namespace}. ` +
      `${content} The container then starts within seconds.`,
    [key === undefined ? create : `${create} --dry-run=client -o yaml | kubectl apply -f -`],
  );
}

function isInit({ status }: Pod, container: ContainerStatus): boolean {
  return (status?.initContainerStatuses ?? []).includes(container);
}

function initFix(pod: Pod, { name = '', state }: ContainerStatus): Fix {
  const previous = state?.running ? '' : ' --previous';
  return steps(
    `Provide what init container ${name} waits for: its log names it. The driver starts when it has ended.`,
    [`${place(pod)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(name)}${previous} --tail=20`],
  );
}

function crashFix(pod: Pod, status: ContainerStatus, needsCsiProxy: boolean): Fix {
  const { name = '', restartCount = 0 } = status;
  const last = status.lastState?.terminated ?? status.state?.terminated;
  if (last?.reason === 'OOMKilled') return memoryFix(pod, name);
  const previous = restartCount > 0 ? ' --previous' : '';
  const logs = `${place(pod)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(name)}${previous} --tail=50`;
  if (!last?.message && needsCsiProxy)
    return steps(
      `Start csi-proxy on ${pod.spec?.nodeName ?? 'the node'} (on the node: Get-Service csiproxy; ` +
        'Start-Service csiproxy), or install it: this node plugin works only through its pipes. ' +
        'The container then starts after its back-off, within 5 minutes. ' +
        'If csi-proxy runs, the last log names what else is missing.',
      [logs],
    );
  if (!last?.message)
    return steps(
      `Read why container ${name} ends, and correct what it names: ` +
        'credentials, the metadata service of the cloud, an address of the storage, a kernel module. ' +
        'The container then starts after its back-off, within 5 minutes.',
      [logs],
    );
  const cure = cureOf(last.message) ?? `Correct what container ${name} reported last (quoted above).`;
  return steps(
    `${cure} Then delete the pod, so that it starts at once instead of after its back-off; its controller recreates it.`,
    [logs, kubectl('delete', pod)],
    'disruptive',
  );
}

/**
 * Node plugins on Windows that are no HostProcess containers act through the pipes of csi-proxy, a service of the node.
 */
function usesCsiProxy({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).some(({ hostPath }) => /csi-proxy/.test(hostPath?.path ?? ''));
}

/** What a process that ends at its start most often lacks, by its last words. */
function cureOf(message: string): string | undefined {
  if (metadataWords.test(message))
    return (
      'Let the node plugin reach the metadata service of the cloud (169.254.169.254): ' +
      'on AWS a hop limit of 2 or hostNetwork, no firewall rule of a hardened image in between. ' +
      'Where it must stay closed, give the driver region and node data by its settings, and the ' +
      'right to read nodes.'
    );
  if (rightsWords.test(message))
    return 'Give the node plugin the credentials or rights that its last words (quoted above) ask for.';
  return undefined;
}

function memoryFix(pod: Pod, name: string): Fix {
  const owner = workloadOf(pod);
  const limit = containerNamed(pod, name)?.resources?.limits?.['memory'];
  const more = limit === undefined ? 'PLACEHOLDER_MEMORY' : addQuantities(limit, limit);
  if (!owner) return describeFix(pod);
  return steps(
    `Raise the memory limit of container ${name}: it was ended for lack of memory. ` +
      `${limit === undefined ? 'PLACEHOLDER_MEMORY is the new limit.' : 'This doubles it.'} Its pods are ` +
      'recreated one by one.',
    [
      `${place(pod)}set resources ${owner.kind.toLowerCase()}/${shellWord(owner.name)} -c ${shellWord(name)} --limits=memory=${more}`,
    ],
    'disruptive',
  );
}

function containerNamed({ spec }: Pod, name: string | undefined): Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((container) => container.name === name);
}
