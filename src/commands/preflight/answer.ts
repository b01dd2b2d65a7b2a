import { planManifests } from '../../core/engine/rehearse/plan.ts';
import type { Entry } from '../../core/engine/rehearse/plan.ts';
import { Rehearsal } from '../../core/engine/rehearse/rehearsal.ts';
import { World } from '../../core/engine/rehearse/world.ts';
import { needsOf } from '../../core/graph/unread.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { claimNamesOf } from '../../core/graph/cluster-graph.ts';
import { describeUnread, needsOf } from '../../core/graph/unread.ts';
import { droppedSource } from '../../core/engine/rehearse/defaults.ts';
import { describeMade } from './describe.ts';
import { lineOf } from './lines.ts';
import { planManifests, refTo } from '../../core/engine/rehearse/plan.ts';
import type { Entry, Part } from '../../core/engine/rehearse/plan.ts';
import { Rehearsal } from '../../core/engine/rehearse/rehearsal.ts';
import type { Outcome } from '../../core/engine/rehearse/rehearsal.ts';
import { sharedClaimWarning, strayNodesWarning } from '../../core/engine/rehearse/warnings.ts';
import { member, podShapeOf } from '../../core/engine/rehearse/templates.ts';
import { World } from '../../core/engine/rehearse/world.ts';

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
