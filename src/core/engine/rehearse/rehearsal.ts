import type { Volume } from '../../kube/kinds.ts';
import type { Finding, ObjectRef, ReportItem, Unread } from '../../report/report.ts';
import type { Objection, PreflightStatus } from '../../report/preflight.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, RawObject } from '../../kube/snapshot.ts';
import { diagnose } from '../diagnose.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { needsOf } from '../../graph/unread.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { chooseVolume, matchVolume } from '../../facts/volume/volume-match.ts';
import { fixBeforehand, foreseeableRules, isForeseen } from './foreseeable.ts';
import { bindTo, makeVolume, namesImagined, runOn, selectNode, takeSnapshot, withoutUids } from './imagine.ts';
import { nowhereObjection } from './nowhere.ts';
import { Given, obstaclesOf, placePod } from './placement.ts';
import type { Placement } from './placement.ts';
import { member } from './templates.ts';
import { classTrouble, noProvisionerWarning, noSnapshotterWarning } from './warnings.ts';
import type { World } from './world.ts';

/** What would become of one claim, pod or other object. */
export interface Outcome {
  status: PreflightStatus;
  note: string;
  objection?: Objection;
  readonly warnings: Objection[];
  readonly unread: Unread[];
  /** Fitting nodes where a driver of the pod is missing. */
  without: Placement['without'];
}

/** claim → schedule → provision → bind → run: no journey has more steps than this. */
const mostRounds = 16;

/**
 * Plays through what the controllers would do, step by step, on imagined objects: what has nothing against it is moved
 * on, as the scheduler and the binder would, until something stands against it or it is mounted.
 */
export class Rehearsal {
  readonly outcomes = new Map<string, Outcome>();
  readonly needs: Need[] = [];
  readonly #world: World;
  readonly #isImagined: (object: ObjectRef) => boolean;
  readonly #plans = new Map<string, string>();
  readonly #touched = new Set<string>();
  readonly #targets: readonly TargetRef[];
  #open: TargetRef[];

  constructor(world: World, targets: readonly TargetRef[], isImagined: (object: ObjectRef) => boolean) {
    this.#world = world;
    this.#targets = targets;
    this.#open = [...targets];
    this.#isImagined = isImagined;
  }

  run(): void {
    let isForced = false;
    for (let round = 0; round < mostRounds && this.#open.length > 0; round += 1) {
      const waiting = isForced ? [] : this.#open.filter((target) => this.#waitsForAnother(target));
      const targets = this.#open.filter((target) => !waiting.includes(target));
      const { report, needs } = diagnose(this.#world.snapshot, { targets }, foreseeableRules);
      this.needs.push(...needs);
      for (const item of report.items) this.#take(item);
      this.#open = targets.filter((target) => !['wouldFail', 'wouldWait'].includes(this.outcomeOf(target).status));
      const hasMoved = this.#moveOn();
      this.#open.push(...waiting);
      if (!hasMoved && (isForced || waiting.length === 0)) break;
      // Whoever waits for something that does not come is judged as it stands.
      isForced = !hasMoved;
    }
    for (const { kind, namespace, name } of this.#open) if (kind === 'Pod') this.#leaveBehind(namespace, name);
    for (const target of this.#targets)
      if (target.kind === 'PersistentVolumeClaim' && this.outcomeOf(target).status === 'wouldWait')
        this.#warnOfClass(target);
  }

  /** A copy of a claim, or a snapshot of it, is looked at once its source has come as far as it will. */
  #waitsForAnother({ kind, namespace, name }: TargetRef): boolean {
    const source = sourceOf(this.#world.get(kind, namespace, name));
    return (
      source !== undefined &&
      this.#open.some(
        (other) => other.kind === source.kind && other.name === source.name && other.namespace === namespace,
      )
    );
  }

  /** A pod that went nowhere though no single rule could prove it: each node has its own reason. */
  #leaveBehind(namespace: string | undefined, name: string): void {
    const ask = this.#world.inquire();
    const pod = ask.graph.find('Pod', namespace, name);
    const outcome = this.outcomeOf({ kind: 'Pod', ...(namespace !== undefined && { namespace }), name });
    if (!pod || pod.spec?.nodeName || (pod.spec?.schedulingGates ?? []).length > 0) return;
    const subject = new PodCase(ask, pod);
    if (!subject.claims.every((claim) => isPresent(claim) && (claim.isBound || claim.isDelayed === true))) return;
    const nodes = ask.list('Node', undefined, `which nodes could take pod/${name}`);
    const obstacles = obstaclesOf(subject);
    if (!nodes.complete || nodes.items.length === 0 || obstacles.length < nodes.items.length) return;
    const objection = nowhereObjection(subject, obstacles);
    Object.assign(outcome, { status: 'wouldFail', objection, note: objection.summary });
  }

  outcomeOf({ kind, namespace, name }: ObjectRef): Outcome {
    const key = `${kind}|${namespace ?? ''}|${name}`;
    const known = this.outcomes.get(key) ?? { status: 'ok', note: '', warnings: [], unread: [], without: [] };
    this.outcomes.set(key, known);
    return known;
  }

  #take(item: ReportItem): void {
    const outcome = this.outcomeOf(item.target);
    for (const finding of item.findings) {
      const isDoubt = finding.role === 'cause' && finding.severity === 'blocking' && !isForeseen(finding);
      const isAdvice = finding.role === 'advice' && finding.severity === 'warning';
      if ((isDoubt || isAdvice) && finding.cause !== 'blocked-unexplained') this.#warn(item.target, finding);
    }
    const cause = item.findings.find(({ role }) => role === 'cause');
    if (item.status === 'blocked' && cause && cause.cause !== 'blocked-unexplained' && isForeseen(cause)) {
      Object.assign(outcome, {
        status: 'wouldFail',
        objection: this.objectionOf(cause),
        note: withoutUids(item.summary),
      });
      return;
    }
    if (item.status === 'waiting' && cause && cause.cause !== 'in-progress') {
      Object.assign(outcome, {
        status: 'wouldWait',
        objection: this.objectionOf(cause),
        note: withoutUids(item.summary),
      });
      return;
    }
    // What comes after scheduling is for the driver to say; what could not be read of it leaves nothing open here.
    const isDoubted = item.status === 'blocked' && cause !== undefined && !isForeseen(cause);
    if ((item.status !== 'unknown' && !isDoubted) || item.stage === 'attach' || item.stage === 'mount') return;
    // Nothing has been said of what does not exist yet.
    const unread = item.unread.filter(({ resource, reason }) => resource !== 'events' && reason !== 'absent');
    outcome.unread.push(
      ...unread.filter(
        (entry) =>
          !outcome.unread.some(({ resource, needed }) => resource === entry.resource && needed === entry.needed),
      ),
    );
    if (unread.length > 0) outcome.status = 'unknown';
  }

