import { findController } from '../../facts/driver/drivers.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import { mentionsDriver } from '../../facts/driver/driver-pods.ts';
import { absent, field, note } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Claim, CsiNode, ObjectOf, Pod, Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { fileOf, kubectl, saveCommand, steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { registrationsOfPod } from './needed-drivers.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const cause = 'driver-name-mismatch';
const severity = 'blocking';

/**
 * The kubelet knows a driver only by the name that GetPluginInfo returns, so a volume that spells it otherwise has no
 * driver.
 */
const forVolumes = registrationRule(cause, severity, (r) => {
  const other = findOwnName(r);
  if (other !== undefined) return explainOwnName(r, other);
  const near = findRegisteredNamesake(r);
  if (near === undefined || r.csiNode.state !== 'found') return undefined;
  const elsewhere = r.ask.list('CSINode', undefined, `on which nodes ${r.driver} is registered`);
  const object = r.ask.get('CSIDriver', undefined, r.driver, `whether ${r.driver} is installed`);
  if (elsewhere.items.some((other) => lists(other, r.driver)) || isInstalled(r, near)) return undefined;
  return {
    confidence: object.state === 'missing' && elsewhere.complete ? 'certain' : 'likely',
    about: r.driver,
    summary: `No node has a driver ${r.driver}, but ${r.node} has ${near}. One of the names is misspelt.`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      ...(object.state === 'missing' ? [absent('CSIDriver', r.driver)] : []),
      ...r.errorEvidence,
    ],
    fix: volumeAdvice(r, near),
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

function volumeAdvice(r: Registration, near: string): Fix[] {
  return [
    recreateFix(r, near, 'If the volume is misspelt, recreate it'),
    steps(`If the driver was renamed, install it under the name that the volumes have: ${r.driver}.`, [], 'disruptive'),
  ];
}

/** The source of a volume cannot be changed; one volume, with its claim and pod, shows the way for all. */
function recreateFix(r: Registration, near: string, lead: string): Fix {
  const text = `${lead} with driver ${near}: the source of a volume cannot be changed`;
  const found = findVolumeInUse(r);
  if (!found) return steps(`${text}. Set its policy to Retain first, so that the data stays.`, [], 'disruptive');
  return steps(
    `${text}. The policy is set to Retain first, so that the data stays. Stop all pods of the claim before that.`,
    recreateVolumeCommands(r.ask, found.volume, found.claim, found.pod, { spec: { csi: { driver: near } } }),
    'disruptive',
  );
}

/** A volume of the driver with its claim, and the pod on the node that waits for it. */
function findVolumeInUse({ ask, driver, node }: Registration): { volume: Volume; claim: Claim; pod: Pod } | undefined {
  const pods = ask.podsOnNode(node).items;
  for (const volume of ask.seen('PersistentVolume').filter(({ spec }) => spec?.csi?.driver === driver)) {
    const { namespace, name } = volume.spec?.claimRef ?? {};
    const claim = name ? ask.graph.find('PersistentVolumeClaim', namespace, name) : undefined;
    const pod = pods.find(
      ({ metadata, spec }) =>
        metadata.namespace === namespace &&
        (spec?.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
    );
    if (claim && pod) return { volume, claim, pod };
  }
  return undefined;
}

/** The driver's own pods run, and the kubelet knows a driver under a name that only they use. */
function findOwnName(r: Registration): string | undefined {
  const pod = r.unseenPod;
  if (!pod || r.csiNode.state !== 'found') return undefined;
  const others = r.ask.podsOnNode(r.node).items.filter((candidate) => candidate.metadata.uid !== pod.metadata.uid);
  return registeredDrivers(r.csiNode.object).find(
    (name) => mentionsDriver(pod.spec, name) && !others.some(({ spec }) => mentionsDriver(spec, name)),
  );
}

function explainOwnName(r: Registration, other: string): Explanation | undefined {
  const pod = r.unseenPod;
  if (!pod || r.csiNode.state !== 'found') return undefined;
  return {
    confidence: 'likely',
    about: r.driver,
    summary:
      `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} runs on ${r.node} and has ` +
      `registered driver ${other}, not ${r.driver}, which the volume names.`,
    evidence: [
      field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object)),
      note(pod, `names both ${other} and ${r.driver}`),
      ...r.errorEvidence,
    ],
    fix: [
      steps(
        `Set the driver's name back to ${r.driver} in the settings of its node plugin and controller: ` +
          'volumes keep the name they were created with.',
        [],
        'disruptive',
      ),
      recreateFix(r, other, 'If the new name is to stay, recreate the volume'),
    ],
  };
}

/**
 * The driver is registered, but its CSIDriver object has another name. So the defaults hold, and Kubernetes waits for
 * an attachment that no attacher makes.
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
  const isSeenMissing = attacher.lease.state === 'missing';
  return {
    confidence: isSeenMissing ? 'certain' : 'likely',
    about: r.driver,
    summary:
      `The driver is registered as ${r.driver}, and its CSIDriver object is called ${other.metadata.name}. ` +
      `Without an object of its name Kubernetes waits for an attacher, and ${isSeenMissing ? 'none is running' : 'none has answered'}.`,
    evidence: [
      absent('CSIDriver', r.driver),
      note(other, 'is registered on no node under this name'),
      field(other, 'spec.attachRequired'),
      ...(r.csiNode.state === 'found' ? [field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object))] : []),
    ],
    fix: [renameFix(other, r.driver)],
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
      summary: `No node has registered a driver of the name ${d.name}. The nodes have ${near}, which has no CSIDriver object.`,
      evidence: [field(node, 'spec.drivers', driversText(node)), absent('CSIDriver', near)],
      fix: [renameFix(d.object, near)],
    };
  },
});

/** An object cannot be renamed: it is created under the other name, and then deleted under this one. */
function renameFix(object: ObjectOf<'CSIDriver'>, name: string): Fix {
  const patch = [
    { op: 'replace', path: '/metadata/name', value: name },
    { op: 'remove', path: '/metadata/uid' },
    { op: 'remove', path: '/metadata/resourceVersion' },
  ];
  return steps(
    `Recreate the CSIDriver object under the name ${name}, which the driver reports, and correct it in the ` +
      'chart. Volumes are then handled as the object says.',
    [
      saveCommand(object),
      `kubectl patch --local -f ${shellWord(fileOf(object))} --type=json -p ` +
        `${shellWord(JSON.stringify(patch))} -o yaml | kubectl create -f -`,
      kubectl('delete', object),
    ],
    'disruptive',
  );
}

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

/**
 * Whether two names were intended to be one: other separators, a part added in front or at the end, or one part
 * misspelt.
 */
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
