import type { Volume } from '../../kube/kinds.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { chooseVolume, matchVolume } from '../../facts/volume/volume-match.ts';
import { bindTo, makeVolume, runOn, selectNode, takeSnapshot } from './imagine.ts';
import type { Outcomes } from './outcomes.ts';
import { placePod, Reservations } from './placement.ts';
import type { Placement } from './placement.ts';
import { noProvisionerWarning, noSnapshotterWarning } from './warnings.ts';
import type { World } from './world.ts';

/** What the steps of one round share, because it does not show in the objects yet. */
class Round {
  readonly reservations = new Reservations();
  /** Claims that a pod of this round was placed with: they are bound in the next. */
  readonly placedClaims = new Set<string>();
  /** ReadWriteOncePod claims that a pod of this round uses. */
  readonly exclusiveClaims = new Set<string>();
}

/**
 * One step of the volume controller, the provisioner, the scheduler and the snapshotter for each object that can take
 * one.
 */
export class ControllerSteps {
  readonly #world: World;
  readonly #outcomes: Outcomes;
  /** The node chosen for a pod whose claims are not bound yet. */
  readonly #chosenNodes = new Map<string, string>();

  constructor(world: World, outcomes: Outcomes) {
    this.#world = world;
    this.#outcomes = outcomes;
  }

  /** Whether any object took a step. */
  takeAll(targets: readonly TargetRef[], ask: Inquiry): boolean {
    const round = new Round();
    const pods = targets
      .flatMap(({ kind, namespace, name }) => (kind === 'Pod' ? (ask.graph.find('Pod', namespace, name) ?? []) : []))
      .map((pod) => new PodCase(ask, pod));
    // `filter` and not `some`: every object takes its step.
    const moved = [
      ...claimsOf(targets, pods, ask).filter((claim) => this.#moveClaim(claim, round)),
      ...pods.filter((pod) => this.#movePod(pod, round)),
      ...targets.filter((target) => this.#moveSnapshot(target, ask)),
    ];
    return moved.length > 0;
  }

  #isRefused({ namespace, name }: ClaimCase): boolean {
    return this.#outcomes.wouldFail({ kind: 'PersistentVolumeClaim', namespace, name });
  }

  #moveClaim(c: ClaimCase, { reservations }: Round): boolean {
    const isRefused = this.#isRefused(c);
    if (!isPresent(c) || isRefused || c.isBound || c.isLost) return false;
    const named = c.namesVolume ? findNamedVolume(c) : c.reservedVolumes[0];
    if (named) return this.#bind(c, named);
    if (c.namesVolume || c.isDelayed === undefined || (c.isDelayed && c.selectedNode === undefined)) return false;
    const chosen = chooseVolume(
      fittingVolumes(c),
      c.claim,
      { by: 'search' },
      { isDelayed: c.isDelayed, taken: reservations.volumes },
    );
    if (chosen) {
      reservations.volumes.add(chosen.metadata.name);
      return this.#bind(c, chosen);
    }
    if (c.provisioner === undefined) return false;
    const ref = { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name };
    this.#outcomes.warn(ref, noProvisionerWarning(c));
    makeVolume(c, this.#world);
    return true;
  }

  #bind(c: PresentClaim, volume: Volume): true {
    bindTo(c, volume.metadata.name, this.#world);
    return true;
  }

  #movePod(p: PodCase, round: Round): boolean {
    const { namespace, name } = p.pod.metadata;
    const raw = this.#world.get('Pod', namespace, name);
    const exclusive = exclusiveClaimsOf(p);
    if (!raw || !this.#isSchedulable(p, round) || exclusive.some((claim) => round.exclusiveClaims.has(claim)))
      return false;
    const chosen = this.#chosenNodes.get(keyOf(p.pod.metadata));
    if (chosen === undefined && !this.#schedule(p, raw, round)) return false;
    if (chosen !== undefined) runOn(raw, chosen, this.#world);
    for (const claim of exclusive) round.exclusiveClaims.add(claim);
    return true;
  }

  /** All claims of the pod are bound, or wait for the scheduler. */
  #isSchedulable(p: PodCase, { placedClaims }: Round): boolean {
    if (p.isScheduled || (p.pod.spec?.schedulingGates ?? []).length > 0) return false;
    return p.claims.every((claim) => {
      if (!isPresent(claim)) return false;
      if (claim.isBound) return true;
      if (claim.isDelayed !== true || this.#isRefused(claim)) return false;
      return claim.selectedNode === undefined && !placedClaims.has(keyOf(claim));
    });
  }

  #schedule(p: PodCase, raw: RawObject, round: Round): boolean {
    const placement = placePod(p, round.reservations);
    if (!placement) return false;
    this.#outcomes.of({ kind: 'Pod', ...p.pod.metadata }).without = placement.without;
    if (p.claims.every((claim) => claim.isBound)) runOn(raw, placement.node, this.#world);
    else this.#prepareVolumes(p, placement, round);
    return true;
  }

  /** The pod runs only when its claims are bound, in a later round. */
  #prepareVolumes(p: PodCase, { node, volumes }: Placement, { placedClaims }: Round): void {
    this.#chosenNodes.set(keyOf(p.pod.metadata), node);
    for (const { claim, volume } of volumes) {
      placedClaims.add(keyOf(claim));
      if (volume) bindTo(claim, volume.metadata.name, this.#world);
      else selectNode(claim, node, this.#world);
    }
  }

  #moveSnapshot(target: TargetRef, ask: Inquiry): boolean {
    const { kind, namespace, name } = target;
    const snapshot = kind === 'VolumeSnapshot' ? ask.graph.find(kind, namespace, name) : undefined;
    if (!snapshot || snapshot.status?.readyToUse === true) return false;
    this.#outcomes.warn(target, noSnapshotterWarning(ask, snapshot));
    return takeSnapshot(snapshot, ask, this.#world);
  }
}

/** The claims among the targets, and the claims of the pods, which may exist already and wait for their pods. */
function claimsOf(targets: readonly TargetRef[], pods: readonly PodCase[], ask: Inquiry): ClaimCase[] {
  const claims = [
    ...targets
      .filter(({ kind }) => kind === 'PersistentVolumeClaim')
      .map(({ namespace = '', name }) => new ClaimCase(ask, namespace, name)),
    ...pods.flatMap((pod) => pod.claims),
  ];
  return [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()];
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}

function exclusiveClaimsOf(p: PodCase): string[] {
  return p.claims.filter(({ claim }) => claim?.spec?.accessModes?.includes('ReadWriteOncePod')).map(keyOf);
}

/** The volume that the claim names, if it satisfies the claim. */
function findNamedVolume({ claim, volume }: PresentClaim): Volume | undefined {
  if (volume?.state !== 'found') return undefined;
  return matchVolume(volume.object, claim, { by: 'volumeName' }).failed.length === 0 ? volume.object : undefined;
}

/** Existing volumes, for a claim that is not provisioned on demand. */
function fittingVolumes(c: PresentClaim): readonly Volume[] {
  return c.isStatic === true ? nearMissesOf(c).fitting : [];
}
