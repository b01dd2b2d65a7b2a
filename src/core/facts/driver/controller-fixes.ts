import type { Container, ContainerStatus, Node, Pod } from '../../kube/kinds.ts';
import { bytesOf, formatBytes, isQuantity } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import { fix, inNamespace, shellWord } from '../evidence.ts';
import { cannotStart } from '../pod/pod-health.ts';
import { conditionOf, containerStatusesOf } from '../pod/pod-state.ts';
import { taintIn } from '../pod/scheduling-message.ts';
import type { ControllerWorkload } from './controller.ts';
import { fittingSelector, selectorWords } from './fitting-selector.ts';

/** The kinds that `kubectl rollout` and `kubectl set` support; the pods of any other owner are deleted one by one. */
const restartable: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** `kubectl -n NAMESPACE VERB deployment NAME` */
function workloadCommand(verb: string, { kind, namespace, name }: ControllerWorkload, more = ''): string {
  const words = `kubectl ${inNamespace(namespace)}${verb} ${kind.toLowerCase()} ${shellWord(name)}`;
  return more === '' ? words : `${words} ${more}`;
}

function isManaged(workload: ControllerWorkload | undefined): workload is ControllerWorkload {
  return workload !== undefined && restartable.has(workload.kind);
}

/** A fresh process of a controller that hangs. The workload is restarted as a whole where one is known. */
export function restartFix(pod: Pod, workload: ControllerWorkload | undefined, then: string): Fix {
  const { namespace, name } = pod.metadata;
  return isManaged(workload)
    ? fix(
        `Restart ${workload.kind.toLowerCase()}/${workload.name}. ${then}`,
        workloadCommand('rollout restart', workload),
        'disruptive',
      )
    : fix(
        `Restart pod/${name}. ${then}`,
        `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
        'disruptive',
      );
}

/** A pod that is being deleted and does not end, so that no other takes its place. */
export function endPodFixes(
  { metadata: { name, namespace } }: Pod,
  downNode: string | undefined,
): readonly [Fix, ...Fix[]] {
  const pod = `pod ${shellWord(name)}`;
  if (downNode === undefined)
    return [
      fix(
        `Check what keeps pod/${name} from ending: its finalizers and events. Another takes its place when it has gone.`,
        `kubectl ${inNamespace(namespace)}describe ${pod}`,
      ),
    ];
  return [
    fix(
      `Make sure that the machine of ${downNode} is off, then remove pod/${name} by force: another takes its place ` +
        'on a node that works. If the machine still runs, both are active at the same time.',
      `kubectl ${inNamespace(namespace)}delete ${pod} --force --grace-period=0`,
      'disruptive',
    ),
    fix(`Or start the machine of ${downNode}, or its kubelet: it then ends the pod, and another takes its place.`),
  ];
}

/** A container keeps ending. If its state does not show why, only its last log does. */
export function crashFixes(
  { workload }: { readonly workload?: ControllerWorkload | undefined },
  { pod, status }: { readonly pod: Pod; readonly status: ContainerStatus },
): Fix[] {
  const container = status.name ?? '';
  const { namespace, name } = pod.metadata;
  const memory = moreMemory(pod, container, status, workload);
  const undo = undoFix(workload);
  const log = fix(
    `Read the last log of container ${container}: it names what the process lacks (credentials, an address ` +
      'of the storage, a flag). Correct that; the next restart then stays up.',
    `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(container)} --previous --tail=50`,
  );
  return [...memory, ...(memory.length > 0 ? [] : [log]), ...undo, ...(memory.length > 0 ? [log] : [])];
}

function moreMemory(
  { spec }: Pod,
  container: string,
  status: ContainerStatus,
  workload: ControllerWorkload | undefined,
): Fix[] {
  const end = status.lastState?.terminated ?? status.state?.terminated;
  if (end?.reason !== 'OOMKilled' || !isManaged(workload)) return [];
  const limit = limitOf(spec?.containers?.find((each) => each.name === container));
  const wanted = limit === undefined ? 'PLACEHOLDER_MEMORY' : formatBytes(2n * bytesOf(limit));
  return [
    fix(
      limit === undefined
        ? `Raise the memory limit of container ${container}, which was killed for using too much. ` +
            'PLACEHOLDER_MEMORY is the new limit, for example twice the present one.'
        : `Raise the memory limit of container ${container} from ${limit} to ${wanted}: it was killed for exceeding it.`,
      workloadCommand('set resources', workload, `-c ${shellWord(container)} --limits=memory=${wanted}`),
    ),
  ];
}

function limitOf(container: Container | undefined): string | undefined {
  const limit = container?.resources?.limits?.['memory'];
  return limit !== undefined && isQuantity(limit) ? limit : undefined;
}

/** Only a workload with an earlier revision can go back to it. */
function undoFix(workload: ControllerWorkload | undefined): Fix[] {
  const revision = Number(workload?.object?.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  if (workload?.kind !== 'Deployment' || !(revision > 1)) return [];
  return [
    fix(
      `If it began with the last rollout, return to the revision before it.`,
      workloadCommand('rollout undo', workload),
      'disruptive',
    ),
  ];
}

/** A pod of a controller does not run: what the scheduler or the kubelet names is put right. */
export function startFixes(
  pod: Pod,
  workload: ControllerWorkload | undefined,
  nodes: readonly Node[] = [],
): readonly [Fix, ...Fix[]] {
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (scheduled?.status === 'False')
    return [selectorFix(pod, workload, nodes) ?? placeFix(pod, workload, scheduled.message ?? '')];
  const stuck = containerStatusesOf(pod).find((status) => cannotStart(status));
  const { reason = '', message = '' } = stuck?.state?.waiting ?? {};
  if (stuck && /Image|Registry/.test(reason)) return [imageFix(pod, workload, stuck.name ?? '', reason)];
  const missing = /(secret|configmap) "([^"]+)" not found/.exec(message);
  if (missing) return [createMissing(pod, missing[1] === 'secret' ? 'secret' : 'configmap', missing[2] ?? '')];
  const { namespace, name } = pod.metadata;
  return [
    fix(
      `Check what keeps pod/${name} from running: its events name the step that fails. Correct that; the pod then starts automatically.`,
      `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
    ),
  ];
}

