import { lists } from '../../facts/driver/node-plugin.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { ContainerStatus, Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { crashEvidence } from '../../facts/pod/pod-health.ts';
import { onEachSubject } from './registration-rule.ts';
import type { RegistrationRules } from './registration-rule.ts';
import { refusedRegistrar } from './plugin-health.ts';
import type { Registration } from './registration.ts';

/*
 * The kubelet tells the registrar why it does not take a driver (NotifyRegistrationStatus), and the registrar writes it
 * to its log and ends. Where the pod asks for FallbackToLogsOnError the end of that log stands in the container's status.
 */

interface Refusal {
  readonly pod: Pod;
  readonly status: ContainerStatus;
  readonly text: string;
}

function refusalOf(r: Registration): Refusal | undefined {
  const { pod } = r;
  const status = r.trouble === 'refused' && pod ? refusedRegistrar(pod, r.ask.now) : undefined;
  return pod && status
    ? { pod, status, text: (status.state?.terminated ?? status.lastState?.terminated)?.message ?? '' }
    : undefined;
}

function tell(
  r: Registration,
  refusal: Refusal,
  what: string,
  fixes: readonly Fix[],
  more: readonly Evidence[] = [],
): Explanation {
  const { pod, status } = refusal;
  const logs = fix(
    "read the registrar's last words",
    `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name ?? '')} --previous --tail=20`,
  );
  return {
    about: r.about,
    summary: `the kubelet of ${r.node} does not take CSI driver ${r.driver}: ${what}`,
    evidence: [...crashEvidence(pod, status), ...more, ...(r.said ? [r.said.evidence] : [])],
    fix: [...fixes, logs],
  };
}

/** What the kubelet says, the particular before the general: one refusal has one reason. */
const reasons = {
  nodeId: /driverNodeID must not be empty/,
  collision: /detected topology value collision: driver reported "([^"]+)":"([^"]+)" but existing label is "?([^"]*)"?/,
  version:
    /Another driver with the same name is already registered with a higher supported version|None of the versions specified .* are supported/,
  update: /error updating (Node|CSINode) object with CSI driver node info|failed to update (Node|CSINode)/,
  nodeInfo: /(plugin registration failed with err|NodeGetInfo\(?\)?).*(rpc error|failed|error)/s,
} as const;
type Reason = keyof typeof reasons;

function reasonOf({ text }: Refusal): Reason | undefined {
  return (Object.keys(reasons) as Reason[]).find((reason) => reasons[reason].test(text));
}

function refusedFor(
  cause: string,
  reason: Reason,
  what: string,
  fixes: (r: Registration) => readonly Fix[],
): RegistrationRules {
  return onEachSubject(cause, 'blocking', (r) => {
    const refusal = refusalOf(r);
    return refusal && reasonOf(refusal) === reason
      ? { ...tell(r, refusal, what, fixes(r)), confidence: 'likely' }
      : undefined;
  });
}

const restart = (r: Registration): Fix =>
  fix(
    `then restart the node plugin on ${r.node}: the kubelet does not ask again by itself`,
    `kubectl ${inNamespace(r.pod?.metadata.namespace)}delete pod ${shellWord(r.pod?.metadata.name ?? '')}`,
    'disruptive',
  );

export const driverNodeidEmpty = refusedFor(
  'driver-nodeid-empty',
  'nodeId',
  'the driver gives no id for the node',
  (r) => [fix(`configure the driver's node id (often --nodeid from spec.nodeName)`), restart(r)],
);
export const driverVersionConflict = refusedFor(
  'driver-version-conflict',
  'version',
  'another driver of this name is registered, or it speaks no version that the kubelet knows',
  () => [fix('remove the second installation of the driver, or update it', 'kubectl get daemonsets -A -o wide')],
);
export const driverNodeUpdateDenied = refusedFor(
  'driver-node-update-denied',
  'update',
  'it may not write its Node or CSINode object',
  (r) => [
    fix(
      'look for a webhook or an authorizer that refuses the kubelet',
      `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`,
    ),
    restart(r),
  ],
);
export const driverNodegetinfoFailed = refusedFor(
  'driver-nodegetinfo-failed',
  'nodeInfo',
  'the driver could not tell about its node (NodeGetInfo failed)',
  (r) => [
    fix(
      'see what the driver needs for that: most often the metadata service of the cloud, or a region, zone or node name in its configuration',
    ),
    restart(r),
  ],
);

/** nodeinfomanager updateTopologyLabels never overwrites a label that says something else. */
export const driverTopologyCollision = onEachSubject('driver-topology-collision', 'blocking', (r) => {
  const refusal = refusalOf(r);
  if (!refusal) return undefined;
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  const match = reasons.collision.exec(refusal.text);
  const key = match?.[1] ?? (node && foreignTopologyLabel(r, node));
  if (key === undefined) return undefined;
  const label = match ? '' : ', which the kubelet did not write';
  return {
    ...tell(
      r,
      refusal,
      `the node has label ${key} already${match ? ` with another value than the driver's ${match[2] ?? ''}` : label}`,
      [
        fix(
          `remove the label and let the driver set it: pods and volumes that are bound to its old value are affected`,
          `kubectl label node ${shellWord(r.node)} ${shellWord(`${key}-`)}`,
          'disruptive',
        ),
      ],
      node ? [field(node, `metadata.labels[${key}]`, node.metadata.labels?.[key])] : [],
    ),
    confidence: match ? 'likely' : 'possible',
  };
});

/** A label under a topology key of the driver that somebody other than a kubelet wrote. */
function foreignTopologyLabel(r: Registration, node: Node): string | undefined {
  const keys = r.ask
    .seen('CSINode')
    .filter((csiNode) => lists(csiNode, r.driver))
    .flatMap(({ spec }) => spec?.drivers?.find(({ name }) => name === r.driver)?.topologyKeys ?? []);
  const writers = (node.metadata.managedFields ?? []).filter(
    ({ manager }) => manager !== undefined && manager !== 'kubelet',
  );
  return keys.find(
    (key) =>
      node.metadata.labels?.[key] !== undefined &&
      !/(^|\.)kubernetes\.io\//.test(key) &&
      writers.some(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? null).includes(`"f:${key}"`)),
  );
}

export const driverRegistrationFailed = onEachSubject('driver-registration-failed', 'blocking', (r) => {
  const refusal = refusalOf(r);
  if (!refusal || reasonOf(refusal) !== undefined) return undefined;
  const { pod, status } = refusal;
  const last = status.state?.terminated ?? status.lastState?.terminated;
  return tell(
    r,
    refusal,
    `container ${status.name ?? ''} of pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) registers it and ends${last?.exitCode === undefined ? '' : ` with exit code ${last.exitCode}`}, again and again`,
    [],
  );
});
