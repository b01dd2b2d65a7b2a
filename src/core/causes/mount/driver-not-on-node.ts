import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { exclusionOf, findPluginSets, lists, seenPluginPods } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { field, note, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { CsiNode, Node, Pod } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { isServerless, whyAbsent } from './absent-plugin.ts';
import type { Absence } from './absent-plugin.ts';
import { driversText } from './csinode.ts';
import { describeKeptOff, keptOffNodes } from './kept-off-nodes.ts';
import { findPluginCommand } from './plugin-fixes.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const newDriverSeconds = 120;

/**
 * A CSINode lists the drivers that have registered, and for each driver something on the node has to do that
 * (nodeinfomanager).
 */
const forSubjects = registrationRule('driver-not-on-node', 'blocking', (r) => {
  if (r.trouble !== 'absent') return undefined;
  // The kubelet's word alone proves no more than that the driver is not registered there.
  if (r.isRegistered === undefined && !r.plugin.pods.complete && r.plugin.sets.items.length === 0) return undefined;
  const absence = whyAbsent(r);
  // Where nothing needs the driver, a node that its DaemonSet selects against is as it should be.
  if (!r.isNeeded && absence.isExcluded) return undefined;
  return {
    ...(!isExpected(r, absence) && { severity: 'warning' as const }),
    confidence: confidenceIn(r, absence),
    // Nothing on the node needs the driver: most other nodes have it, which is worth a remark only.
    ...(!r.isNeeded && { severity: 'warning' as const }),
    about: r.about,
    summary:
      `Driver ${r.driver} ${r.isRegistered !== true && !r.plugin.pods.complete ? 'is not registered' : 'is not running'} ` +
      `on ${r.node}${absence.why}.${r.isRegistered === true ? ' The CSINode entry is left from an earlier registration.' : ''}`,
    evidence: evidenceOf(r, absence),
    fix: runPluginFixes(r, absence),
  };
});

/**
 * Something on the node needs the driver, or a DaemonSet that selects the node has no pod there. Otherwise nothing is
 * held up.
 */
function isExpected({ isNeeded, plugin }: Registration, { isKeptOff }: Absence): boolean {
  return isNeeded || (plugin.sets.items.length > 0 && isKeptOff !== true);
}

/**
 * A CSINode that still lists the driver has to be disproved: by the kubelet, or by a DaemonSet that keeps off the node.
 */
function confidenceIn(r: Registration, { isKeptOff }: Absence): Confidence {
  if (!r.isNeeded) return 'likely';
  if (r.isRegistered === false) return r.plugin.pods.complete ? 'certain' : 'likely';
  return r.isRegistered === true && (isKeptOff || r.error !== undefined) ? 'certain' : 'likely';
}

function evidenceOf({ csiNode, node, driver, errorEvidence }: Registration, absence: Absence): Explanation['evidence'] {
  const [first, ...rest] = [
    ...(csiNode.state === 'found' ? [field(csiNode.object, 'spec.drivers', driversText(csiNode.object))] : []),
    ...absence.evidence,
    ...errorEvidence,
  ];
  return [first ?? note({ kind: 'Node', metadata: { name: node } }, `has no pod of ${driver}`), ...rest];
}

/** What brings the driver's pod to a node that has none. */
export function runPluginFixes(r: Registration, { isNowhere }: Pick<Absence, 'isNowhere'>): Fix[] {
  if (isServerless(r)) return [otherNodeFix(r)];
  return isNowhere ? [installFix(r)] : adviceFor(r);
}

/** Without the driver no volume of it can be used; where its controller runs, only the part for nodes is missing. */
function installFix(r: Registration): Fix {
  const { ask, driver, inTree } = r;
  const plugin = inTree && inTreeIdentity(inTree)?.plugin;
  const hasController = (['provisioner', 'attacher'] as const).some(
    (role) => findController(ask, driver, role).lease.state === 'fresh',
  );
  const what = hasController
    ? `the node plugin of ${driver} (its controller is running)`
    : `CSI driver ${driver}, controller and node plugin`;
  const kept = plugin ? ' The volumes themselves stay as they are.' : '';
  const text = `Install ${what}. Its volumes are then attached and mounted at the next try, within about 5 minutes.${kept}`;
  const addOn = addOnOf(r);
  return addOn ? steps(`${text} ${addOn.blanks}`, [addOn.command]) : steps(text, []);
}

interface AddOn {
  readonly blanks: string;
  readonly command: string;
}

/** Clouds ship the drivers of their disks as add-ons of a cluster. */
function addOnOf({ ask, driver, nodeObject }: Registration): AddOn | undefined {
  const { status, metadata } = nodeObject.state === 'found' ? nodeObject.object : {};
  const version = `${ask.graph.snapshot.serverVersion ?? ''} ${status?.nodeInfo?.kubeletVersion ?? ''}`;
  if (driver === 'ebs.csi.aws.com' && /-eks-/.test(version))
    return {
      blanks:
        'PLACEHOLDER_CLUSTER is the name of the cluster, PLACEHOLDER_ROLE_ARN a role with AmazonEBSCSIDriverPolicy.',
      command:
        'aws eks create-addon --cluster-name PLACEHOLDER_CLUSTER --addon-name aws-ebs-csi-driver ' +
        '--service-account-role-arn PLACEHOLDER_ROLE_ARN',
    };
  if (driver === 'pd.csi.storage.gke.io' && /-gke\./.test(version))
    return {
      blanks: 'PLACEHOLDER_CLUSTER is the name of the cluster, PLACEHOLDER_LOCATION its region or zone.',
      command:
        'gcloud container clusters update PLACEHOLDER_CLUSTER --location=PLACEHOLDER_LOCATION ' +
        '--update-addons=GcePersistentDiskCsiDriver=ENABLED',
    };
  const option = { 'disk.csi.azure.com': '--enable-disk-driver', 'file.csi.azure.com': '--enable-file-driver' }[driver];
  if (option !== undefined && metadata?.labels?.['kubernetes.azure.com/cluster'] !== undefined)
    return {
      blanks: 'PLACEHOLDER_GROUP and PLACEHOLDER_CLUSTER are the resource group and the name of the cluster.',
      command: `az aks update --resource-group PLACEHOLDER_GROUP --name PLACEHOLDER_CLUSTER ${option}`,
    };
  return undefined;
}

/** What needs a node plugin cannot run there; EFS is mounted by Fargate itself. */
function otherNodeFix({ driver, node }: Registration): Fix {
  const other = driver === 'efs.csi.aws.com' ? '' : ' On Fargate only volumes of EFS work.';
  return steps(
    'Let the pod run on nodes with a machine of their own: change the namespace or the labels that select ' +
      `a Fargate profile or a virtual node. ${driver} needs a node plugin, which cannot run on ` +
      `${node}.${other}`,
    [],
    'disruptive',
  );
}

const outOfService = 'node.kubernetes.io/out-of-service';

function adviceFor({ ask, plugin, nodeObject, driver, node, isNeeded, selectedOs }: Registration): Fix[] {
  const [set] = plugin.sets.items;
  const seen = seenPluginPods(ask, driver).find((pod) => ownerOf(pod)?.kind === 'DaemonSet');
  if (!set && seen) return [admitFix(seen, node, isNeeded)];
  if (!set)
    return [
      steps(
        `Bring the node plugin of ${driver} to ${node}. ` +
          (plugin.pods.complete
            ? 'The first line lists the node plugins: extend'
            : 'If the first line shows its pod there, save its log and restart it (PLACEHOLDER_NAMESPACE, ' +
              'PLACEHOLDER_POD), so that it registers again. If not, the fourth line lists the node plugins: extend') +
          ' the node selector or the tolerations of its DaemonSet ' +
          '(PLACEHOLDER_NAMESPACE, PLACEHOLDER_DAEMONSET); if it is not listed, install it from the release of its ' +
          'controller. It registers within a minute, and its volumes are used at the next try, ' +
          'within about 5 minutes.',
        [
          ...(plugin.pods.complete
            ? []
            : [
                findPluginCommand(node),
                'kubectl -n PLACEHOLDER_NAMESPACE logs PLACEHOLDER_POD --all-containers > node-plugin.log',
                'kubectl -n PLACEHOLDER_NAMESPACE delete pod PLACEHOLDER_POD',
              ]),
          'kubectl get daemonsets -A -o wide | grep -i registrar',
          'kubectl -n PLACEHOLDER_NAMESPACE edit daemonset PLACEHOLDER_DAEMONSET',
        ],
        'disruptive',
      ),
    ];
  const object = nodeObject.state === 'found' ? nodeObject.object : undefined;
  const exclusion = object && exclusionOf(set, object);
  switch (exclusion?.why) {
    case 'taint':
      return object?.spec?.taints?.some(({ key }) => key === outOfService) ? [untaintFix(node)] : taintFixes(set, node);
    case 'selector':
      return selectorFixes(set, object, node, selectedOs);
    case undefined:
      return [
        steps(
          `Correct what keeps ${setWords(set)} from creating its pod there: ` +
            'its events are at the end of the output. If there are none, the kube-controller-manager is not running.',
          [kubectl('describe', set)],
        ),
      ];
  }
}

/** The DaemonSet itself could not be read, but its pod names it. */
function admitFix(pod: Pod, node: string, isNeeded: boolean): Fix {
  const { namespace } = pod.metadata;
  const name = ownerOf(pod)?.name ?? '';
  const set = { kind: 'DaemonSet' as const, metadata: { name, ...(namespace !== undefined && { namespace }) } };
  return steps(
    `Let daemonset/${name} run on ${node} too${isNeeded ? '' : ', if pods there should use its volumes'}. The first line ` +
      'shows its node selector and its events; the second extends the selector or the tolerations. Its pod then ' +
      'registers within a minute, and its volumes are used at the next try, within about 5 minutes.',
    [kubectl('describe', set), kubectl('edit', set)],
    'disruptive',
  );
}

function setWords({ metadata }: DaemonSet): string {
  return `daemonset/${metadata.name}`;
}

/** A node that is back keeps the taint of its outage until it is removed. */
function untaintFix(node: string): Fix {
  return steps(
    `If ${node} is in service again, remove the taint of its outage. The driver then starts there and registers.`,
    [`kubectl taint node ${shellWord(node)} ${outOfService}-`],
  );
}

function taintFixes(set: DaemonSet, node: string): Fix[] {
  return [
    steps(
      `Let ${setWords(set)} tolerate every taint, and set that in the values of its chart too. ` +
        `Its pods are recreated one by one; the driver then registers on ${node}.`,
      [patchCommand(set, { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } })],
      'disruptive',
    ),
    steps(`If ${node} is not meant for such pods, keep them off it with a node affinity.`, [], 'disruptive'),
  ];
}