  /** The finding as it is told beforehand. */
  objectionOf({ cause, stage, confidence, summary, evidence, fix }: Objection | Finding): Objection {
    return {
      cause,
      stage,
      confidence,
      summary: withoutUids(summary),
      evidence: evidence
        .filter(({ value }) => !namesImagined(value))
        .map(({ object: { uid: _uid, ...object }, path, value }) => ({
          object,
          ...(path !== undefined && { path }),
          ...(value !== undefined && { value }),
        })),
      fix: fix.map((step) => fixBeforehand(step, this.#isImagined)),
    };
  }

  /** One step for each that can take one; whether any did. */
  #moveOn(): boolean {
    const ask = this.#world.inquire();
    this.#touched.clear();
    const given = new Given();
    let moved = false;
    const pods = this.#open
      .flatMap(({ kind, namespace, name }) => (kind === 'Pod' ? (ask.graph.find('Pod', namespace, name) ?? []) : []))
      .map((pod) => new PodCase(ask, pod));
    // The pods may also use claims that are there already and wait for them.
    const claims = [
      ...this.#open
        .filter(({ kind }) => kind === 'PersistentVolumeClaim')
        .map(({ namespace = '', name }) => new ClaimCase(ask, namespace, name)),
      ...pods.flatMap((pod) => pod.claims),
    ];
    for (const claim of new Map(claims.map((each) => [`${each.namespace}/${each.name}`, each])).values()) {
      const isRefused =
        this.outcomeOf({ kind: 'PersistentVolumeClaim', namespace: claim.namespace, name: claim.name }).status ===
        'wouldFail';
      if (isPresent(claim) && !isRefused && this.#moveClaim(claim, given)) moved = true;
    }
    const held = new Set<string>();
    for (const pod of pods) if (this.#movePod(pod, given, held)) moved = true;
    for (const target of this.#open) if (this.#moveSnapshot(target, ask)) moved = true;
    this.needs.push(...needsOf(ask.unanswered));
    this.#open = this.#open.filter(
      ({ kind, namespace, name }) =>
        kind === 'Pod' ||
        (kind === 'PersistentVolumeClaim' && !isBoundIn(this.#world, namespace, name)) ||
        (kind === 'VolumeSnapshot' && isBeingTaken(this.#world, namespace, name)),
    );
    return moved;
  }

  #warnOfClass(target: TargetRef): void {
    const { objections, needs } = classTrouble(
      this.#world.get(target.kind, target.namespace, target.name),
      this.#world.snapshot,
    );
    for (const objection of objections) this.#warn(target, objection);
    this.needs.push(...needs);
  }

  #moveSnapshot(target: TargetRef, ask: Inquiry): boolean {
    const { kind, namespace, name } = target;
    const snapshot = kind === 'VolumeSnapshot' ? ask.graph.find(kind, namespace, name) : undefined;
    if (!snapshot || snapshot.status?.readyToUse === true) return false;
    this.#warn(target, noSnapshotterWarning(ask, snapshot));
    return takeSnapshot(snapshot, ask, this.#world);
  }

  #warn(ref: ObjectRef, doubt: Objection | Finding | undefined): void {
    const { warnings } = this.outcomeOf(ref);
    if (doubt && !warnings.some(({ cause }) => cause === doubt.cause)) warnings.push(this.objectionOf(doubt));
  }

  #moveClaim(c: PresentClaim, given: Given): boolean {
    if (c.isBound || c.isLost) return false;
    const named = c.namesVolume
      ? c.volume?.state === 'found' && matchVolume(c.volume.object, c.claim, { by: 'volumeName' }).failed.length === 0
        ? c.volume.object
        : undefined
      : c.reservedVolumes[0];
    if (named) {
      bindTo(c, named.metadata.name, this.#world);
      return true;
    }
    if (c.namesVolume || c.isDelayed === undefined || (c.isDelayed && c.selectedNode === undefined)) return false;
    const chosen = chooseVolume(
      nearFitting(c),
      c.claim,
      { by: 'search' },
      { isDelayed: c.isDelayed, taken: given.volumes },
    );
    if (chosen) {
      given.volumes.add(chosen.metadata.name);
      bindTo(c, chosen.metadata.name, this.#world);
      return true;
    }
    if (c.provisioner === undefined) return false;
    this.#warn({ kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name }, noProvisionerWarning(c));
    makeVolume(c, this.#world);
    return true;
  }

  #movePod(p: PodCase, given: Given, held: Set<string>): boolean {
    if (p.isScheduled || (p.pod.spec?.schedulingGates ?? []).length > 0) return false;
    if (
      !p.claims.every(
        (claim) =>
          isPresent(claim) &&
          (claim.isBound ||
            (claim.isDelayed === true &&
              this.outcomeOf({ kind: 'PersistentVolumeClaim', namespace: claim.namespace, name: claim.name }).status !==
                'wouldFail')),
      )
    )
      return false;
    const unbound = p.claims.filter((claim): claim is PresentClaim => isPresent(claim) && !claim.isBound);
    // A claim that another pod of this round has had placed is bound in the next.
    if (
      unbound.some((claim) => claim.selectedNode !== undefined || this.#touched.has(`${claim.namespace}/${claim.name}`))
    )
      return false;
    const exclusive = p.claims
      .filter((claim) => claim.claim?.spec?.accessModes?.includes('ReadWriteOncePod'))
      .map((claim) => `${claim.namespace}/${claim.name}`);
    if (exclusive.some((claim) => held.has(claim))) return false;
    const key = `${p.pod.metadata.namespace ?? ''}/${p.pod.metadata.name}`;
    const raw = this.#world.get('Pod', p.pod.metadata.namespace, p.pod.metadata.name);
    const planned = this.#plans.get(key);
    if (planned !== undefined && raw) {
      for (const claim of exclusive) held.add(claim);
      runOn(raw, planned, this.#world);
      return true;
    }
    const placement = placePod(p, given);
    if (!placement || !raw) return false;
    for (const claim of exclusive) held.add(claim);
    this.outcomeOf({ kind: 'Pod', ...p.pod.metadata }).without = placement.without;
    if (unbound.length === 0) runOn(raw, placement.node, this.#world);
    else {
      this.#plans.set(key, placement.node);
      for (const { claim, volume } of placement.volumes) {
        this.#touched.add(`${claim.namespace}/${claim.name}`);
        if (volume) bindTo(claim, volume.metadata.name, this.#world);
        else selectNode(claim, placement.node, this.#world);
      }
    }
    return true;
  }
}

/** Existing volumes come before new ones; where volumes are made on demand only those at hand are looked at. */
function nearFitting(c: PresentClaim): readonly Volume[] {
  return c.isStatic === true ? nearMissesOf(c).fitting : [];
}

/** What a claim is filled from, or a snapshot is taken of. */
function sourceOf(object: RawObject | undefined): { readonly kind: string; readonly name: string } | undefined {
  if (object?.kind === 'VolumeSnapshot') {
    const name = member(object, 'spec', 'source', 'persistentVolumeClaimName');
    return typeof name === 'string' ? { kind: 'PersistentVolumeClaim', name } : undefined;
  }
  if (object?.kind !== 'PersistentVolumeClaim') return undefined;
  const source = member(object, 'spec', 'dataSourceRef') ?? member(object, 'spec', 'dataSource');
  const [kind, name] = [member(source, 'kind'), member(source, 'name')];
  return typeof kind === 'string' && typeof name === 'string' && member(source, 'namespace') === undefined
    ? { kind, name }
    : undefined;
}

function isBeingTaken(world: World, namespace: string | undefined, name: string): boolean {
  return member(world.get('VolumeSnapshot', namespace, name), 'status', 'readyToUse') === false;
}

function isBoundIn(world: World, namespace: string | undefined, name: string): boolean {
  return member(world.get('PersistentVolumeClaim', namespace, name), 'status', 'phase') === 'Bound';
}
