import { findController } from '../../facts/driver/drivers.ts';
import { field, note } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { portsIn, saysHostMissing } from '../lib/driver-error/senses/nodes.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf } from '../lib/storage-view.ts';
import { pluginOn, restartPlugin } from '../mount/plugin-fixes.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { driverLogs } from './attach-rpc.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { isNodeReady } from './detach-case.ts';
import { partFix, partOn, partText } from './storage-part.ts';

/** Where a driver looks up a node that it does not find. */
type Registry = 'cloud' | 'array' | 'cluster';

interface NodeList {
  readonly driver: RegExp;
  /** The command that prints it. */
  readonly list: string;
  /** What runs on a node and enters it in the list, where that is not the node plugin. */
  readonly part?: string;
}

/** Storage whose controller keeps its own list of the cluster's nodes. */
const ownLists: readonly NodeList[] = [
  { driver: /trident/, list: 'kubectl get tridentnodes.trident.netapp.io -A' },
  { driver: /longhorn/, list: 'kubectl get nodes.longhorn.io -A', part: 'manager of Longhorn' },
  { driver: /mayastor/, list: 'kubectl mayastor get nodes', part: 'io-engine of Mayastor' },
  { driver: /linstor/, list: 'linstor node list', part: 'satellite of LINSTOR' },
  {
    driver: /^pxd\.portworx\.com$|portworx/,
    list: 'kubectl get storagenodes.core.libopenstorage.org -A',
    part: 'Portworx pod',
  },
];

/** The command that prints the nodes as the storage itself sees them. */
export function nodeListOf(driver: string | undefined, output?: 'yaml'): string | undefined {
  const list = ownLists.find((each) => driver !== undefined && each.driver.test(driver))?.list;
  return output === 'yaml' && list?.startsWith('kubectl get ') ? `${list} -o yaml` : list;
}

export function registryOf({ driver = '' }: AttachTrouble, { words }: AttachError): Registry {
  if (saysHostMissing(words)) return 'array';
  return ownLists.some((each) => each.driver.test(driver)) ? 'cluster' : 'cloud';
}

/** A sentence after the quoted words: who does not know the node. */
export function registryText(trouble: AttachTrouble, error: AttachError, nodeId: string | undefined): string {
  const { node, driver = 'the driver' } = trouble;
  const name = `node ${node}${nodeId !== undefined && nodeId !== node ? ` (${nodeId})` : ''}`;
  const object = nodeObjectOf(trouble);
  switch (registryOf(trouble, error)) {
    case 'array': {
      const ports = portsIn(error.words);
      const by = ports.length > 0 ? ` with port ${ports.join(', ')}` : '';
      return ` The storage system has no host entry for ${node}${by}, so the volume cannot be mapped to it.`;
    }
    case 'cluster': {
      const ready = object && isNodeReady(object) ? ', which exists in Kubernetes and is ready' : '';
      const part = object && partOn(trouble, object);
      return ` The controller of ${driver} has no record of ${name}${ready}.${part ? partText({ name: node, node: object, part }) : ''}`;
    }
    case 'cloud':
      return ` The storage does not know ${name}, as seen with the account${hasRegions(trouble) ? ' and region' : ''} that the driver uses.`;
  }
}

function nodeObjectOf({ ask, node }: AttachTrouble) {
  const lookup = ask.get('Node', undefined, node, `whether node ${node} is up`);
  return lookup.state === 'found' ? lookup.object : undefined;
}

/** Only a cloud has regions; of a driver that is not known it may be one. */
function hasRegions({ driver = '' }: AttachTrouble): boolean {
  return !/vsphere|proxmox|cloud-director|nutanix|xenorchestra|ovirt/.test(driver);
}

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';

export function registryEvidence(trouble: AttachTrouble, error: AttachError): Evidence[] {
  const registry = registryOf(trouble, error);
  if (registry === 'cloud') return [];
  const { attachment, ask, driver, node } = trouble;
  const id = attachment.state === 'found' ? attachment.object.metadata.annotations?.[nodeIdAnnotation] : undefined;
  const object = nodeObjectOf(trouble);
  const plugin = pluginOn(ask, driver, node);
  const volume = volumeObjectOf(trouble);
  const array = registry === 'array' ? arrayEntry(trouble) : undefined;
  return [
    ...(volume && array ? [field(volume, `spec.csi.volumeAttributes.${array.key}`, array.value)] : []),
    ...(id !== undefined && attachment.state === 'found'
      ? [field(attachment.object, `metadata.annotations[${nodeIdAnnotation}]`, id)]
      : []),
    ...(object && registry === 'cluster'
      ? [field(object, 'status.conditions[Ready]', isNodeReady(object) ? 'True' : 'not True')]
      : []),
    ...(plugin && registry === 'cluster' && isReady(plugin)
      ? [note(plugin, pluginAge(trouble, plugin.metadata.creationTimestamp))]
      : []),
  ];
}

/** A node plugin reports its node when it starts: a controller that is younger may have lost that. */
function pluginAge({ ask, driver }: AttachTrouble, created: string | undefined): string {
  const { leader } = findController(ask, driver ?? '', 'attacher');
  const own = parseTime(created);
  const other = parseTime(leader?.metadata.creationTimestamp);
  const age = own === undefined ? 'is ready' : `is ready, created ${ageText(own, ask.now)} ago`;
  return leader && own !== undefined && other !== undefined && other > own
    ? `${age}, before the controller pod/${leader.metadata.name} (${ageText(other, ask.now)} ago)`
    : age;
}

