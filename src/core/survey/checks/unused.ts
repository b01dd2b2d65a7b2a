import { field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import type { Need } from '../../kube/snapshot.ts';
import type { Unread } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { CheckFinding } from '../../report/check.ts';
import { removeUnusedFix } from '../../causes/mount/pvc-unused.ts';
import { ownFinding } from './own-finding.ts';

/** A claim that was created today may still get its pod. */
const youngMs = 24 * 60 * 60 * 1000;

interface UnusedClaims {
  readonly findings: readonly CheckFinding[];
  readonly needs: readonly Need[];
  readonly unread: readonly Unread[];
}

/**
 * Bound claims that no pod uses, without the condition of newer servers. That takes all claims and all pods, so they
 * are read only where it is wanted; where they were read anyway, as in a dump, nothing more is needed.
 */
export function unusedClaims(graph: ClusterGraph, namespace: string | undefined, isWanted: boolean): UnusedClaims {
  const scope = namespace === undefined ? {} : { namespace };
  const isRead = graph.coverage.answers('Pod', scope) && graph.coverage.answers('PersistentVolumeClaim', scope);
  if (!isWanted && !isRead) return { findings: [], needs: [], unread: [] };
  // Questions of its own: a remark must not make a check incomplete.
  const ask = new Inquiry(graph);
  const findings = findUnused(ask, namespace);
  return isWanted
    ? { findings, needs: needsOf(ask.unanswered), unread: describeUnread(ask.unanswered) }
    : { findings, needs: [], unread: [] };
}

/**
 * Only where the workloads that could bring a pod back are known: a claim of a StatefulSet that is scaled down is kept
 * on purpose.
 */
function findUnused(ask: Inquiry, namespace: string | undefined): CheckFinding[] {
  const pods = ask.list('Pod', namespace, 'which claims no pod uses');
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which claims no pod uses');
  if (!pods.complete) return [];
  const used = new Set(
    pods.items.flatMap((pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ''}/${name}`)),
  );
  const kept = templateClaims(ask, namespace);
  return claims.items.flatMap((claim) => {
    const { namespace: place = '', name, creationTimestamp, deletionTimestamp } = claim.metadata;
    const created = parseTime(creationTimestamp);
    const isOld = created !== undefined && ask.now - created > youngMs;
    // The condition is a finding of its own (pvc-unused).
    const isReported = conditionOf(claim.status?.conditions, 'Unused')?.status === 'True';
    if (claim.status?.phase !== 'Bound' || deletionTimestamp !== undefined || !isOld || isReported) return [];
    if (used.has(`${place}/${name}`) || kept(place, name)) return [];
    const size = claim.status.capacity?.['storage'];
    return [
      ownFinding('claim-unused', claim, {
        summary: `no pod uses pvc/${name} in namespace ${place}${size === undefined ? '' : ` (${size})`}, ${ageText(created, ask.now)} old`,
        group: 'no pod uses these claims',
        evidence: [field(claim, 'status.phase'), field(claim, 'metadata.creationTimestamp')],
        fix: [removeUnusedFix(claim)],
      }),
    ];
  });
}

/** Whether a StatefulSet, a Deployment or another template names the claim: its pods may come back. */
function templateClaims(ask: Inquiry, namespace: string | undefined): (place: string, name: string) => boolean {
  const needed = 'which claims belong to workloads without pods';
  const sets = ask.list('StatefulSet', namespace, needed);
  const others = (['Deployment', 'DaemonSet', 'ReplicaSet'] as const).map((kind) => ask.list(kind, namespace, needed));
  const jobs = ask.list('CronJob', namespace, needed);
  // Without the workloads nothing is known to be left over.
  if (!sets.complete || !jobs.complete || others.some(({ complete }) => !complete)) return () => true;
  const templates = [
    ...[sets, ...others].flatMap(({ items }) => items.map(({ metadata, spec }) => ({ metadata, pod: spec?.template }))),
    ...jobs.items.map(({ metadata, spec }) => ({ metadata, pod: spec?.jobTemplate?.spec?.template })),
  ];
  const named = new Set(
    templates.flatMap(({ metadata, pod }) =>
      (pod?.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
        persistentVolumeClaim?.claimName ? [`${metadata.namespace ?? ''}/${persistentVolumeClaim.claimName}`] : [],
      ),
    ),
  );
  const prefixes = sets.items.flatMap(({ metadata, spec }) =>
    (spec?.volumeClaimTemplates ?? []).map(
      (template) => `${metadata.namespace ?? ''}/${template.metadata?.name ?? ''}-${metadata.name}-`,
    ),
  );
  return (place, name) => {
    const key = `${place}/${name}`;
    return (
      named.has(key) || prefixes.some((prefix) => key.startsWith(prefix) && /^\d+$/.test(key.slice(prefix.length)))
    );
  };
}
