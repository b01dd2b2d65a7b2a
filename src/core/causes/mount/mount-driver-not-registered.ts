import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { runPluginFixes } from './driver-not-on-node.ts';
import { driversOfPod, registrationOf } from './needed-drivers.ts';
import { whyAbsent } from './absent-plugin.ts';
import type { Absence } from './absent-plugin.ts';
import { driverStartedAt, explainOver, isHistory, later, writtenAt } from './after-repair.ts';
import { pluginOn, readPluginLog, restartPlugin } from './plugin-fixes.ts';
import type { Registration } from './registration.ts';
import { retryWords } from './failed-mount.ts';
import { nodeOf, podWords } from './told-volume.ts';
import { unregisteredDriverText } from '../lib/driver-error/sentences/registration.ts';

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
    const absence = keptOff(p, driver);
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: `${driver}@${nodeOf(p)}`,
      summary:
        (csiNode && !isProven
          ? `The kubelet on ${nodeOf(p)} has no connection to driver ${driver}, although its CSINode lists the ` +
            `driver. ${podWords(p)} cannot mount its volumes.`
          : `Driver ${driver} is not registered on ${nodeOf(p)}, so the kubelet cannot mount its volumes for ${podWords(p)}.`) +
        (absence ? ` Most likely no pod of the driver runs there${absence.why}.` : ''),
      evidence: [first, ...(absence?.evidence ?? []), ...rest],
      fix: adviceFor(p, driver, absence),
    };
  },
});

interface UnregisteredDriver {
  readonly driver: string;
  /** Undefined where it cannot be read or does not exist: then only the kubelet's event names the driver. */
  readonly csiNode: CsiNode | undefined;
}

function findUnregisteredDriver(p: PodCase, failure: MountFailure | undefined): UnregisteredDriver | undefined {
  const told = failure && unregisteredDriverText.exec(failure.text)?.[1];
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

/** Its DaemonSet keeps off the node, and no pod was seen there; one that could not be read may still run. */
function keptOff(p: PodCase, driver: string): Absence | undefined {
  const node = nodeOf(p);
  if (pluginOn(p.ask, driver, node)) return undefined;
  const absence = whyAbsent(registrationOf(p.ask, driver, node, {}));
  return absence.isKeptOff ? absence : undefined;
}

function adviceFor(p: PodCase, driver: string, absence: Absence | undefined): Fix[] {
  const node = nodeOf(p);
  const registration = registrationOf(p.ask, driver, node, {});
  const seen = pluginOn(p.ask, driver, node);
  const bring = absence ? runPluginFixes(registration, absence) : [];
  const unlisted = seen
    ? ''
    : ' If no pod of it is listed, bring one there: let its DaemonSet run on that node, or install the node plugin. ' +
      'A driver outside of pods is restarted where it runs.';
  return [
    ...bring,
    restartPlugin(
      p.ask,
      driver,
      node,
      `Save the log of the node plugin of ${driver} on ${node} and restart it: it then registers again. ` +
        `A FUSE driver loses its mounts on the node. ${retryWords}${bring.length > 0 ? '' : unlisted}`,
    ),
    ...windowsFixes(registration),
    readPluginLog(
      p.ask,
      driver,
      node,
      seen
        ? 'If it does not register, read its log.'
        : 'If it does not register, look for "Received GetInfo call" in the log of its registrar. ' +
            'Without it the kubelet looks elsewhere: compare --kubelet-registration-path with the --root-dir of the ' +
            'kubelet. With it, the line after it gives the reason.',
    ),
  ];
}

/** On Windows a plugin has a DaemonSet of its own, and outside a HostProcess container it needs csi-proxy. */
function windowsFixes({ nodeObject, plugin, driver, node }: Registration): Fix[] {
  const object = nodeObject.state === 'found' ? nodeObject.object : undefined;
  if (object?.metadata.labels?.['kubernetes.io/os'] !== 'windows' || plugin.pods.items.length > 0) return [];
  return [
    steps(
      `Install the DaemonSet of ${driver} for Windows if no pod of it is listed on ${node}, a Windows node: the one ` +
        'for Linux does not run there. If one is listed and is not ready, start the service csi-proxy on the node, ' +
        'which a plugin outside a HostProcess container needs.',
      [`kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`],
    ),
  ];
}
