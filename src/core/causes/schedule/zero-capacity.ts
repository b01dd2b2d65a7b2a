import type { Node, StorageClass } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { isNear } from '../../facts/class/storage-capacity.ts';
import type { CapacityView } from '../../facts/class/storage-capacity.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { field, inNamespace } from '../../facts/evidence.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { ignoreCapacity } from './published-capacity.ts';

/** Full pools everywhere are rare; a pool that the driver cannot find or does not count is not. */
export function zeroCapacityFixes(p: PodCase, view: CapacityView): Fix[] {
  const { driver, storageClass } = view;
  const pool = poolText(storageClass);
  const name = `the pool of StorageClass "${storageClass.metadata.name}"${pool === '' ? '' : ` (${pool})`}`;
  const node = openNode(p, view);
  const look = node && lookCommand(view, node);
  const ignore = ignoreCapacity(p, driver, '')[0];
  const where = node ? ` on ${node.metadata.name}` : ' on a node';
  if (!look || !ignore)
    return [
      steps(
        `Correct what ${driver} reports: check on a node that ${name} exists and has free space. If ` +
          'it does, the driver does not count it: upgrade the driver. If it does not, create or grow ' +
          'the pool. The figures are published again within a minute.',
        [],
      ),
      ...ignoreCapacity(p, driver, 'If the pool has free space, stop the check until then'),
    ];
  return [
    steps(
      `Compare with what ${name} really has free${where} (the first line). If it has space, the driver does not count it: ` +
        'let the scheduler ignore the published capacity (the second line) until a release of the driver counts it. ' +
        `The pod is then scheduled automatically; the scheduler may also choose a node without enough space.`,
      [look, ...(ignore.commands ?? (ignore.command === undefined ? [] : [ignore.command]))],
    ),
    steps(
      `If the pool is full or does not exist, add a disk to it or create it on a node that could take pod/${p.pod.metadata.name}, ` +
        'or correct its name in the class. The figures are published again within a minute, and the pod is then scheduled.',
      [],
    ),
  ];
}

/** What the parameters of the class say about the pool suggests why a driver counts nothing. */
export function zeroCapacityText({ storageClass }: CapacityView): string {
  const parameters = Object.entries(storageClass.parameters ?? {});
  const isThin = parameters.some(([key, value]) => /thin/i.test(key) && /^(?:true|yes|1)$/i.test(value));
  if (isThin)
    return ' The class is thin-provisioned, and the driver may count only the free space of the volume group, not that of its thin pool.';
  const child = parameters.find(([key, value]) => /^(?:poolname|dataset)/i.test(key) && value.includes('/'))?.[1];
  return child === undefined
    ? ''
    : ` The class uses the child dataset "${child}", and the driver may look only for whole pools.`;
}

/** The parameters of the class that name or describe the pool. */
export function poolEvidence({ storageClass }: CapacityView): Evidence[] {
  return Object.entries(storageClass.parameters ?? {})
    .filter(([key]) => isAboutPool(key) || /thin/i.test(key))
    .map(([key, value]) => field(storageClass, `parameters[${key}]`, value));
}

function isAboutPool(key: string): boolean {
  return /pool|group|dataset|vg/i.test(key);
}

function poolText({ parameters = {} }: StorageClass): string {
  return Object.entries(parameters)
    .filter(([key]) => isAboutPool(key))
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** A node near published capacity that could take the pod. */
function openNode(p: PodCase, { published }: CapacityView): Node | undefined {
  return fitNodes(p).items.find(({ node, refusal }) => !refusal && published.some((capacity) => isNear(capacity, node)))
    ?.node;
}

/** Objects in which some drivers keep what each node really has; otherwise the tools of the volume manager show it. */
const nodeObjects: Readonly<Record<string, string>> = {
  'local.csi.openebs.io': 'lvmnodes.local.openebs.io',
  'zfs.csi.openebs.io': 'zfsnodes.zfs.openebs.io',
};

function lookCommand({ driver, storageClass, published }: CapacityView, node: Node): string | undefined {
  const { name } = node.metadata;
  const resource = nodeObjects[driver];
  // A driver publishes its capacity in the namespace where it is installed.
  if (resource !== undefined)
    return `kubectl ${inNamespace(published[0]?.metadata.namespace)}get ${resource} ${shellWord(name)} -o yaml`;
  if (driver === 'topolvm.io') return `kubectl get node ${shellWord(name)} -o jsonpath='{.metadata.annotations}'`;
  if (isWindows(node)) return undefined;
  const parameters = Object.entries(storageClass.parameters ?? {});
  const group = parameters.find(([key]) => /^(?:vg|vgname|volgroup|volumegroup|vg_name)$/i.test(key))?.[1];
  if (group !== undefined)
    return onNode(name, `sh -c ${shellWord(`vgs ${shellWord(group)}; lvs ${shellWord(group)}`)}`);
  const dataset = /zfs/i.test(driver)
    ? parameters.find(([key]) => /^(?:poolname|dataset|pool)/i.test(key))?.[1]
    : undefined;
  return dataset === undefined ? undefined : onNode(name, `zfs list ${shellWord(dataset)}`);
}
