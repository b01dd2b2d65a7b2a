import type { CsiDriver } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Listing } from '../../graph/inquiry.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
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
        fix: adviceFor(driver),
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
  return `driver ${driver} runs ${placesText(registered)}${outside.length > 0 ? ` and not on ${nameNodes(outside)}` : ''}, and lets no pod go where it is missing${others ? `; ${others}` : ''}`;
}

function placesText({ items, complete }: Listing<string>): string {
  if (items.length > 0) return `on ${nameAll(items)} only`;
  return complete ? 'on no node' : 'not where the pod could go';
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

function adviceFor(driver: string): Fix[] {
  return [
    fix(
      `look where the node plugin of ${driver} runs, and run it on the nodes that shall take the pod`,
      'kubectl get daemonsets -A -o wide',
    ),
    fix(
      'or let pods be scheduled without it again',
      `kubectl patch csidriver ${shellWord(driver)} --type=merge -p '{"spec":{"preventPodSchedulingIfMissing":false}}'`,
    ),
  ];
}
