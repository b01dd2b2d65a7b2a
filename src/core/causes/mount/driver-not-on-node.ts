import { exclusionOf, findPluginSets, lists } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { whyAbsent } from './absent-plugin.ts';
import type { Absence } from './absent-plugin.ts';
import { driversText } from './csinode.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const newDriverSeconds = 120;

/** A CSINode lists the drivers that have registered, and for each driver something on the node has to do that (nodeinfomanager). */
const forSubjects = registrationRule('driver-not-on-node', 'blocking', (r) => {
  if (r.trouble !== 'absent') return undefined;
  const absence = whyAbsent(r);
  // Where nothing needs the driver, a node that its DaemonSet selects against is as it should be.
  if (!r.isNeeded && absence.isExcluded) return undefined;
  return {
    ...(!isExpected(r, absence) && { severity: 'warning' as const }),
    confidence: confidenceIn(r, absence),
    about: r.about,
    summary: `CSI driver ${r.driver} does not run on ${r.node}${absence.why}${r.isRegistered === true ? `; the CSINode still lists it from before` : ''}`,
    evidence: evidenceOf(r, absence),
    fix: absence.isNowhere ? [installFix(r)] : adviceFor(r),
  };
});

/** Something on the node needs the driver, or a DaemonSet that selects the node has no pod there. Otherwise nothing is held up. */
function isExpected({ isNeeded, plugin }: Registration, { isKeptOff }: Absence): boolean {
  return isNeeded || (plugin.sets.items.length > 0 && isKeptOff !== true);
}

/** A CSINode that still lists the driver has to be disproved: by the kubelet, or by a DaemonSet that keeps off the node. */
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

function installFix({ driver, inTree }: Registration): Fix {
  const plugin = inTree && inTreeIdentity(inTree)?.plugin;
  return fix(
    `install CSI driver ${driver}, controller and node plugin${plugin ? `: no volume of ${plugin.provisioner} can be used without it any more; the volumes themselves stay as they are` : ''}`,
    'kubectl get csidrivers,daemonsets -A',
  );
}

function adviceFor({ plugin, nodeObject, driver, node }: Registration): Fix[] {
  const [set] = plugin.sets.items;
  if (!set)
    return [
      fix(
        `run the node plugin of ${driver} on ${node}, or keep pods with its volumes off that node`,
        'kubectl get daemonsets -A -o wide',
      ),
    ];
  const exclusion = nodeObject.state === 'found' ? exclusionOf(set, nodeObject.object) : undefined;
  const target = `kubectl ${inNamespace(set.metadata.namespace)}`;
  const name = shellWord(set.metadata.name);
  switch (exclusion?.why) {
    case 'taint':
      return [
        fix(
          `let the node plugin tolerate the taint (in the values of its chart, where there is one): its pods are then made again one by one`,
          `${target}patch daemonset ${name} --type=strategic -p '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'`,
          'disruptive',
        ),
        fix('or keep pods that need its volumes off such nodes'),
      ];
    case 'selector':
      return [
        fix(
          `let the node plugin run on ${node} (its selector, or the labels of the node), or keep pods that need its volumes off that node`,
          `${target}get daemonset ${name} -o yaml`,
        ),
      ];
    case undefined:
      return [fix('see why the set makes no pod there', `${target}describe daemonset ${name}`)];
  }
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
    return {
      confidence: set || sets.complete ? 'certain' : 'likely',
      about: d.name,
      summary: `CSI driver ${d.name} is registered on none of ${nodes.items.length} nodes: ${describeSets(sets)}`,
      evidence: [
        note(d.object, 'no CSINode lists it'),
        ...(set ? [field(set, 'status.desiredNumberScheduled')] : []),
        ...nodes.items.slice(0, 3).map((node) => field(node, 'spec.drivers', driversText(node))),
      ],
      fix: [deployFix(d.name, set)],
    };
  },
});

function isOnNoNode({ name, ageSeconds }: ObjectCase<'CSIDriver'>, nodes: Listing<CsiNode>): boolean {
  if (!nodes.complete || nodes.items.length === 0 || ageSeconds < newDriverSeconds) return false;
  return !nodes.items.some((node) => lists(node, name));
}

function describeSets({ items: [set], complete }: Listing<DaemonSet>): string {
  if (set) return `daemonset/${set.metadata.name} (namespace ${set.metadata.namespace ?? ''}) fits no node`;
  return complete ? 'no daemonset of it was found' : 'its node plugin was not found';
}

function deployFix(driver: string, set: DaemonSet | undefined): Fix {
  if (!set) return fix(`deploy the node plugin of ${driver}`, 'kubectl get daemonsets -A -o wide');
  return fix(
    'let its set fit the nodes: selector, affinity and tolerations',
    `kubectl ${inNamespace(set.metadata.namespace)}get daemonset ${shellWord(set.metadata.name)} -o yaml`,
  );
}

export const driverNotOnNode = {
  atMount: [...forSubjects.atMount, forDriver],
  atAttach: forSubjects.atAttach,
};
