import type { CsiDriver, Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Listing } from '../../graph/inquiry.ts';
import { mentionsDriver } from '../../facts/driver/driver-pods.ts';
import { exclusionOf } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  blames,
  nameAll,
  nameNodes,
  otherReasonsText,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import { driversOf } from '../../facts/volume/volume-slots.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { openNodeFixes } from './open-node.ts';

const mostShown = 4;

/** NodeVolumeLimits checkCSIDriverOnNode, only for drivers with preventPodSchedulingIfMissing (1.35 and later). */
export const schedDriverNotInstalled = podRule({
  cause: 'sched-driver-not-installed',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const isBlamed = blames(p, storageTexts.driverMissing);
    if (p.isScheduled || isBlamed === false) return undefined;
    for (const driver of suspectedDrivers(p)) {
      const missing = findMissingDriver(p, driver, isBlamed === true);
      if (!missing) continue;
      return {
        confidence: missing.isProven ? 'certain' : 'likely',
        about: driver,
        summary: summarize(p, missing),
        evidence: evidenceOf(p, missing),
        fix: adviceFor(p, missing),
      };
    }
    return undefined;
  },
});

/** The driver that the scheduler names, otherwise every driver that the pod needs. */
function suspectedDrivers(p: PodCase): readonly string[] {
  const named = reasonsLike(p.schedulingMessage, storageTexts.driverMissing)
    .map(({ text }) => /(\S+) CSI driver is not installed/.exec(text)?.[1])
    .find((name) => name !== undefined);
  if (named !== undefined) return [named];
  const inline = (p.pod.spec?.volumes ?? []).flatMap(({ csi }) => (csi?.driver ? [csi.driver] : []));
  return [...driversOf(p).keys(), ...inline];
}

interface MissingDriver {
  readonly driver: string;
  readonly csiDriver: CsiDriver | undefined;
  /** Names of the nodes on which it is registered. */
  readonly registered: Listing<string>;
  readonly inside: readonly NodeFit[];
  /** Nodes that could take the pod if the driver were registered there. */
  readonly outside: readonly NodeFit[];
  readonly isProven: boolean;
}

function findMissingDriver(p: PodCase, driver: string, isBlamed: boolean): MissingDriver | undefined {
  const lookup = p.ask.get('CSIDriver', undefined, driver, `whether pods may go to nodes without ${driver}`);
  const csiDriver = lookup.state === 'found' ? lookup.object : undefined;
  const isStrict = csiDriver?.spec?.preventPodSchedulingIfMissing === true;
  if (!isStrict && !isBlamed) return undefined;
  const registered = nodesWithDriver(p, driver);
  const fits = fitNodes(p);
  const inside = fits.items.filter(({ node }) => registered.items.includes(node.metadata.name));
  const isProven =
    isStrict && registered.complete && fits.complete && fits.items.length > 0 && inside.every(({ refusal }) => refusal);
  if (!isProven && !isBlamed) return undefined;
  const outside = fits.items.filter((fit) => !fit.refusal && !inside.includes(fit));
  return { driver, csiDriver, registered, inside, outside, isProven };
}

function nodesWithDriver(p: PodCase, driver: string): Listing<string> {
  const { items, complete } = p.ask.list('CSINode', undefined, `on which nodes ${driver} is registered`);
  const names = items
    .filter((csiNode) => csiNode.spec?.drivers?.some(({ name }) => name === driver))
    .map((csiNode) => csiNode.metadata.name);
  return { items: names, complete };
}

function summarize(p: PodCase, { driver, registered, inside, outside }: MissingDriver): string {
  const others = tellRefusals(inside) || otherReasonsText(p);
  const missing = outside.length > 0 ? `, and not on ${nameNodes(outside)}` : '';
  return (
    `Driver ${driver} is registered ${placesText(registered)}${missing}, and its CSIDriver object keeps pods ` +
    `off nodes without it.${others ? ` ${others}.` : ''}`
  );
}

function placesText({ items, complete }: Listing<string>): string {
  if (items.length > 0) return `only on ${nameAll(items)}`;
  return complete ? 'on no node' : 'on no node that could take the pod';
}

function evidenceOf(p: PodCase, { driver, csiDriver, outside }: MissingDriver): EvidenceList {
  return [
    csiDriver ? field(csiDriver, 'spec.preventPodSchedulingIfMissing') : field(p.pod, 'spec.volumes', driver),
    ...outside
      .slice(0, mostShown)
      .map(({ node }) =>
        field({ kind: 'CSINode', metadata: { name: node.metadata.name } }, `spec.drivers[${driver}]`, 'not set'),
      ),
    ...schedulerSaid(p),
  ];
}

/** The pod goes where the driver is; otherwise the driver has to come to a node that takes the pod. */
function adviceFor(p: PodCase, { driver, inside, outside }: MissingDriver): Fix[] {
  const opened = openNodeFixes(p, inside);
  const [target] = outside;
  return [...opened, runPlugin(p, driver, target?.node, opened.length > 0)];
}

function runPlugin(p: PodCase, driver: string, node: Node | undefined, isAlternative: boolean): Fix {
  const start = isAlternative ? 'Or run' : 'Run';
  const place = node ? ` on ${node.metadata.name}` : ' on a node that could take the pod';
  const then = `The driver registers within a minute, and pod/${p.pod.metadata.name} is then scheduled automatically.`;
  const sets = pluginSets(p, driver);
  const set = sets.find((each) => node && exclusionOf(each, node)) ?? sets[0];
  if (!set)
    return steps(
      `${start} the node plugin of ${driver}${place}: extend the node selector or the tolerations of its ` +
        `DaemonSet (PLACEHOLDER_NS, PLACEHOLDER_DAEMONSET). ${then}`,
      ['kubectl -n PLACEHOLDER_NS edit daemonset PLACEHOLDER_DAEMONSET'],
      'disruptive',
    );
  const name = `daemonset/${set.metadata.name} in namespace ${set.metadata.namespace ?? ''}`;
  const exclusion = node && exclusionOf(set, node);
  if (!exclusion)
    return steps(
      `${isAlternative ? 'Or restart' : 'Restart'} the node plugin of ${driver} (${name}), which may ` +
        `run${place}, so that it registers there. ${then}`,
      [kubectl('rollout restart', set)],
      'disruptive',
    );
  return steps(
    `${start} the node plugin of ${driver}${place}: ${name} ${exclusion.text}. Change that in its template. ${then}`,
    [kubectl('edit', set)],
    'disruptive',
  );
}

/** Only what has been read: the advice is worth no request. */
function pluginSets(p: PodCase, driver: string): readonly DaemonSet[] {
  return p.ask.seen('DaemonSet').filter((set) => mentionsDriver(set.spec?.template?.spec, driver));
}
