import type { Claim, KubeEvent, Pod, StorageClass, Volume } from '../../kube/kinds.ts';
import type { Inquiry, Listing, Lookup } from '../../graph/inquiry.ts';
import { parseTime } from '../../kube/time.ts';
import {
  bindCompletedAnnotation,
  provisionedByAnnotation,
  selectedNodeAnnotations,
  storageProvisionerAnnotations,
} from './claim-annotations.ts';
import { findConsumers, findUnused } from './claim-consumers.ts';
import { volumesOfClass, volumesReservedFor } from './claimed-volumes.ts';
import { expectationOf, seenExpectationOf } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { findProvisionableSince } from './provisionable-since.ts';
import { isRefusedByNoProvisioner, isSaidDelayed } from './unread-class.ts';
import { isDelayed, noProvisioner, resolveClass } from '../class/storage-class.ts';
import type { ResolvedClass } from '../class/storage-class.ts';

/** The facts about one claim that stages and rules share. Objects are read on first use, never before. */
export class ClaimCase {
  readonly ask: Inquiry;
  readonly namespace: string;
  readonly name: string;
  readonly lookup: Lookup<Claim>;
  #class: ResolvedClass | undefined;
  #storageClass: Lookup<StorageClass> | undefined;
  #byNameOnly: boolean | undefined;
  #volume: Lookup<Volume> | undefined;
  #reserved: readonly Volume[] | undefined;
  #consumers: Listing<Pod> | undefined;
  #expectation: Expectation | undefined;
  #events: Listing<KubeEvent> | undefined;
  /** Functions and their results, alternating: see `once`. */
  readonly #computed: unknown[] = [];

  /** `known` is a claim that is not in the cluster: one that a user could create. */
  constructor(ask: Inquiry, namespace: string, name: string, known?: Claim) {
    this.ask = ask;
    this.namespace = namespace;
    this.name = name;
    this.lookup = known
      ? { state: 'found', object: known }
      : ask.get('PersistentVolumeClaim', namespace, name, `whether pvc/${name} exists and is bound`);
  }

  get claim(): Claim | undefined {
    return this.lookup.state === 'found' ? this.lookup.object : undefined;
  }

  get now(): number {
    return this.ask.now;
  }

  get class(): ResolvedClass {
    return (this.#class ??= this.claim ? resolveClass(this.claim) : { name: '', source: 'none' });
  }

  /** The class object; undefined when the claim names none. */
  get storageClass(): Lookup<StorageClass> | undefined {
    const { name } = this.class;
    return name === ''
      ? undefined
      : (this.#storageClass ??= this.ask.get(
          'StorageClass',
          undefined,
          name,
          `whether class ${name} exists and how it binds`,
        ));
  }

  get storageClassObject(): StorageClass | undefined {
    return this.storageClass?.state === 'found' ? this.storageClass.object : undefined;
  }

  /**
   * WaitForFirstConsumer. A missing class counts as Immediate (component-helpers IsDelayBindingMode); undefined when
   * the class could not be read.
   */
  get isDelayed(): boolean | undefined {
    if (this.storageClass?.state === 'unknown') return isSaidDelayed(this);
    return this.storageClassObject ? isDelayed(this.storageClassObject) : false;
  }

  /** The provisioner of the class; undefined for a class that provisions nothing. */
  get provisioner(): string | undefined {
    const provisioner = this.storageClassObject?.provisioner;
    return provisioner && provisioner !== noProvisioner ? provisioner : undefined;
  }

  /**
   * Only an existing volume can satisfy it: no class, a class that provisions nothing, or a volume chosen in the claim
   * or by a claimRef.
   */
  get isStatic(): boolean | undefined {
    if (this.namesVolume || this.isReserved) return true;
    if (this.class.name === '') return true;
    if (this.storageClass?.state === 'unknown') {
      // Searching the volumes of a class reads all volumes, so the class itself has to be read first.
      if (this.ask.isUnasked('StorageClass', { name: this.class.name })) return undefined;
      return this.isRefusedByNoProvisioner || this.looksStatic || undefined;
    }
    if (this.storageClass?.state === 'missing') return !this.isBound && this.hasClassByNameOnly;
    return this.storageClassObject !== undefined && this.provisioner === undefined;
  }

  /** Static volumes often name a class without an object: the name only ties them to their claims. */
  get hasClassByNameOnly(): boolean {
    return (this.#byNameOnly ??= this.#isClassByNameOnly());
  }

  #isClassByNameOnly(): boolean {
    this.searchVolumes(`whether there are volumes of class ${this.class.name}`);
    return this.#hasStaticVolumes;
  }

