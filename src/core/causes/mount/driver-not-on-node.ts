import { exclusionOf, findPluginSets, lists } from '../../facts/driver/node-plugin.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

export function driversText(csiNode: CsiNode): string {
  return (csiNode.spec?.drivers ?? []).map(({ name }) => name ?? '').join(', ') || 'none';
}

/** nodeinfomanager: a CSINode lists what has registered, and something on the node has to do that for each driver. */
const rules = registrationRule('driver-not-on-node', 'blocking', (r) => {
  if (r.trouble !== 'absent') return undefined;
  const { csiNode, said, driver, node } = r;
  const { why, evidence, isKeptOff, isExcluded, isNowhere } = whyAbsent(r);
  // Where nothing asks for it, a node that the set was told to leave out is as it should be.
  if (!r.isNeeded && isExcluded) return undefined;
  const proof: Evidence[] = [
    ...(csiNode.state === 'found' ? [field(csiNode.object, 'spec.drivers', driversText(csiNode.object))] : []),
    ...evidence,
    ...(said ? [said.evidence] : []),
  ];
  // Against what the CSINode says somebody has to speak: the kubelet, or the set that keeps off the node.
  const isProven =
    r.isRegistered === false ? r.plugin.pods.complete : r.isRegistered === true && (isKeptOff || said !== undefined);
  return {
    confidence: isProven && r.isNeeded ? 'certain' : 'likely',
    about: r.about,
    summary: `CSI driver ${driver} does not run on ${node}${why}${r.isRegistered === true ? `; the CSINode still lists it from before` : ''}`,
    evidence: (proof.length > 0
      ? proof
      : [note({ kind: 'Node', metadata: { name: node } }, `has no pod of ${driver}`)]) as [Evidence, ...Evidence[]],
    fix: isNowhere ? installFixes(r) : fixesOf(r),
  };
});

interface Absence {
  readonly why: string;
  readonly evidence: Evidence[];
  readonly isKeptOff?: boolean;
  readonly isExcluded?: boolean;
  /** No node has the driver, and nothing is known that would bring it. */
  readonly isNowhere?: boolean;
}

function whyAbsent(r: Registration): Absence {
  const { sets } = r.plugin;
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  const exclusions = sets.items.map((set) => ({ set, exclusion: node && exclusionOf(set, node) }));
  // Of a set for Linux and one for Windows the nearer one speaks: a taint is met after the labels.
  const best = exclusions.find(({ exclusion }) => exclusion?.why !== 'selector') ?? exclusions[0];
  if (best) {
    const { set, exclusion } = best;
    const name = `daemonset/${set.metadata.name} (namespace ${set.metadata.namespace ?? ''})`;
    const taints =
      node && exclusion?.why === 'taint' ? [field(node, 'spec.taints', exclusion.text.replace(/^.* taint /, ''))] : [];
    return {
      why: `: ${name} ${exclusion?.text ?? 'has no pod there'}`,
      evidence: [
        exclusion
          ? field(set, exclusion.path, JSON.stringify(valueAt(set, exclusion.path)) ?? 'not set')
          : note(set, `has no pod for ${r.node}`),
        ...taints,
      ],
      isKeptOff: exclusion !== undefined,
      isExcluded: exclusion?.why === 'selector',
    };
  }
  const elsewhere = r.ask.list('CSINode', undefined, `on which other nodes ${r.driver} is registered`);
  const holders = elsewhere.items
    .filter((csiNode) => lists(csiNode, r.driver))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== r.node);
  if (holders.length > 0)
    return {
      why: `, only on ${nameAll(holders)}`,
      evidence: [note({ kind: 'CSINode', metadata: { name: holders[0] ?? '' } }, `lists ${r.driver}`)],
    };
  const object = r.ask.get('CSIDriver', undefined, r.driver, `whether ${r.driver} is installed`);
  if (!elsewhere.complete) return { why: '', evidence: [] };
  const isMissing = object.state === 'missing';
  const { words, evidence } = inTreeWords(r);
  return {
    why: `${isMissing ? ': it is not installed in this cluster' : ', nor on any other node'}${words}`,
    evidence: [...(isMissing ? [absent('CSIDriver', r.driver)] : []), ...evidence],
    isNowhere: isMissing || words !== '' || r.plugin.sets.complete,
  };
}

