import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { driversOfPod } from './needed-drivers.ts';
import { driverStartedAt, explainOver, isHistory, later, writtenAt } from './after-repair.ts';
import { readPluginLog, restartPlugin } from './plugin-fixes.ts';
import { retryWords } from './failed-mount.ts';
import { nodeOf, podWords } from './told-volume.ts';

/**
 * The kubelet calls only drivers that have registered with it; it keeps the list in memory, and a copy in the CSINode
 * (kcsi csi_client.go).
 */
export const mountDriverNotRegistered = podRule({
  cause: 'mount-driver-not-registered',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'notRegistered');
    const unregistered = findUnregisteredDriver(p, failure);
    if (!unregistered) return undefined;
    const { driver, csiNode } = unregistered;
    const [first, ...rest] = [...registeredEvidence(csiNode), ...failureEvidence(p, failure)];
    if (!first) return undefined;
    const isProven = csiNode !== undefined && !registeredDrivers(csiNode).includes(driver);
    const since = csiNode && later(driverStartedAt(p, driver), writtenAt(csiNode));
    if (failure && csiNode && !isProven && isHistory(p, failure, since))
      return explainOver(p, `Driver ${driver} is registered on ${nodeOf(p)} now.`, [
        field(csiNode, 'spec.drivers', driversText(csiNode)),
        eventSaid(p.pod, failure.event),
      ]);
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: `${driver}@${nodeOf(p)}`,
      summary:
        csiNode && !isProven
          ? `The kubelet on ${nodeOf(p)} has no connection to driver ${driver}, although its CSINode lists the ` +
            `driver. ${podWords(p)} cannot mount its volumes.`
          : `Driver ${driver} is not registered on ${nodeOf(p)}, so the kubelet cannot mount its volumes for ${podWords(p)}.`,
      evidence: [first, ...rest],
      fix: adviceFor(p, driver),
    };
  },
});

interface UnregisteredDriver {
  readonly driver: string;
  /** Undefined where it cannot be read or does not exist: then only the kubelet's event names the driver. */
  readonly csiNode: CsiNode | undefined;
}

function findUnregisteredDriver(p: PodCase, failure: MountFailure | undefined): UnregisteredDriver | undefined {
  const told = failure && /driver name (\S+) not found/.exec(failure.text)?.[1];
  const drivers = [...new Set([...(told === undefined ? [] : [told]), ...driversOfPod(p)])];
  if (drivers.length === 0) return undefined;
  const lookup = p.ask.get('CSINode', undefined, nodeOf(p), `which drivers are registered on ${nodeOf(p)}`);
  const csiNode = lookup.state === 'found' ? lookup.object : undefined;
  const registered = csiNode && registeredDrivers(csiNode);
  const driver = (registered && drivers.find((name) => !registered.includes(name))) ?? told;
  return driver === undefined ? undefined : { driver, csiNode };
}

function registeredEvidence(csiNode: CsiNode | undefined): Evidence[] {
  return csiNode ? [field(csiNode, 'spec.drivers', driversText(csiNode))] : [];
}

function adviceFor(p: PodCase, driver: string): Fix[] {
  const node = nodeOf(p);
  return [
    restartPlugin(
      p.ask,
      driver,
      node,
      `Save the log of the node plugin of ${driver} on ${node} and restart it: it then registers again. ` +
        `A FUSE driver loses its mounts on the node. ${retryWords}`,
    ),
    readPluginLog(p.ask, driver, node, `If it does not register, read its log: the reason is there.`),
  ];
}