  get #hasStaticVolumes(): boolean {
    return volumesOfClass(this.ask, this.class.name).some(
      (volume) => volume.metadata.annotations?.[provisionedByAnnotation] === undefined,
    );
  }

  /**
   * The volumes that the claim could bind. A class that does not exist is proven without them, so not all of them are
   * read for that: only if volumes of that class name exist, where the class is no more than a name, the answer is that
   * no volume fits.
   */
  searchVolumes(needed: string): Listing<Volume> {
    const { name } = this.class;
    return this.storageClass?.state === 'missing' && !this.#hasStaticVolumes
      ? this.ask.someVolumesFor(name, needed)
      : this.ask.volumesFor(name, needed);
  }

  /** The class cannot be read, but it has static volumes, and no provisioner was asked to create one for this claim. */
  get looksStatic(): boolean {
    return !this.isBound && this.askedProvisioner === undefined && this.isDelayed !== true && this.hasClassByNameOnly;
  }

  /** Where classes cannot be read, an event of the controller still shows that this one provisions nothing. */
  get isRefusedByNoProvisioner(): boolean {
    return isRefusedByNoProvisioner(this);
  }

  get isBound(): boolean {
    return this.claim?.status?.phase === 'Bound' && this.volumeName !== '';
  }

  /**
   * Its volume is gone. A claim that was bound once and has no volumeName becomes Lost at the next sync (pv_controller
   * syncBoundClaim).
   */
  get isLost(): boolean {
    return this.claim?.status?.phase === 'Lost' || (this.wasBound && this.volumeName === '');
  }

  /** The controller has bound it once, and never searches a volume for it again. */
  get wasBound(): boolean {
    return this.annotation(bindCompletedAnnotation) !== undefined;
  }

  /**
   * It never had a volume, so no pod has started with it (desired_state_of_world_populator getPVCExtractPV). A running
   * pod uses an earlier claim of that name, and neither the scheduler nor the volume controller considers it for this
   * one (findNonScheduledPodsByPVC).
   */
  get isUntouched(): boolean {
    const { claim } = this;
    return (
      claim !== undefined &&
      claim.status?.phase !== 'Bound' &&
      claim.metadata.deletionTimestamp === undefined &&
      !this.isLost &&
      !this.wasBound
    );
  }

  get volumeName(): string {
    return this.claim?.spec?.volumeName ?? '';
  }

  /** The claim requests one volume by name and was never bound. */
  get namesVolume(): boolean {
    return this.volumeName !== '' && !this.isBound && !this.isLost && !this.wasBound;
  }

  get volume(): Lookup<Volume> | undefined {
    const name = this.volumeName;
    return name === ''
      ? undefined
      : (this.#volume ??= this.ask.get('PersistentVolume', undefined, name, `whether pv/${name} exists`));
  }

  /**
   * Volumes whose claimRef is this claim: reserved, provisioned for it, or bound on one side only. Read only if a
   * reservation explains the wait.
   */
  get reservedVolumes(): readonly Volume[] {
    const { claim } = this;
    if (!claim) return [];
    if (this.isKeptFromProvisioner)
      this.ask.volumesFor(this.class.name, `whether a volume is reserved for pvc/${this.name}`);
    return (this.#reserved ??= volumesReservedFor(this.ask, claim));
  }

  /**
   * An Immediate claim is handed to its provisioner at once, unless a volume names it (pv_controller syncUnboundClaim);
   * this one was not.
   */
  get isKeptFromProvisioner(): boolean {
    return (
      this.isUntouched &&
      this.volumeName === '' &&
      this.provisioner !== undefined &&
      this.isDelayed === false &&
      this.askedProvisioner === undefined
    );
  }

  /** A user has reserved a volume for it: the claimRef of the volume names it without a uid. */
  get isReserved(): boolean {
    return !this.isBound && !this.isLost && this.reservedVolumes.some((volume) => !volume.spec?.claimRef?.uid);
  }

  get request(): string | undefined {
    return this.claim?.spec?.resources?.requests?.['storage'];
  }

  get selectedNode(): string | undefined {
    return this.#firstAnnotation(selectedNodeAnnotations);
  }

  /** The provisioner that the volume controller asked, by its annotation. */
  get askedProvisioner(): string | undefined {
    return this.#firstAnnotation(storageProvisionerAnnotations);
  }

  /** Pods that use the claim and are not terminated, by name. */
  get consumers(): Listing<Pod> {
    return (this.#consumers ??= findConsumers(this));
  }

  /** The pods and sets that need the claim; read only if it does not exist, or may not. */
  get expectation(): Expectation {
    return (this.#expectation ??= (this.#mayBeUnmade() ? expectationOf : seenExpectationOf)(
      this.ask,
      this.namespace,
      this.name,
    ));
  }

  /** Where claims may not be read, the StatefulSet tells that it could not create the claim. */
  #mayBeUnmade(): boolean {
    if (this.lookup.state !== 'unknown') return this.lookup.state === 'missing';
    const { state } = this.ask.graph.coverage.of('PersistentVolumeClaim', {
      namespace: this.namespace,
      name: this.name,
    });
    const isRefused = state === 'denied' || state === 'failed';
    return isRefused && /-\d+$/.test(this.name) && this.ask.graph.podsUsing(this).length === 0;
  }

  /** No pod uses it, as far as is known. */
  get isUnused(): 'certain' | 'likely' | undefined {
    return findUnused(this);
  }

  get events(): Listing<KubeEvent> {
    return (this.#events ??= this.claim ? this.ask.eventsOf(this.claim) : { items: [], complete: true });
  }

  get ageSeconds(): number {
    const created = parseTime(this.claim?.metadata.creationTimestamp);
    return created === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (this.now - created) / 1000);
  }

  /**
   * Since when a provisioner could work on it: a delayed claim waits for its first pod, and any claim for its class.
   */
  get provisionableSince(): string | undefined {
    return this.once(findProvisionableSince);
  }

  /** Computes a value that several rules need once, and keeps it under the function that computes it. */
  once<C extends ClaimCase, T>(this: C, compute: (claim: C) => T): T {
    const computed = this.#computed;
    // A short list is faster than a map: few claims have more than two or three values.
    for (let at = 0; at < computed.length; at += 2) if (computed[at] === compute) return computed[at + 1] as T;
    const result = compute(this);
    computed.push(compute, result);
    return result;
  }

  annotation(name: string): string | undefined {
    return this.claim?.metadata.annotations?.[name];
  }

  #firstAnnotation(names: readonly string[]): string | undefined {
    const { claim } = this;
    for (const name of names) {
      const value = claim?.metadata.annotations?.[name];
      if (value) return value;
    }
    return undefined;
  }
}

export type PresentClaim = ClaimCase & { readonly claim: Claim };

export function isPresent(claim: ClaimCase): claim is PresentClaim {
  return claim.lookup.state === 'found';
}
