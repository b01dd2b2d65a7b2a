import { note } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { CsiNode, HealthCondition } from '../../kube/kinds.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { adverseConditions, conditionEvidence, describeConditions } from './health-conditions.ts';

const cause = 'health-storage-backend';
const stage = 'mount';
const severity = 'warning';

export const healthStorageBackend = objectRule('Node', {
  cause,
  stage,
  severity,
  explain(n) {
    const csiNode = n.ask.get('CSINode', undefined, n.name, `how the drivers on ${n.name} see their storage`);
    if (csiNode.state !== 'found') return undefined;
    const [first] = findUnhealthyDrivers(csiNode.object);
    return first && explainUnhealthy(csiNode.object, first);
  },
});

/**
 * More than advice for a pod whose volumes are not mounted: nothing can be mounted from storage that cannot be reached.
 * It is only possible all the same, because other rules prove more about the volume itself.
 */
export const healthStorageBackendOfPod = podRule({
  cause,
  stage,
  severity,
  explain(p) {
    const csiNode = findCsiNode(p);
    const unhealthy = csiNode && findUnhealthyStorage(p, csiNode);
    if (!unhealthy) return undefined;
    const isUnreachable = unhealthy.conditions.some(({ status }) => status === 'StorageUnreachable');
    const explanation = explainUnhealthy(csiNode, unhealthy);
    if (hasMountedVolumes(p.pod) || !isUnreachable) return explanation;
    return { ...explanation, severity: 'blocking', confidence: 'possible' };
  },
});

interface UnhealthyDriver {
  readonly driver: string;
  readonly conditions: readonly HealthCondition[];
}

/**
 * An entry holds a list of conditions, or is one condition itself as in the first version of the proposal (KEP-1432).
 */
function findUnhealthyDrivers({ status }: CsiNode): UnhealthyDriver[] {
  const byDriver = new Map<string, HealthCondition[]>();
  for (const entry of status?.storageHealth ?? []) {
    const conditions = [...adverseConditions(entry), ...(entry.status ? [entry] : [])];
    const known = byDriver.get(entry.name ?? '') ?? [];
    if (conditions.length > 0) byDriver.set(entry.name ?? '', [...known, ...conditions]);
  }
  return [...byDriver].map(([driver, conditions]) => ({ driver, conditions }));
}

function explainUnhealthy(csiNode: CsiNode, { driver, conditions }: UnhealthyDriver): Explanation {
  const { name } = csiNode.metadata;
  const [first, ...rest] = conditionEvidence(csiNode, `status.storageHealth[${driver}]`, conditions);
  return {
    about: `${name}/${driver}`,
    summary: `Driver ${driver} on ${name} reports its storage as unhealthy: ${describeConditions(conditions)}.`,
    evidence: [first ?? note(csiNode, 'reports unhealthy storage'), ...rest],
    fix: [
      steps(
        `Restore the connection from ${name} to the storage of ${driver}: its network, paths and switches. ` +
          'Volumes then mount at the next try.',
        [],
      ),
    ],
  };
}

/** Read only while the pod waits: for a pod that runs, what was read already is enough. */
function findCsiNode(p: PodCase): CsiNode | undefined {
  const node = p.pod.spec?.nodeName;
  if (!node) return undefined;
  const known = p.ask.graph.find('CSINode', undefined, node);
  if (known || hasMountedVolumes(p.pod)) return known;
  const lookup = p.ask.get('CSINode', undefined, node, `how the drivers on ${node} see their storage`);
  return lookup.state === 'found' ? lookup.object : undefined;
}

/** The driver of the first volume of the pod that an adverse condition is about. */
function findUnhealthyStorage(p: PodCase, csiNode: CsiNode): UnhealthyDriver | undefined {
  const unhealthy = findUnhealthyDrivers(csiNode);
  if (unhealthy.length === 0) return undefined;
  for (const volume of volumesOf(p)) {
    const entry = unhealthy.find(({ driver }) => driver === volume.driver);
    const conditions = (entry?.conditions ?? []).filter((condition) => isAbout(condition, volume));
    if (entry && conditions.length > 0) return { driver: entry.driver, conditions };
  }
  return undefined;
}

interface UsedVolume {
  readonly driver: string | undefined;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
}

function volumesOf(p: PodCase): UsedVolume[] {
  const claimed = p.claims.map(({ volume, claim }) => ({
    driver: volume?.state === 'found' ? volume.object.spec?.csi?.driver : undefined,
    accessModes: claim?.spec?.accessModes ?? [],
    volumeMode: claim?.spec?.volumeMode ?? 'Filesystem',
  }));
  const inline = (p.pod.spec?.volumes ?? []).map(({ csi }) => ({
    driver: csi?.driver,
    accessModes: [],
    volumeMode: 'Filesystem',
  }));
  return [...claimed, ...inline];
}

/** A condition may be limited to volumes with certain access modes or a volume mode. */
function isAbout(condition: HealthCondition, { accessModes, volumeMode }: UsedVolume): boolean {
  const { accessModes: limited = [] } = condition;
  const fitsAccess =
    limited.length === 0 || accessModes.length === 0 || accessModes.some((mode) => limited.includes(mode));
  return fitsAccess && (!condition.volumeMode || condition.volumeMode === volumeMode);
}