export function registryFixes(trouble: AttachTrouble, error: AttachError, nodeId: string | undefined): Fix[] {
  switch (registryOf(trouble, error)) {
    case 'array':
      return arrayFixes(trouble, error, nodeId);
    case 'cluster':
      return clusterFixes(trouble);
    case 'cloud':
      return [
        restartFix(trouble, 'Restart', `the storage does not know ${nodeId ?? 'the id that it has registered'}`),
        ...driverLogs(trouble),
      ];
  }
}

function restartFix(trouble: AttachTrouble, lead: string, why: string): Fix {
  const { ask, driver, node } = trouble;
  return restartPlugin(
    ask,
    driver,
    node,
    `${lead} the node plugin of ${driver ?? 'the driver'} on ${node}, so that it registers the node again: ${why}. ${retryText(trouble)}`,
  );
}

function clusterFixes(trouble: AttachTrouble): Fix[] {
  const { driver = '', node } = trouble;
  const object = nodeObjectOf(trouble);
  const part = object && partOn(trouble, object);
  const direct = object && part && partFix(trouble, { name: node, node: object, part });
  if (direct) return [direct, ...driverLogs(trouble)];
  const own = ownPartFix(trouble, node);
  if (own) return [own, ...driverLogs(trouble)];
  const list = nodeListOf(driver);
  const restart = restartFix(trouble, 'Restart', 'it does that when it starts');
  const look = `The last line then lists ${node}; if it does not, the saved log shows why the plugin cannot reach the controller.`;
  return [
    list === undefined ? restart : steps(`${restart.text} ${look}`, [...(restart.commands ?? []), list], restart.risk),
    ...driverLogs(trouble),
  ];
}

/** What the storage itself runs on a node; the node plugin of the driver only mounts. Undefined where it is not known. */
export function ownPartFix(trouble: AttachTrouble, node: string): Fix | undefined {
  const own = ownLists.find(({ driver }) => trouble.driver !== undefined && driver.test(trouble.driver));
  if (own?.part === undefined) return undefined;
  return steps(
    `Let the ${own.part} run on ${node}, or restart it there: it reports the node to the storage, whose list of nodes ` +
      'the last line prints. If the first line shows no pod of it, correct what keeps its DaemonSet off the node ' +
      `(labels, taints) instead. PLACEHOLDER_NS and PLACEHOLDER_POD are in the first line's output. ${retryText(trouble)}`,
    [
      `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      'kubectl -n PLACEHOLDER_NS delete pod PLACEHOLDER_POD',
      own.list,
    ],
    'disruptive',
  );
}

/** What the volume says of the array that holds it. */
function arrayEntry(trouble: AttachTrouble): { readonly key: string; readonly value: string } | undefined {
  const attributes = Object.entries(volumeObjectOf(trouble)?.spec?.csi?.volumeAttributes ?? {});
  const entry = attributes.find(([key]) => /^(?:array|system|storage)[_-]?(?:id|address|name|system)?$/i.test(key));
  return entry && { key: entry[0], value: entry[1] };
}

function arrayOf(trouble: AttachTrouble): string {
  const entry = arrayEntry(trouble);
  return entry === undefined ? '' : ` on array ${entry.value}`;
}

function arrayFixes(trouble: AttachTrouble, error: AttachError, nodeId: string | undefined): Fix[] {
  const { node } = trouble;
  const { team } = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  const ports = portsIn(error.words);
  if (ports.length > 0)
    return [
      steps(
        `Ask ${team} to define a host for ${node}${arrayOf(trouble)} with port ${ports.join(', ')}, or to add the port to ` +
          `the host that stands for it there. ${retryText(trouble)}`,
        [],
      ),
      otherProtocolFix(trouble, ports),
    ];
  return [
    restartFix(
      trouble,
      'Save the log of and restart',
      `most drivers of arrays enter it as a host when they start, and the log shows why that failed. ` +
        `If the entry is still missing, ask ${team} for a host with the id ${nodeId ?? 'quoted above'}${arrayOf(trouble)}, ` +
        `and whether the initiators of ${node} are on another host`,
    ),
    ...driverLogs(trouble),
  ];
}

/** An array looks a host up by what the node has reported. */
function otherProtocolFix(trouble: AttachTrouble, ports: readonly string[]): Fix {
  const isIscsi = ports.some((port) => port.startsWith('iqn.'));
  const { node } = trouble;
  const { ask, driver } = trouble;
  const restart = pluginOn(ask, driver, node) ? restartFix(trouble, 'restart', '') : undefined;
  return steps(
    `If ${node} is to use ${isIscsi ? 'Fibre Channel or NVMe' : 'another protocol'} instead, let it have such a port first ` +
      `(the first line lists its Fibre Channel ports), and restart the node plugin there, which reports it.`,
    [
      `kubectl debug node/${shellWord(node)} -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'cat /sys/class/fc_host/host*/port_name'`,
      ...(restart?.commands ?? []),
    ],
    restart ? 'disruptive' : 'safe',
  );
}
