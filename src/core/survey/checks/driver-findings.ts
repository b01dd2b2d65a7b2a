import type { CheckFinding } from '../../report/check.ts';
import type { Evidence, ObjectRef, ReportItem } from '../../report/report.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { DriverStatus, Placement, SidecarStatus, Status } from '../../report/status.ts';
import { parseTime } from '../../kube/time.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { ownFinding } from './own-finding.ts';

/** Time for a plugin to start on a new node, or after a restart. */
const graceMs = 2 * 60 * 1000;

const isOdd = ({ state }: Placement): boolean => state === 'notReady' || state === 'missing';

/**
 * Ready nodes on which a driver is not ready or missing: the rules may find out why. A node that is down is a finding
 * of its own.
 */
export function oddNodes(status: Status): TargetRef[] {
  const down = new Set(status.nodes.filter(({ state }) => state === 'notReady').map(({ name }) => name));
  const names = new Set(status.drivers.flatMap(({ placements }) => placements.filter(isOdd).map(({ node }) => node)));
  return [...names]
    .filter((name) => !down.has(name))
    .sort()
    .map((name): TargetRef => ({ kind: 'Node', name }));
}

/** What the survey shows about drivers and no verdict reports: plugins on nodes, sidecars, leaders. */
export function driverFindings(
  ask: Inquiry,
  status: Status,
  nodes: readonly ReportItem[],
  told: readonly CheckFinding[],
): CheckFinding[] {
  const looked = new Set(oddNodes(status).map(({ name }) => name));
  return status.drivers.flatMap((driver) => [
    ...sidecarFindings(
      driver,
      told
        .filter(({ severity, summary }) => severity === 'blocking' && summary.includes(driver.name))
        .map(({ summary }) => summary),
    ),
    ...driver.placements
      .filter((placement) => isOdd(placement) && looked.has(placement.node) && !isTold(driver.name, placement, nodes))
      .map((placement) => placementFinding(ask, driver.name, placement)),
  ]);
}

/** Whether a verdict on a driver only repeats the verdicts on its nodes. */
export function repeatsNodes(item: ReportItem, nodes: readonly ReportItem[]): boolean {
  return (
    item.stage === 'mount' &&
    nodes.some((node) => node.status === 'blocked' && node.cause === item.cause && mentions(node, item.target.name))
  );
}

function isTold(driver: string, { node }: Placement, items: readonly ReportItem[]): boolean {
  const item = items.find(({ target }) => target.name === node);
  return (
    item?.status === 'blocked' &&
    item.cause !== 'blocked-unexplained' &&
    (item.cause === 'csinode-missing' || mentions(item, driver))
  );
}

function mentions({ findings, cause }: ReportItem, word: string): boolean {
  return findings.some(
    (finding) =>
      finding.role === 'cause' &&
      finding.cause === cause &&
      JSON.stringify([finding.summary, finding.evidence]).includes(word),
  );
}

function placementFinding(ask: Inquiry, driver: string, placement: Placement): CheckFinding {
  const { node, pod, why = 'for no reason that can be seen', state } = placement;
  const object: ObjectRef = pod ?? { kind: 'Node', name: node };
  const isMissing = state === 'missing';
  return ownFinding(
    isMissing ? 'driver-missing-on-node' : 'driver-not-ready-on-node',
    { kind: 'Node', name: node },
    {
      summary: `${driver} is ${isMissing ? 'not registered' : 'not ready'} on node ${node}: ${why}`,
      group: `${driver} is ${isMissing ? 'not registered' : 'not ready'} on nodes where it should be`,
      evidence: [{ object, value: why }],
      fix: [
        pod
          ? fix(
              'see why its pod does not work',
              `kubectl ${inNamespace(pod.namespace)}describe ${shortNameOf(pod.kind)} ${shellWord(pod.name)}`,
            )
          : fix(
              'see which drivers the kubelet has registered, and where the DaemonSet of the driver runs',
              `kubectl csi why node/${shellWord(node)}`,
            ),
      ],
      isInProgress: isYoung(ask, placement),
    },
  );
}

function isYoung(ask: Inquiry, { node, pod }: Placement): boolean {
  const found = pod && ask.graph.find('Pod', pod.namespace, pod.name);
  const times = found
    ? [conditionOf(found.status?.conditions, 'Ready')?.lastTransitionTime ?? found.metadata.creationTimestamp]
    : [ask.graph.find('Node', undefined, node)?.metadata.creationTimestamp];
  return times.some((time) => {
    const moment = parseTime(time);
    return moment !== undefined && ask.now - moment < graceMs;
  });
}

/** Sidecars that no verdict on the driver mentions; those that are down for the same reason are one finding. */
function sidecarFindings(driver: DriverStatus, told: readonly string[]): CheckFinding[] {
  const down = driver.sidecars.filter(({ place, state }) => place === 'controller' && state === 'down');
  const reasons = [...Map.groupBy(down, ({ why = 'is not running' }) => why)];
  const isTold = ([why, sidecars]: readonly [string, readonly SidecarStatus[]]): boolean =>
    told.some((summary) => summary.includes(why) || sidecars.some(({ role }) => summary.includes(role)));
  return reasons.filter((reason) => !isTold(reason)).map(([why, sidecars]) => sidecarFinding(driver, why, sidecars));
}

function sidecarFinding(
  { name, isInstalled, classes, controller: { namespace, workload } }: DriverStatus,
  why: string,
  sidecars: readonly SidecarStatus[],
): CheckFinding {
  const roles = sidecars.map(({ role }) => role);
  const [storageClass] = classes;
  // A provisioner that is no CSI driver has no CSIDriver object.
  const object: ObjectRef =
    isInstalled === false && storageClass !== undefined
      ? { kind: 'StorageClass', name: storageClass }
      : { kind: 'CSIDriver', name };
  return ownFinding('sidecar-down', object, {
    summary: `the ${nameRoles(roles)} of ${name} ${why}`,
    evidence: [{ object, value: why }, ...leaseEvidence(sidecars)],
    fix: [
      fix(
        'see why its controller does not work',
        workload === undefined
          ? `kubectl csi why ${shellWord(`${shortNameOf(object.kind)}/${object.name}`)}`
          : `kubectl ${inNamespace(namespace)}describe ${workload}`,
      ),
    ],
  });
}

function nameRoles(roles: readonly string[]): string {
  const last = roles.at(-1) ?? '';
  return roles.length > 1 ? `${roles.slice(0, -1).join(', ')} and ${last}` : last;
}

function leaseEvidence(sidecars: readonly SidecarStatus[]): Evidence[] {
  const lease = sidecars.find(({ staleLease }) => staleLease)?.staleLease;
  if (!lease) return [];
  const { namespace, name, renewedAt } = lease;
  return [
    {
      object: { kind: 'Lease', ...(namespace !== undefined && { namespace }), name },
      path: 'spec.renewTime',
      value: renewedAt ?? 'not set',
    },
  ];
}