function createMissing(pod: Pod, kind: 'secret' | 'configmap', object: string): Fix {
  const { namespace, name } = pod.metadata;
  return fix(
    `Create the ${kind === 'secret' ? 'Secret' : 'ConfigMap'} "${object}" that pod/${name} needs, with the ` +
      `keys the driver's documentation asks for (PLACEHOLDER_KEY, PLACEHOLDER_FILE). ` +
      'The pod then starts automatically.',
    `kubectl ${inNamespace(namespace)}create ${kind === 'secret' ? 'secret generic' : 'configmap'} ` +
      `${shellWord(object)} --from-file=PLACEHOLDER_KEY=PLACEHOLDER_FILE`,
  );
}

function imageFix(pod: Pod, workload: ControllerWorkload | undefined, container: string, reason: string): Fix {
  const image = pod.spec?.containers?.find(({ name }) => name === container)?.image ?? '';
  const text =
    `Correct the image of container ${container} ("${image}", ${reason}), or give the nodes access to its ` +
    'registry. PLACEHOLDER_IMAGE is an image that can be pulled.';
  return isManaged(workload)
    ? fix(text, workloadCommand('set image', workload, `${shellWord(container)}=PLACEHOLDER_IMAGE`), 'disruptive')
    : fix(
        text,
        `kubectl ${inNamespace(pod.metadata.namespace)}set image pod ${shellWord(pod.metadata.name)} ` +
          `${shellWord(container)}=PLACEHOLDER_IMAGE`,
        'disruptive',
      );
}

/** Its node selector fits no node of the cluster: the template is changed, and so its pods. */
function selectorFix(pod: Pod, workload: ControllerWorkload | undefined, nodes: readonly Node[]): Fix | undefined {
  const change = fittingSelector(pod.spec, nodes);
  if (!change || !isManaged(workload)) return undefined;
  return fix(
    `Let ${workload.kind.toLowerCase()}/${workload.name} run on nodes that exist: ${selectorWords(change)}. ` +
      'Change the manifest or chart it comes from too. Its pod is then scheduled, and what waits for it continues automatically.',
    workloadCommand('patch', workload, `--type=json -p ${shellWord(JSON.stringify(change.patch))}`),
  );
}

/** The scheduler finds no node: a taint can be tolerated; everything else needs room or a node that fits. */
function placeFix({ metadata: { name } }: Pod, workload: ControllerWorkload | undefined, message: string): Fix {
  const taint = taintIn(message);
  if (taint && isManaged(workload)) {
    const { key } = taint;
    const toleration = { key, operator: 'Exists' };
    const hasSome = (workload.object?.spec?.template?.spec?.tolerations ?? []).length > 0;
    const patch = [
      {
        op: 'add',
        path: `/spec/template/spec/tolerations${hasSome ? '/-' : ''}`,
        value: hasSome ? toleration : [toleration],
      },
    ];
    return fix(
      `Let ${workload.kind.toLowerCase()}/${workload.name} tolerate taint ${key}, or remove the taint from a ` +
        'node it may use. The pod is then scheduled.',
      workloadCommand('patch', workload, `--type=json -p ${shellWord(JSON.stringify(patch))}`),
    );
  }
  return fix(
    `Give pod/${name} a node it fits on: the scheduler reports ` +
      `"${message.replace(/[.\s]+$/, '') || 'no reason'}". ` +
      'Add a node, free what it requests, or lower its requests; it is then scheduled automatically.',
  );
}
