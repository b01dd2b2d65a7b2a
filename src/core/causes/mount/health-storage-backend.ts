import type { CsiNode, HealthCondition } from '../../kube/kinds.ts';
import { fix, note, shellWord } from '../../facts/evidence.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { conditionEvidence, conditionsIn, meaningOf } from './health-conditions.ts';

interface Sick {
  readonly driver: string;
  readonly conditions: readonly HealthCondition[];
}

/** By driver; an entry holds its conditions, or is one itself as the proposal had it. */
function sickDrivers(csiNode: CsiNode): Sick[] {
  const byDriver = new Map<string, HealthCondition[]>();
  for (const entry of csiNode.status?.storageHealth ?? []) {
    const conditions = [...conditionsIn(entry), ...(entry.status ? [entry] : [])];
    const known = byDriver.get(entry.name ?? '') ?? [];
    if (conditions.length > 0) byDriver.set(entry.name ?? '', [...known, ...conditions]);
  }
  return [...byDriver].map(([driver, conditions]) => ({ driver, conditions }));
}

function explainSick(csiNode: CsiNode, { driver, conditions }: Sick): Explanation {
  const [evidence, ...more] = conditionEvidence(csiNode, `status.storageHealth[${driver}]`, conditions);
  return {
    about: `${csiNode.metadata.name}/${driver}`,
    summary: `${driver} on ${csiNode.metadata.name} reports trouble with its storage: ${meaningOf(conditions)}`,
    evidence: [evidence ?? note(csiNode, 'reports trouble'), ...more],
    fix: [
      fix(
        'restore the way from this node to the storage: network, paths, switches',
        `kubectl get csinode ${shellWord(csiNode.metadata.name)} -o jsonpath='{.status.storageHealth}'`,
      ),
    ],
  };
}

export const healthStorageBackend = objectRule('Node', {
  cause: 'health-storage-backend',
  stage: 'mount',
  severity: 'warning',
  explain(n) {
    const csiNode = n.ask.get('CSINode', undefined, n.name, `how the drivers on ${n.name} see their storage`);
    const [sick] = csiNode.state === 'found' ? sickDrivers(csiNode.object) : [];
    return sick && csiNode.state === 'found' ? explainSick(csiNode.object, sick) : undefined;
  },
});

/** For a pod whose volumes do not come it is more than advice: nothing can be mounted from a storage out of reach. Words about the volume itself go before. */
export const healthStorageBackendOfPod = podRule({
  cause: 'health-storage-backend',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const node = p.pod.spec?.nodeName;
    if (!node) return undefined;
    const isMounted = hasMountedVolumes(p.pod);
    const found = p.ask.graph.find('CSINode', undefined, node);
    const lookup =
      found || isMounted
        ? undefined
        : p.ask.get('CSINode', undefined, node, `how the drivers on ${node} see their storage`);
    const csiNode = found ?? (lookup?.state === 'found' ? lookup.object : undefined);
    const sick = csiNode ? sickDrivers(csiNode) : [];
    if (!csiNode || sick.length === 0) return undefined;
    const inline = (p.pod.spec?.volumes ?? []).map(({ csi }) => ({
      driver: csi?.driver,
      modes: [] as readonly string[],
      mode: 'Filesystem',
    }));
    const claimed = p.claims.map(({ volume, claim }) => ({
      driver: volume?.state === 'found' ? volume.object.spec?.csi?.driver : undefined,
      modes: claim?.spec?.accessModes ?? [],
      mode: claim?.spec?.volumeMode ?? 'Filesystem',
    }));
    for (const { driver, modes, mode } of [...claimed, ...inline]) {
      const entry = sick.find((candidate) => candidate.driver === driver);
      const conditions = (entry?.conditions ?? []).filter((condition) => concerns(condition, modes, mode));
      if (!entry || conditions.length === 0) continue;
      const isOut = !isMounted && conditions.some(({ status }) => status === 'StorageUnreachable');
      return {
        ...explainSick(csiNode, { driver: entry.driver, conditions }),
        ...(isOut && { severity: 'blocking' as const, confidence: 'possible' as const }),
      };
    }
    return undefined;
  },
});

/** A condition may be about one kind of volume only. */
function concerns({ accessModes = [], volumeMode }: HealthCondition, modes: readonly string[], mode: string): boolean {
  return (
    (accessModes.length === 0 || modes.length === 0 || modes.some((wanted) => accessModes.includes(wanted))) &&
    (!volumeMode || volumeMode === mode)
  );
}
