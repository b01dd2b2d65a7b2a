import type { Pod } from '../../../kube/kinds.ts';
import type { TargetRef } from '../../../kube/selection.ts';
import { isKnownKind } from '../../../kube/kinds.ts';
import type { Manifest, Objection } from '../../../report/preflight.ts';
import type { ObjectRef } from '../../../report/report.ts';
import { PodCase } from '../../../facts/pod/pod-case.ts';
import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { placedVolumes } from '../../../facts/volume/volume-reach.ts';
import { planManifests } from '../plan.ts';
import type { Entry } from '../plan.ts';
import { Rehearsal } from '../rehearsal.ts';
import { EligibleNodes } from '../together/eligible-nodes.ts';
import { needsOf } from '../../../graph/unread.ts';
import { podsOfDriver } from './delete-driver.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count } from './leave-node.ts';
import { keyOfRef } from './operation.ts';

const workloads: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Pod'];

/**
 * The manifests as preflight judges them, and then what their changes do to everything else. Returns pods to look at
 * again.
 */
export function applyManifests(f: Future, manifests: readonly Manifest[], namespace: string): readonly Pod[] {
  const plan = planManifests(manifests, namespace, f.world);
  f.need(needsOf(plan.unanswered));
  const imagined = new Set(
    plan.entries.flatMap(({ ref, existing, parts }) => [
      ...(existing ? [] : [keyOfRef(ref)]),
      ...parts.filter(({ isThere }) => !isThere).map((part) => keyOfRef(part.ref)),
    ]),
  );
  const targets = plan.entries.flatMap(targetsOf);
  const rehearsal = new Rehearsal(f.world, targets, (object) => imagined.has(keyOfRef(object)));
  rehearsal.run();
  f.need(rehearsal.needs);
  for (const entry of plan.entries) tellEntry(f, entry, rehearsal);
  const drivers = manifests
    .filter(({ object }) => object.kind === 'CSIDriver')
    .map(({ object }) => object.metadata.name);
  if (manifests.some(({ object }) => object.kind === 'Node')) judgeReach(f);
  const skipped = Object.entries(plan.skipped).filter(([kind]) => kind !== 'Node');
  if (skipped.length > 0)
    f.unforeseen.add(
      `What other objects of these manifests do: ${skipped.map(([kind, number]) => `${kind} ${number}`).join(', ')}.`,
    );
  return drivers.flatMap((driver) => podsOfDriver(f, driver));
}

function targetsOf(entry: Entry): TargetRef[] {
  if (entry.refusal) return [];
  const parts = entry.parts.filter(({ isThere, refusal }) => !isThere && !refusal).map(({ ref }) => ref);
  const isOwn = entry.parts.length === 0 && isKnownKind(entry.ref.kind) && !workloads.includes(entry.ref.kind);
  return [...(isOwn ? [entry.ref] : []), ...parts] as TargetRef[];
}

function tellEntry(f: Future, entry: Entry, rehearsal: Rehearsal): void {
  const { ref, existing, changes, refusal, parts } = entry;
  const place = `${entry.manifest.place.file}:${entry.manifest.place.line}`;
  const refusals = [
    ...(refusal ? [{ ref, refusal }] : []),
    ...parts.flatMap((part) => (part.refusal ? [{ ref: part.ref, refusal: part.refusal }] : [])),
  ];
  for (const one of refusals) addObjection(f, 'refused', [one.ref], rehearsal.objectionOf(one.refusal), place);
  const failing = targetsOf(entry).filter((target) => rehearsal.outcomeOf(target).status === 'wouldFail');
  const [first] = failing;
  const objection = first && rehearsal.outcomeOf(first).objection;
  if (objection) addObjection(f, first.kind === 'Pod' ? 'cannot-start' : 'broken', failing, objection, place);
  if (refusals.length > 0 || objection) return;
  const words = existing ? `would be changed (${changes.map(({ path }) => path).join(', ')})` : 'would be created';
  f.add({
    effect: 'changes',
    severity: 'notice',
    summary:
      existing && changes.length === 0
        ? `${ref.kind} ${ref.name} is as the manifest has it (${place}).`
        : `${ref.kind} ${ref.name} ${words}, with no problem found (${place}).`,
    objects: [ref],
  });
}

function addObjection(
  f: Future,
  effect: 'refused' | 'cannot-start' | 'broken',
  objects: readonly ObjectRef[],
  { cause, confidence, summary, evidence, fix }: Objection,
  place: string,
): void {
  f.add({ effect, severity: 'breaks', cause, confidence, summary: `${summary} (${place})`, objects, evidence, fix });
}

/** A changed node label: pods stay where they are, but some may find no node the next time they start. */
function judgeReach(f: Future): void {
  const before = new EligibleNodes(f.before);
  const ask = f.world.inquire();
  const after = new EligibleNodes(ask);
  const lost = f.before.seen('Pod').filter((pod) => {
    if (!pod.spec?.nodeName || isTerminated(pod)) return false;
    const now = ask.graph.find('Pod', pod.metadata.namespace, pod.metadata.name);
    if (!now) return false;
    return after.of(new PodCase(ask, now)).nodes.length === 0 && before.of(new PodCase(f.before, pod)).nodes.length > 0;
  });
  const byVolume = Map.groupBy(lost, (pod) => placedVolumes(new PodCase(f.before, pod)).length > 0);
  for (const [hasVolumes, pods] of byVolume)
    f.add({
      effect: 'cannot-restart',
      severity: 'breaks',
      cause: hasVolumes ? 'sched-volume-node-affinity' : 'wffc-pod-unschedulable-other',
      confidence: 'likely',
      summary:
        `${count(pods.length, 'pod')} ${pods.length === 1 ? 'keeps' : 'keep'} running, but could not start ` +
        `again: with the new labels no node ${hasVolumes ? 'reaches the volumes' : 'fits'}.`,
      objects: pods.map(plainRef),
    });
}
