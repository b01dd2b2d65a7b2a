import type { Finding, ObjectRef } from '../../report/report.ts';
import type { Objection } from '../../report/preflight.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, RawObject } from '../../kube/snapshot.ts';
import { needsOf } from '../../graph/unread.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { diagnose } from '../diagnose.ts';
import { ControllerSteps } from './controller-steps.ts';
import { foreseeableRules } from './foreseeable.ts';
import { nowhereObjection } from './nowhere.ts';
import { Outcomes } from './outcomes.ts';
import type { Outcome } from './outcomes.ts';
import { obstaclesOf } from './placement.ts';
import { member } from './templates.ts';
import { findClassTrouble } from './warnings.ts';
import type { World } from './world.ts';

export type { Outcome };

/** claim → schedule → provision → bind → run: no journey has more steps than this. */
const mostRounds = 16;

/**
 * Plays through what the controllers would do, step by step, on imagined objects: an object without an objection takes
 * its next step, as the scheduler and the volume controller would take it, until it meets an objection or is mounted.
 */
export class Rehearsal {
  readonly needs: Need[] = [];
  readonly #world: World;
  readonly #outcomes: Outcomes;
  readonly #steps: ControllerSteps;
  readonly #targets: readonly TargetRef[];
  /** Targets that may still take a step. */
  #open: TargetRef[];

  constructor(world: World, targets: readonly TargetRef[], isImagined: (object: ObjectRef) => boolean) {
    this.#world = world;
    this.#outcomes = new Outcomes(isImagined);
    this.#steps = new ControllerSteps(world, this.#outcomes);
    this.#targets = targets;
    this.#open = [...targets];
  }

  outcomeOf(ref: ObjectRef): Outcome {
    return this.#outcomes.of(ref);
  }

  objectionOf(finding: Objection | Finding): Objection {
    return this.#outcomes.objectionOf(finding);
  }

  run(): void {
    let isForced = false;
    for (let round = 0; round < mostRounds && this.#open.length > 0; round += 1) {
      const waiting = isForced ? [] : this.#open.filter((target) => this.#waitsForSource(target));
      const targets = this.#open.filter((target) => !waiting.includes(target));
      this.#judge(targets);
      this.#open = targets.filter((target) => !['wouldFail', 'wouldWait'].includes(this.outcomeOf(target).status));
      const hasMoved = this.#moveOn();
      this.#open.push(...waiting);
      if (!hasMoved && (isForced || waiting.length === 0)) break;
      // What waits for a source that makes no progress is judged as it is.
      isForced = !hasMoved;
    }
    for (const { kind, namespace, name } of this.#open) if (kind === 'Pod') this.#judgeUnplacedPod(namespace, name);
    for (const target of this.#targets)
      if (target.kind === 'PersistentVolumeClaim' && this.outcomeOf(target).status === 'wouldWait')
        this.#warnOfClass(target);
  }

  #judge(targets: readonly TargetRef[]): void {
    const { report, needs } = diagnose(this.#world.snapshot, { targets }, foreseeableRules);
    this.needs.push(...needs);
    for (const item of report.items) this.#outcomes.take(item);
  }

  /** A clone or a snapshot of a claim is judged when its source has come as far as it will. */
  #waitsForSource({ kind, namespace, name }: TargetRef): boolean {
    const source = sourceOf(this.#world.get(kind, namespace, name));
    return (
      source !== undefined &&
      this.#open.some(
        (other) => other.kind === source.kind && other.name === source.name && other.namespace === namespace,
      )
    );
  }

  /** Whether any target took a step. */
  #moveOn(): boolean {
    const ask = this.#world.inquire();
    const hasMoved = this.#steps.takeAll(this.#open, ask);
    this.needs.push(...needsOf(ask.unanswered));
    this.#open = this.#open.filter((target) => this.#canMoveOn(target));
    return hasMoved;
  }

  #canMoveOn({ kind, namespace, name }: TargetRef): boolean {
    const object = this.#world.get(kind, namespace, name);
    if (kind === 'PersistentVolumeClaim') return member(object, 'status', 'phase') !== 'Bound';
    if (kind === 'VolumeSnapshot') return member(object, 'status', 'readyToUse') === false;
    return kind === 'Pod';
  }

  /** A pod that found no node although no single rule proves it: each node has its own reason. */
  #judgeUnplacedPod(namespace: string | undefined, name: string): void {
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

  #warnOfClass(target: TargetRef): void {
    const claim = this.#world.get(target.kind, target.namespace, target.name);
    const { objections, needs } = findClassTrouble(claim, this.#world.snapshot);
    for (const objection of objections) this.#outcomes.warn(target, objection);
    this.needs.push(...needs);
  }
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
