import { findController } from '../../facts/driver/drivers.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import { nearestName } from '../../kube/names.ts';
import { driversText } from './driver-not-on-node.ts';
import { registrationRule } from './registration-rule.ts';
import { registrationsOfPod } from './needed-drivers.ts';

const cause = 'driver-name-mismatch';
const shortestTypo = 4;

/**
 * Whether two names were meant to be one: other separators, a part put before or after, or one part misspelt. Parts of
 * three letters are names of their own (ebs and efs, nfs and smb).
 */
export function isSlip(left: string, right: string): boolean {
  if (left === right) return false;
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (plain(left) === plain(right)) return true;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  if (short.includes('.') && (long.endsWith(`.${short}`) || long.startsWith(`${short}.`))) return true;
  const leftParts = left.split('.');
  const rightParts = right.split('.');
  const unlike = leftParts.flatMap((part, index) =>
    part === rightParts[index] ? [] : [[part, rightParts[index] ?? ''] as const],
  );
  const [pair] = unlike;
  return (
    leftParts.length === rightParts.length &&
    unlike.length === 1 &&
    pair !== undefined &&
    pair[0].length >= shortestTypo &&
    nearestName(pair[0], [pair[1]]) !== undefined
  );
}

function slipsOf(driver: string, names: readonly string[]): string | undefined {
  return [...new Set(names)].sort().find((name) => isSlip(driver, name));
}

function registeredNames(ask: Inquiry): string[] {
  return ask.seen('CSINode').flatMap(({ spec }) => (spec?.drivers ?? []).flatMap(({ name }) => name ?? []));
}

/** The name that a driver answers to (GetPluginInfo) is the only one that the kubelet knows; a volume that spells it otherwise finds nobody. */
const ofVolume = registrationRule(cause, 'blocking', (r) => {
  const { csiNode, driver } = r;
  if (csiNode.state !== 'found' || r.isRegistered !== false || r.isReady === false) return undefined;
  const near = slipsOf(
    driver,
    (csiNode.object.spec?.drivers ?? []).flatMap(({ name }) => name ?? []),
  );
  if (near === undefined) return undefined;
  const elsewhere = r.ask.list('CSINode', undefined, `on which nodes ${driver} is registered`);
  const object = r.ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
  const isNearKnown =
    r.ask.graph.find('CSIDriver', undefined, driver) !== undefined &&
    r.ask.graph.find('CSIDriver', undefined, near) !== undefined;
  if (elsewhere.items.some((other) => lists(other, driver)) || isNearKnown || r.plugin.pods.items.length > 0)
    return undefined;
  return {
    confidence: object.state === 'missing' && elsewhere.complete ? 'certain' : 'likely',
    about: driver,
    summary: `no node has a CSI driver ${driver}, but ${r.node} has ${near}: one of the names is misspelt`,
    evidence: [
      field(csiNode.object, 'spec.drivers', driversText(csiNode.object)),
      ...(object.state === 'missing' ? [absent('CSIDriver', driver)] : []),
      ...(r.said ? [r.said.evidence] : []),
    ],
    fix: [
      fix(
        `if the driver was renamed, install it under the name that the volumes bear: ${driver}`,
        'kubectl get csidriver,csinode',
      ),
      fix(
        `if the volume is misspelt, make it again with driver ${near}: the source of a volume cannot be changed (keep the data: policy Retain)`,
        undefined,
        'disruptive',
      ),
    ],
  };
});

/** The driver is there under its name, but its CSIDriver object is called otherwise, so that the defaults hold: it must be attached, and nobody does. */
const ofObject = podRule({
  cause,
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    for (const r of registrationsOfPod(p, false)) {
      if (r.isRegistered !== true) continue;
      const object = r.ask.get('CSIDriver', undefined, r.driver, `whether ${r.driver} attaches its volumes`);
      if (object.state !== 'missing') continue;
      const drivers = r.ask.list('CSIDriver', undefined, `whether ${r.driver} is installed under another name`);
      const names = registeredNames(r.ask);
      const near = slipsOf(
        r.driver,
        drivers.items.map(({ metadata }) => metadata.name).filter((name) => !names.includes(name)),
      );
      const other = drivers.items.find(({ metadata }) => metadata.name === near);
      if (!other) continue;
      const attacher = findController(r.ask, r.driver, 'attacher');
      if (attacher.lease.state === 'fresh' || attacher.pods.items.length > 0) continue;
      return {
        confidence: attacher.lease.state === 'missing' ? 'certain' : 'likely',
        about: r.driver,
        summary: `the driver calls itself ${r.driver}, and its CSIDriver object is called ${other.metadata.name}: so Kubernetes waits for an attacher that the driver does not need`,
        evidence: [
          absent('CSIDriver', r.driver),
          note(other, 'is registered on no node under this name'),
          field(other, 'spec.attachRequired'),
          ...(r.csiNode.state === 'found'
            ? [field(r.csiNode.object, 'spec.drivers', driversText(r.csiNode.object))]
            : []),
        ],
        fix: [
          fix(
            `make the CSIDriver object again under the name ${r.driver}`,
            `kubectl get csidriver ${shellWord(other.metadata.name)} -o yaml`,
          ),
        ],
      };
    }
    return undefined;
  },
});

const ofDriver = objectRule('CSIDriver', {
  cause,
  stage: 'mount',
  severity: 'blocking',
  explain(d) {
    const nodes = d.ask.list('CSINode', undefined, `on which nodes ${d.name} is registered`);
    if (nodes.items.some((node) => lists(node, d.name))) return undefined;
    const near = slipsOf(d.name, registeredNames(d.ask));
    const holder = nodes.items.find((node) => near !== undefined && lists(node, near));
    if (
      near === undefined ||
      !holder ||
      d.ask.get('CSIDriver', undefined, near, `whether ${near} has an object of its own`).state === 'found'
    )
      return undefined;
    return {
      confidence: nodes.complete ? 'certain' : 'likely',
      about: d.name,
      summary: `CSIDriver ${d.name} stands for no driver: the nodes have registered ${near}, which has no object of its own`,
      evidence: [field(holder, 'spec.drivers', driversText(holder)), absent('CSIDriver', near)],
      fix: [
        fix(
          `make the object again under the name ${near}, as the driver calls itself`,
          `kubectl get csidriver ${shellWord(d.name)} -o yaml`,
        ),
      ],
    };
  },
});

export const driverNameMismatch = {
  atMount: [...ofVolume.atMount.filter(({ on }) => on === 'pod'), ofDriver],
  atAttach: [...ofVolume.atAttach, ofObject],
};