/** Who has volumes of an in-tree plugin has often never heard of the driver that took them over. */
function inTreeWords({ inTree, driver }: Registration): { readonly words: string; readonly evidence: Evidence[] } {
  const identity = inTree && inTreeIdentity(inTree);
  if (!identity) return { words: '', evidence: [] };
  const { plugin, path } = identity;
  const isMarked = inTree.metadata.annotations?.['pv.kubernetes.io/migrated-to'] === driver;
  return {
    words: `, and pv/${inTree.metadata.name} needs it now: from 1.${plugin.since} on Kubernetes hands volumes of the in-tree plugin ${plugin.provisioner} to it`,
    evidence: [
      field(inTree, path),
      ...(isMarked ? [field(inTree, 'metadata.annotations[pv.kubernetes.io/migrated-to]', driver)] : []),
    ],
  };
}

function installFixes({ driver, inTree }: Registration): Fix[] {
  const plugin = inTree && inTreeIdentity(inTree)?.plugin;
  return [
    fix(
      `install CSI driver ${driver}, controller and node plugin${plugin ? `: no volume of ${plugin.provisioner} can be used without it any more; the volumes themselves stay as they are` : ''}`,
      'kubectl get csidrivers,daemonsets -A',
    ),
  ];
}

function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined,
      object,
    );
}

function fixesOf(r: Registration): Fix[] {
  const [set] = r.plugin.sets.items;
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  if (!set)
    return [
      fix(
        `run the node plugin of ${r.driver} on ${r.node}, or keep pods with its volumes off that node`,
        'kubectl get daemonsets -A -o wide',
      ),
    ];
  const target = `kubectl ${inNamespace(set.metadata.namespace)}`;
  const exclusion = node && exclusionOf(set, node);
  if (exclusion?.why === 'taint') {
    return [
      fix(
        `let the node plugin tolerate the taint (in the values of its chart, where there is one): its pods are then made again one by one`,
        `${target}patch daemonset ${shellWord(set.metadata.name)} --type=strategic -p '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'`,
        'disruptive',
      ),
      fix('or keep pods that need its volumes off such nodes'),
    ];
  }
  if (exclusion)
    return [
      fix(
        `let the node plugin run on ${r.node} (its selector, or the labels of the node), or keep pods that need its volumes off that node`,
        `${target}get daemonset ${shellWord(set.metadata.name)} -o yaml`,
      ),
    ];
  return [fix('see why the set makes no pod there', `${target}describe daemonset ${shellWord(set.metadata.name)}`)];
}

const ofDriver = objectRule('CSIDriver', {
  cause: 'driver-not-on-node',
  stage: 'mount',
  severity: 'blocking',
  explain(d): Explanation | undefined {
    const nodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`);
    if (
      !nodes.complete ||
      nodes.items.length === 0 ||
      nodes.items.some((node) => lists(node, d.name)) ||
      d.ageSeconds < 120
    )
      return undefined;
    const sets = findPluginSets(d.ask, d.name);
    const [set] = sets.items;
    if (set && (set.status?.desiredNumberScheduled ?? 0) > 0) return undefined;
    return {
      confidence: set || sets.complete ? 'certain' : 'likely',
      about: d.name,
      summary: `CSI driver ${d.name} is registered on none of ${nodes.items.length} nodes: ${set ? `daemonset/${set.metadata.name} (namespace ${set.metadata.namespace ?? ''}) fits no node` : sets.complete ? 'no daemonset of it was found' : 'its node plugin was not found'}`,
      evidence: [
        note(d.object, 'no CSINode lists it'),
        ...(set ? [field(set, 'status.desiredNumberScheduled')] : []),
        ...nodes.items.slice(0, 3).map((node) => field(node, 'spec.drivers', driversText(node))),
      ],
      fix: [
        fix(
          set ? 'let its set fit the nodes: selector, affinity and tolerations' : `deploy the node plugin of ${d.name}`,
          set
            ? `kubectl ${inNamespace(set.metadata.namespace)}get daemonset ${shellWord(set.metadata.name)} -o yaml`
            : 'kubectl get daemonsets -A -o wide',
        ),
      ],
    };
  },
});

export const driverNotOnNode = { atMount: [...rules.atMount, ofDriver], atAttach: rules.atAttach };
