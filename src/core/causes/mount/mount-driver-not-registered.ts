import { field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { driversOfPod } from './needed-drivers.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix } from './told-volume.ts';

/** The kubelet calls only drivers that have registered with it; it keeps the list in memory, and a copy in the CSINode (kcsi csi_client.go). */
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
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: `${driver}@${nodeOf(p)}`,
      summary:
        csiNode && !isProven
          ? `the kubelet on ${nodeOf(p)} does not know driver ${driver} any more, though the CSINode still lists it: the registration of the node plugin is stale, so nothing of it can be mounted for ${podWords(p)}`
          : `driver ${driver} is not registered on ${nodeOf(p)}: the kubelet cannot mount its volumes for ${podWords(p)}`,
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
  return [
    fix(
      `see whether the node plugin of ${driver} runs on ${nodeOf(p)}, and what its registrar says`,
      nodeLogsFix(p, driver).command,
    ),
    ...restartPluginFix(p, driver),
  ];
}
