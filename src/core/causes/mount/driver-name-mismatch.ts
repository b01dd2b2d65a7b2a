import { findController } from '../../facts/driver/drivers.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { CsiNode, ObjectOf } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { registrationsOfPod } from './needed-drivers.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const cause = 'driver-name-mismatch';
const severity = 'blocking';

/** The kubelet knows a driver only by the name that GetPluginInfo returns, so a volume that spells it otherwise has no driver. */
const forVolumes = registrationRule(cause, severity, (r) => {
  const near = findRegisteredNamesake(r);
  if (near === undefined || r.csiNode.state !== 'found') return undefined;
  const elsewhere = r.ask.list('CSINode', undefined, `on which nodes ${r.driver} is registered`);
  const object = r.ask.get('CSIDriver', undefined, r.driver, `whether ${r.driver} is installed`);
  if (elsewhere.items.some((other) => lists(other, r.driver)) || isInstalled(r, near)) return undefined;
  return {
    confidence: object.state === 'missing' && elsewhere.complete ? 'certain' : 'likely',
    about: r.driver,
    summary: `no node has a CSI driver ${r.driver}, but ${r.node} has ${near}: one of the names is misspelt`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      ...(object.state === 'missing' ? [absent('CSIDriver', r.driver)] : []),
      ...r.errorEvidence,
    ],
    fix: volumeAdvice(r.driver, near),
  };
});

/** A driver on the node whose name is nearly that of the driver that is needed and not there. */
function findRegisteredNamesake(r: Registration): string | undefined {
  if (r.csiNode.state !== 'found' || r.isRegistered !== false || r.isReady === false) return undefined;
  return findSlip(r.driver, registeredDrivers(r.csiNode.object));
}

/** Both names are known, or the needed driver has a pod on the node: then they are two drivers. */
function isInstalled(r: Registration, near: string): boolean {
  const hasObject = (name: string): boolean => r.ask.graph.find('CSIDriver', undefined, name) !== undefined;
  return (hasObject(r.driver) && hasObject(near)) || r.plugin.pods.items.length > 0;
}

function volumeAdvice(driver: string, near: string): Fix[] {
  return [
    fix(
      `if the driver was renamed, install it under the name that the volumes bear: ${driver}`,
      'kubectl get csidriver,csinode',
    ),
    fix(
      `if the volume is misspelt, make it again with driver ${near}: the source of a volume cannot be changed (keep the data: policy Retain)`,
      undefined,
      'disruptive',
    ),
  ];
}

/**
 * The driver is registered, but its CSIDriver object has another name. So the defaults hold, and Kubernetes waits for an
 * attachment that no attacher makes.
 */
const forPodAtAttach = podRule({
  cause,
  stage: 'attach',
  severity,
  explain(p) {
    for (const r of registrationsOfPod(p, false)) {
      const other = r.isRegistered === true ? findMisnamedObject(r) : undefined;
      const explanation = other && explainMisnamedObject(r, other);
      if (explanation) return explanation;
    }
    return undefined;
  },
});

/** A CSIDriver object that no registered driver has, with nearly the name of this one. */
function findMisnamedObject({ ask, driver }: Registration): ObjectOf<'CSIDriver'> | undefined {
  const object = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  if (object.state !== 'missing') return undefined;
  const objects = ask.list('CSIDriver', undefined, `whether ${driver} is installed under another name`).items;
  const registered = namesOnAllNodes(ask);
  const unregistered = objects.map(({ metadata }) => metadata.name).filter((name) => !registered.includes(name));
  const near = findSlip(driver, unregistered);
  return objects.find(({ metadata }) => metadata.name === near);
}

function explainMisnamedObject(r: Registration, other: ObjectOf<'CSIDriver'>): Explanation | undefined {
  const attacher = findController(r.ask, r.driver, 'attacher');
  if (attacher.lease.state === 'fresh' || attacher.pods.items.length > 0) return undefined;
  return {
    confidence: attacher.lease.state === 'missing' ? 'certain' : 'likely',
    about: r.driver,
    summary: `the driver calls itself ${r.driver}, and its CSIDriver object is called ${other.metadata.name}: so Kubernetes waits for an attacher that the driver does not need`,
    evidence: [
      absent('CSIDriver', r.driver),
      note(other, 'is registered on no node under this name'),
      field(other, 'spec.attachRequired'),
      ...(r.csiNode.state === 'found' ? [field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object))] : []),
    ],
    fix: [
      fix(
        `make the CSIDriver object again under the name ${r.driver}`,
        `kubectl get csidriver ${shellWord(other.metadata.name)} -o yaml`,
      ),
    ],
  };
}

const forDriver = objectRule('CSIDriver', {
  cause,
  stage: 'mount',
  severity,
  explain(d) {
    const nodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`);
    const namesake = nodes.items.some((node) => lists(node, d.name)) ? undefined : findNamesake(d, nodes.items);
    if (!namesake) return undefined;
    const { near, node } = namesake;
    return {
      confidence: nodes.complete ? 'certain' : 'likely',
      about: d.name,
      summary: `CSIDriver ${d.name} stands for no driver: the nodes have registered ${near}, which has no object of its own`,
      evidence: [field(node, 'spec.drivers', driversText(node)), absent('CSIDriver', near)],
      fix: [
        fix(
          `make the object again under the name ${near}, as the driver calls itself`,
          `kubectl get csidriver ${shellWord(d.name)} -o yaml`,
        ),
      ],
    };
  },
});

interface Namesake {
  readonly near: string;
  /** A node that has it registered. */
  readonly node: CsiNode;
}

/** A registered driver with nearly the name of the object, and no object of its own. */
function findNamesake(d: ObjectCase<'CSIDriver'>, nodes: readonly CsiNode[]): Namesake | undefined {
  const near = findSlip(d.name, namesOnAllNodes(d.ask));
  if (near === undefined) return undefined;
  const node = nodes.find((candidate) => lists(candidate, near));
  if (!node) return undefined;
  const object = d.ask.get('CSIDriver', undefined, near, `whether ${near} has an object of its own`);
  return object.state === 'found' ? undefined : { near, node };
}

function namesOnAllNodes(ask: Inquiry): string[] {
  return ask.seen('CSINode').flatMap(registeredDrivers);
}

function findSlip(driver: string, names: readonly string[]): string | undefined {
  return [...new Set(names)].sort().find((name) => isSlip(driver, name));
}

/** Shorter parts are names of their own: ebs and efs, nfs and smb. */
const shortestTypo = 4;

/** Whether two names were meant to be one: other separators, a part added in front or at the end, or one part misspelt. */
export function isSlip(left: string, right: string): boolean {
  if (left === right) return false;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  const isExtended = short.includes('.') && (long.endsWith(`.${short}`) || long.startsWith(`${short}.`));
  return isExtended || lettersOf(left) === lettersOf(right) || hasTypo(left, right);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The same number of parts, and exactly one of them is misspelt. */
function hasTypo(left: string, right: string): boolean {
  const rightParts = right.split('.');
  const pairs = left.split('.').map((part, index) => [part, rightParts[index] ?? ''] as const);
  const [unlike, ...more] = pairs.filter(([a, b]) => a !== b);
  if (pairs.length !== rightParts.length || !unlike || more.length > 0) return false;
  const [part, other] = unlike;
  return part.length >= shortestTypo && nearestName(part, [other]) !== undefined;
}

export const driverNameMismatch = {
  atMount: [...forVolumes.atMount.filter(({ on }) => on === 'pod'), forDriver],
  atAttach: [...forVolumes.atAttach, forPodAtAttach],
};
