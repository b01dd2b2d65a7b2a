import { isKnownKind } from '../../kube/kinds.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, RawObject, Snapshot } from '../../kube/snapshot.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Fix, FixOutcome, ObjectRef, ReportItem } from '../../report/report.ts';
import { diagnose } from '../diagnose.ts';
import { Rehearsal } from '../rehearse/rehearsal.ts';
import { listOf, member } from '../rehearse/templates.ts';
import { World } from '../rehearse/world.ts';
import { playCommands } from './play-commands.ts';
import type { ParseManifests } from './play-commands.ts';
import { deadAttacherOf } from './dead-attacher.ts';
import { settle, withoutHistory } from './settle.ts';

/**
 * Whether the objects alone prove the cause. A cause that only an event or an error shows cannot be rehearsed: after
 * any change it would seem to be gone.
 */
export function isProvenByObjects(
  snapshot: Snapshot,
  { target, cause }: Pick<ReportItem, 'target' | 'cause'>,
): boolean {
  if (!isKnownKind(target.kind)) return false;
  const [item] = diagnose(settled(snapshot), { targets: [targetOf(target)] }).report.items;
  const finding = item?.findings.find(({ role }) => role === 'cause');
  return item?.status === 'blocked' && item.cause === cause && finding?.confidence === 'certain';
}

const settledSnapshots = new WeakMap<Snapshot, Snapshot>();

/** The cluster without any change of ours, once the controllers have done what they do on their own. */
function settled(snapshot: Snapshot): Snapshot {
  const known = settledSnapshots.get(snapshot);
  if (known) return known;
  const world = new World(withoutHistory(snapshot));
  settle(world, snapshot);
  settledSnapshots.set(snapshot, world.snapshot);
  return world.snapshot;
}

type Stuck = Pick<ReportItem, 'target' | 'cause' | 'stage'>;

/**
 * A copy of the cluster on which the commands of a fix were played; undefined where they change nothing or cannot be
 * played.
 */
export function playFix(snapshot: Snapshot, fix: Fix, parse: ParseManifests): World | undefined {
  const commands = commandsOf(fix);
  if (commands.length === 0) return undefined;
  const world = new World(withoutHistory(snapshot));
  return playCommands(commands, world, parse) === 'changed' ? world : undefined;
}

/**
 * The diagnosis of a target after the commands of a fix have run: they are applied to a copy of the snapshot, then the
 * controllers' next steps, and the result is judged again. Undefined if that cannot be known; what would have to be
 * read to know it is added to `needs`.
 */
export function foreseeFix(
  snapshot: Snapshot,
  item: Stuck,
  fix: Fix,
  { parse, needs = [] }: { readonly parse: ParseManifests; readonly needs?: Need[] },
): FixOutcome | undefined {
  const world = isKnownKind(item.target.kind) ? playFix(snapshot, fix, parse) : undefined;
  return world && foreseeOutcome(snapshot, item, world, needs);
}

/** The outcome on a world that `playFix` has changed. */
export function foreseeOutcome(
  snapshot: Snapshot,
  { target, cause, stage }: Stuck,
  world: World,
  needs: Need[] = [],
): FixOutcome | undefined {
  settle(world, snapshot);
  if (!world.get(target.kind, target.namespace, target.name))
    return outcomeOfAbsence(world, target, { cause, isToBeDeleted: stage === 'delete' });
  return isRehearsed(target) ? rehearse(world, target, needs) : judgeAgain(world, target);
}

const isRehearsed = ({ kind }: ObjectRef): boolean => kind === 'PersistentVolumeClaim' || kind === 'Pod';

/**
 * An object that was needed only by something that was being deleted is gone. Otherwise only a cause that still holds
 * can be reported.
 */
function outcomeOfAbsence(
  world: World,
  target: ObjectRef,
  { cause, isToBeDeleted }: { readonly cause: string | undefined; readonly isToBeDeleted: boolean },
): FixOutcome | undefined {
  const [item] = diagnose(world.snapshot, { targets: [targetOf(target)] }).report.items;
  if (item === undefined)
    return isToBeDeleted ? { status: 'healthy', summary: `${nameOf(target)} is gone.` } : undefined;
  return item.status === 'blocked' && item.cause === cause ? toOutcome(item) : undefined;
}

