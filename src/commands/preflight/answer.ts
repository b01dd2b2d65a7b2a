import { planManifests } from '../../core/engine/rehearse/plan.ts';
import type { Entry } from '../../core/engine/rehearse/plan.ts';
import { Rehearsal } from '../../core/engine/rehearse/rehearsal.ts';
import { World } from '../../core/engine/rehearse/world.ts';
import { needsOf } from '../../core/graph/unread.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import type { Manifest, PreflightReport, PreflightStatus } from '../../core/report/preflight.ts';
import { claimsUsedBy, Judge, keyOf } from './judge.ts';

interface PreflightAnswer {
  readonly report: PreflightReport;
  readonly needs: readonly Need[];
}

/** Whether what these manifests ask for would work on a cluster as the snapshot has it. Nothing is created anywhere. */
export function preflight(snapshot: Snapshot, manifests: readonly Manifest[], namespace: string): PreflightAnswer {
  const world = new World(snapshot);
  const plan = planManifests(manifests, namespace, world);
  const imagined = new Set(plan.entries.flatMap(imaginedKeys));
  const rehearsal = new Rehearsal(world, plan.entries.flatMap(targetsOf), (object) => imagined.has(keyOf(object)));
  rehearsal.run();
  const judge = new Judge(plan.entries, rehearsal, world);
  const items = plan.entries.map((entry) => judge.itemOf(entry));
  const count = (status: PreflightStatus): number => items.filter((item) => item.status === status).length;
  const needs = new Map(
    [...needsOf(plan.unanswered), ...rehearsal.needs].map((need) => [scopeKey(need.kind, need.scope), need]),
  );
  return {
    needs: [...needs.values()],
    report: {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'PreflightReport',
      takenAt: snapshot.takenAt,
      source: snapshot.source,
      items,
      skipped: plan.skipped,
      summary: {
        ok: count('ok'),
        wouldWait: count('wouldWait'),
        wouldFail: count('wouldFail'),
        unknown: count('unknown'),
        skipped: Object.values(plan.skipped).reduce((sum, each) => sum + each, 0),
      },
    },
  };
}

/** What does not exist in the cluster yet. */
function imaginedKeys({ ref, existing, parts }: Entry): string[] {
  return [...(existing ? [] : [keyOf(ref)]), ...parts.filter(({ isThere }) => !isThere).map((part) => keyOf(part.ref))];
}

const workloadKinds: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Pod'];

/** Everything to rehearse: neither what the server would refuse, nor pods that need it. */
function targetsOf(entry: Entry): TargetRef[] {
  if (entry.refusal) return [];
  const refused = new Set(entry.parts.filter(({ refusal }) => refusal).map(({ ref }) => ref.name));
  const parts = entry.parts.filter(
    (part) =>
      !part.isThere &&
      !part.refusal &&
      !(part.ref.kind === 'Pod' && claimsUsedBy(part).some((name) => refused.has(name))),
  );
  const isOwnTarget =
    entry.parts.length === 0 && isKnownKind(entry.ref.kind) && !workloadKinds.includes(entry.ref.kind);
  return [...(isOwnTarget ? [entry.ref] : []), ...parts.map(({ ref }) => ref)] as TargetRef[];
}