/** A label that belongs to the system is not set by hand. */
const systemLabel = /(^|\.)(kubernetes|k8s)\.io\//;

function selectorFixes(set: DaemonSet, node: Node | undefined, name: string, selectedOs: string | undefined): Fix[] {
  const selector = set.spec?.template?.spec?.nodeSelector ?? {};
  const unmet = Object.entries(selector).filter(([key, value]) => node?.metadata.labels?.[key] !== value);
  if (unmet.length > 0 && unmet.every(([key]) => !systemLabel.test(key)))
    return [
      steps(
        `Give ${name} the label that ${setWords(set)} selects, if the node should have the driver. It then starts there and registers.`,
        [
          `kubectl label node ${shellWord(name)} ${unmet.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ')}`,
        ],
      ),
    ];
  const platform = unmet.find(([key]) => key === 'kubernetes.io/os' || key === 'kubernetes.io/arch');
  if (platform) {
    const here = node?.metadata.labels?.[platform[0]];
    if (here === 'windows') {
      const install = windowsFix(set, name);
      return selectedOs === here ? [install] : [platformFix(set, platform), install];
    }
    if (here !== undefined && here === selectedOs) return [installFor(set, here, name)];
    return [platformFix(set, platform, here ?? 'this kind of node')];
  }
  return [
    steps(
      `Change the node selector or affinity of ${setWords(set)} so that it fits ${name}, or keep pods with its volumes off that node.`,
      [kubectl('edit', set)],
      'disruptive',
    ),
  ];
}