function rehearse(world: World, target: ObjectRef, needs: Need[]): FixOutcome | undefined {
  const wasBound = member(world.get(target.kind, target.namespace, target.name), 'status', 'phase') === 'Bound';
  const targets = [target, ...relatives(world, target)].map(targetOf);
  const rehearsal = new Rehearsal(world, targets, () => false);
  rehearsal.run();
  needs.push(...rehearsal.needs);
  const { status, objection, warnings } = rehearsal.outcomeOf(target);
  const doubt = warnings.find(({ confidence }) => confidence === 'certain');
  if (status === 'unknown') return undefined;
  if (status === 'wouldWait') return { status: 'waiting', ...said(objection) };
  const obstacle = objection ?? doubt;
  // What the resizer and the kubelet wrote about the last attempt does not apply to the one after the change.
  if (obstacle?.stage === 'expand') return undefined;
  if (obstacle) return { status: 'blocked', ...said(obstacle) };
  const again = judgeAgain(world, target);
  if (again?.status === 'blocked') return again;
  // A promise that rests on something unread is none.
  if (rehearsal.needs.length > 0) return undefined;
  const success: FixOutcome = { status: 'healthy', summary: successOf(world, target, wasBound) };
  // A claim that is bound by the fix is well, whatever its pods wait for.
  const isAboutPods = target.kind === 'Pod' || wasBound;
  return (isAboutPods ? deadAttacherOf(world, podsIn(world, targets)) : undefined) ?? success;
}

function podsIn(world: World, targets: readonly TargetRef[]): RawObject[] {
  return targets.flatMap(({ kind, namespace, name }) =>
    kind === 'Pod' ? (world.get('Pod', namespace, name) ?? []) : [],
  );
}

/** All rules on the world as it is now: what they still prove is still true. */
function judgeAgain(world: World, target: ObjectRef): FixOutcome | undefined {
  const [item] = diagnose(world.snapshot, { targets: [targetOf(target)] }).report.items;
  if (item === undefined || item.status === 'unknown' || item.cause === 'blocked-unexplained') return undefined;
  if (item.status === 'healthy') return { status: 'healthy', summary: successOf(world, target) };
  // How long a controller has been trying does not apply to the time after the change.
  if (item.stage === 'expand') return undefined;
  const finding = item.findings.find(({ role }) => role === 'cause');
  return finding?.confidence === 'certain' && item.cause !== 'in-progress' ? toOutcome(item) : undefined;
}

function toOutcome({ status, cause, summary }: ReportItem): FixOutcome {
  return { status, ...(cause !== undefined && { cause }), summary };
}

function said(objection: { readonly cause: string; readonly summary: string } | undefined): Omit<FixOutcome, 'status'> {
  return objection ? { cause: objection.cause, summary: objection.summary } : { summary: '' };
}

/** The pods of a claim, and the claims of a pod: one cannot continue without the other. */
function relatives(world: World, { kind, namespace, name }: ObjectRef): ObjectRef[] {
  const pods = world
    .ofKind('Pod')
    .filter((pod) => pod.metadata.namespace === namespace && member(pod, 'status', 'phase') === 'Pending');
  if (kind === 'PersistentVolumeClaim') return pods.filter((pod) => claimsOf(pod).includes(name)).map(refOf);
  const pod = world.get('Pod', namespace, name);
  return claimsOf(pod).flatMap((claim) => {
    const object = world.get('PersistentVolumeClaim', namespace, claim);
    return object ? refOf(object) : [];
  });
}

function claimsOf(pod: RawObject | undefined): string[] {
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume) => {
    const name = member(volume, 'persistentVolumeClaim', 'claimName');
    return typeof name === 'string' ? [name] : [];
  });
}

function successOf(world: World, target: ObjectRef, wasBound = false): string {
  const object = world.get(target.kind, target.namespace, target.name);
  const name = nameOf(target);
  if (target.kind === 'PersistentVolumeClaim') return wasBound ? `${name} is no longer stuck.` : `${name} is bound.`;
  const node = member(object, 'spec', 'nodeName');
  if (target.kind === 'Pod')
    return typeof node === 'string' ? `${name} starts on ${node}.` : `${name} is scheduled and starts.`;
  return `${name} is no longer stuck.`;
}

const nameOf = ({ kind, name }: ObjectRef): string => `${isKnownKind(kind) ? shortNameOf(kind) : kind}/${name}`;

function refOf({ kind, metadata: { namespace, name } }: RawObject): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}

function targetOf({ kind, namespace, name }: ObjectRef): TargetRef {
  return { kind, ...(namespace !== undefined && { namespace }), name } as TargetRef;
}
