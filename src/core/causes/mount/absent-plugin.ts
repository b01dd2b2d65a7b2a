import { exclusionOf, lists, seenPluginPods } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet, Exclusion } from '../../facts/driver/node-plugin.ts';
import { hasNoMachine } from '../../facts/driver/undecided-plugin.ts';
import { absent, eventSaid, field, note } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { Registration } from './registration.ts';

/** Why a node has no pod of a driver. */
export interface Absence {
  /** Completes "the driver does not run on the node". */
  readonly why: string;
  readonly evidence: readonly Evidence[];
  /** A DaemonSet of the driver keeps off the node, because of its selector or a taint. */
  readonly isKeptOff?: boolean;
  /** It avoids the node because of its selector, which a person chose. */
  readonly isExcluded?: boolean;
  /** No node has the driver, and nothing is known that would bring it. */
  readonly isNowhere?: boolean;
}

export function isServerless({ nodeObject }: Registration): boolean {
  return nodeObject.state === 'found' && hasNoMachine(nodeObject.object);
}

export function whyAbsent(r: Registration): Absence {
  if (isServerless(r) && r.nodeObject.state === 'found')
    return {
      why: ', a node without a machine of its own, on which no DaemonSet runs',
      evidence: [
        field(
          r.nodeObject.object,
          r.nodeObject.object.metadata.labels?.['type'] === 'virtual-kubelet'
            ? 'metadata.labels[type]'
            : 'metadata.labels[eks.amazonaws.com/compute-type]',
          r.nodeObject.object.metadata.labels?.['eks.amazonaws.com/compute-type'] ?? 'virtual-kubelet',
        ),
      ],
    };
  const nearest = findNearestSet(r);
  if (nearest) return describeSet(r, nearest);
  const elsewhere = r.ask.list('CSINode', undefined, `on which other nodes ${r.driver} is registered`);
  const others = elsewhere.items
    .filter((csiNode) => lists(csiNode, r.driver) && csiNode.metadata.name !== r.node)
    .map(({ metadata }) => metadata.name);
  const [other] = others;
  if (other !== undefined)
    return {
      why: `, only on ${nameAll(others)}`,
      evidence: [note({ kind: 'CSINode', metadata: { name: other } }, `lists ${r.driver}`)],
    };
  const [pod] = seenPluginPods(r.ask, r.driver);
  if (pod)
    return {
      why: `, although its node plugin is deployed (pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''})`,
      evidence: [note(pod, `is a pod of the node plugin of ${r.driver}`)],
    };
  return describeNowhere(r, elsewhere.complete);
}

interface NearestSet {
  readonly set: DaemonSet;
  readonly node: Node | undefined;
  /** Undefined if nothing in the template excludes the node. */
  readonly exclusion: Exclusion | undefined;
}

/**
 * Of a set for Linux and one for Windows, the one whose selector fits the node: a taint is met only after the labels.
 */
function findNearestSet({ plugin, nodeObject }: Registration): NearestSet | undefined {
  const node = nodeObject.state === 'found' ? nodeObject.object : undefined;
  const sets = plugin.sets.items.map((set) => ({ set, node, exclusion: node && exclusionOf(set, node) }));
  return sets.find(({ exclusion }) => exclusion?.why !== 'selector') ?? sets[0];
}

function describeSet(r: Registration, { set, node, exclusion }: NearestSet): Absence {
  const name = `daemonset/${set.metadata.name} in namespace ${set.metadata.namespace ?? ''}`;
  if (!exclusion) return describeUncreated(r, set, name);
  const taint =
    node && exclusion.why === 'taint' ? [field(node, 'spec.taints', exclusion.text.replace(/^.* taint /, ''))] : [];
  return {
    why: `: ${name} ${exclusion.text}`,
    evidence: [field(set, exclusion.path), ...taint],
    isKeptOff: true,
    isExcluded: exclusion.why === 'selector',
  };
}

const longestWords = 160;

/** Nothing excludes the node, so the pod could not be created (quota, admission), or no controller creates it. */
function describeUncreated(r: Registration, set: DaemonSet, name: string): Absence {
  const failed = newestMatch(r.ask.eventsOf(set).items, 'FailedCreate', /^/)?.event;
  if (!failed) return { why: `: ${name} has no pod there`, evidence: [note(set, `has no pod for ${r.node}`)] };
  return {
    why: `: ${name} cannot create its pod, "${cutWords(messageOf(failed), longestWords).replaceAll('"', "'")}"`,
    evidence: [eventSaid(set, failed)],
  };
}

function describeNowhere(r: Registration, isComplete: boolean): Absence {
  const object = r.ask.get('CSIDriver', undefined, r.driver, `whether ${r.driver} is installed`);
  if (!isComplete) return { why: '', evidence: [] };
  const isMissing = object.state === 'missing';
  const migration = describeMigration(r);
  return {
    why: `${isMissing ? ': it is not installed in this cluster' : ', nor on any other node'}${migration?.words ?? ''}`,
    evidence: [...(isMissing ? [absent('CSIDriver', r.driver)] : []), ...(migration?.evidence ?? [])],
    isNowhere: isMissing || migration !== undefined || r.plugin.sets.complete,
  };
}

interface Migration {
  readonly words: string;
  readonly evidence: readonly Evidence[];
}

/** Users of an in-tree plugin often do not know the driver that took its volumes over. */
function describeMigration({ inTree, driver }: Registration): Migration | undefined {
  const identity = inTree && inTreeIdentity(inTree);
  if (!identity) return undefined;
  const { plugin, path } = identity;
  const isMarked = inTree.metadata.annotations?.['pv.kubernetes.io/migrated-to'] === driver;
  return {
    words:
      `. pv/${inTree.metadata.name} needs it: from 1.${plugin.since} on Kubernetes hands volumes of the ` +
      `in-tree plugin ${plugin.provisioner} to it`,
    evidence: [
      field(inTree, path),
      ...(isMarked ? [field(inTree, 'metadata.annotations[pv.kubernetes.io/migrated-to]', driver)] : []),
    ],
  };
}