/** For a pod that does not say for which platform its images are. */
function platformFix(set: DaemonSet, platform: readonly [string, string], other?: string): Fix {
  const also = other === undefined ? '' : ` If the driver has a node plugin for ${other}, install that one too.`;
  return steps(
    `Let pods with these volumes run on nodes with ${platform.join('=')} (nodeSelector): ` +
      `${setWords(set)} is for those.${also}`,
    [],
    'disruptive',
  );
}

/** The pod is for this operating system, so another node is no way out. */
function installFor(set: DaemonSet, os: string, node: string): Fix {
  return steps(
    `Install the node plugin of the driver for ${os}, if its release has one: ${setWords(set)} is for other nodes. ` +
      `Its pod then registers on ${node} within a minute, and the volume is mounted at the next try.`,
    [],
  );
}

/** A container of Windows cannot mount volumes of the host: a driver leaves that to csi-proxy, or runs as a host process. */
function windowsFix(set: DaemonSet, node: string): Fix {
  const { text, risk } = installFor(set, 'windows', node);
  return {
    text:
      `${text} It is a DaemonSet of its own, and needs the service csi-proxy on each Windows node, unless it runs ` +
      'as a HostProcess container.',
    risk,
  };
}

const forDriver = objectRule('CSIDriver', {
  cause: 'driver-not-on-node',
  stage: 'mount',
  severity: 'blocking',
  explain(d) {
    const nodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`);
    if (!isOnNoNode(d, nodes)) return undefined;
    const sets = findPluginSets(d.ask, d.name);
    const [set] = sets.items;
    if (set && (set.status?.desiredNumberScheduled ?? 0) > 0) return undefined;
    // The plugin is deployed: what keeps its pods from registering is explained for each node.
    if (!set && seenPluginPods(d.ask, d.name).length > 0) return undefined;
    return {
      confidence: set || sets.complete ? 'certain' : 'likely',
      about: d.name,
      summary: `Driver ${d.name} is registered on none of ${nodes.items.length} nodes: ${describeSets(sets)}.`,
      evidence: [
        note(d.object, 'no CSINode lists it'),
        ...(set ? [field(set, 'status.desiredNumberScheduled')] : []),
        ...nodes.items.slice(0, 3).map((node) => field(node, 'spec.drivers', driversText(node))),
      ],
      fix: [deployFix(d.name, set, sets.complete)],
    };
  },
});

function isOnNoNode({ name, ageSeconds }: ObjectCase<'CSIDriver'>, nodes: Listing<CsiNode>): boolean {
  if (!nodes.complete || nodes.items.length === 0 || ageSeconds < newDriverSeconds) return false;
  return !nodes.items.some((node) => lists(node, name));
}

function describeSets({ items: [set], complete }: Listing<DaemonSet>): string {
  if (set) return `daemonset/${set.metadata.name} in namespace ${set.metadata.namespace ?? ''} fits no node`;
  return complete ? 'no daemonset of it was found' : 'its node plugin was not found';
}

function deployFix(driver: string, set: DaemonSet | undefined, isComplete: boolean): Fix {
  if (!set && !isComplete)
    return steps(
      `Find out whether the node plugin of ${driver} is deployed: its DaemonSets could not be read. The first line lists ` +
        'the node plugins. If it is listed, correct what keeps its pods from the nodes or from registering ' +
        '(PLACEHOLDER_NAMESPACE, PLACEHOLDER_DAEMONSET). If it is not listed, deploy it from the same release as its ' +
        'controller.',
      [
        'kubectl get daemonsets -A -o wide | grep -i registrar',
        'kubectl -n PLACEHOLDER_NAMESPACE describe daemonset PLACEHOLDER_DAEMONSET',
      ],
    );
  if (!set) return steps(`Install the node plugin of ${driver}, from the same release as its controller.`, []);
  return steps(
    `Change the node selector, affinity and tolerations of ${setWords(set)} so that it fits the nodes. Its pods then start and register.`,
    [kubectl('edit', set)],
    'disruptive',
  );
}

/** Nodes without a pod of the driver, of which no pod of the driver can tell. */
const forKeptOff = objectRule('CSIDriver', {
  cause: 'driver-not-on-node',
  stage: 'mount',
  severity: 'blocking',
  explain(d) {
    const csiNodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`).items;
    const [first, ...others] = keptOffNodes(d, csiNodes);
    if (!first) return undefined;
    const { summary, evidence, isBlocking } = describeKeptOff(d.name, [first, ...others]);
    return {
      ...(!isBlocking && { severity: 'warning' as const, confidence: 'likely' as const }),
      about: d.name,
      summary,
      evidence,
      fix: taintFixes(first.set, first.node.metadata.name),
    };
  },
});

export const driverNotOnNode = {
  atMount: [...forSubjects.atMount, forDriver, forKeptOff],
  atAttach: forSubjects.atAttach,
};
