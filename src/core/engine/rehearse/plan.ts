import { isKnownKind } from '../../kube/kinds.ts';
import type { Kind, StorageClass } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import type { Manifest, Objection } from '../../report/preflight.ts';
import type { ObjectRef } from '../../report/report.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { Inquiry, Unanswered } from '../../graph/inquiry.ts';
import { isObjectKind } from '../../facts/object-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { refusedClaim, refusedName, refusedNamespace } from './admission.ts';
import { changesOf, frozenChanges, textOf } from './changes.ts';
import type { Change } from './changes.ts';
import { refusedUpdate } from './claim-update.ts';
import { applied, madeNew, withDefaultClass } from './defaults.ts';
import { imaginedUid } from './imagine.ts';
import { installDriver, runWorkload, sidecarRoles } from './installation.ts';
import {
  claimShapeOf,
  claimsOfPod,
  claimsOfSet,
  isWorkload,
  member,
  podShapeOf,
  podsOf,
  usesStorage,
} from './templates.ts';
import type { Made } from './templates.ts';
import type { World } from './world.ts';

/** A claim or a pod that a manifest makes, or the manifest itself. */
export interface Part extends Made {
  readonly ref: ObjectRef;
  /** It is there already: nothing new would be made. */
  readonly isThere: boolean;
  readonly refusal?: Objection;
}

/** One manifest that is judged, and all that would come of it. */
export interface Entry {
  readonly manifest: Manifest;
  readonly object: RawObject;
  readonly ref: ObjectRef;
  readonly existing: RawObject | undefined;
  readonly changes: readonly Change[];
  readonly refusal: Objection | undefined;
  readonly parts: readonly Part[];
  /** What could not be looked up, and would have to be for an answer. */
  readonly questions: readonly Unanswered[];
}

type Planned = Omit<Entry, 'questions'>;

export interface Plan {
  readonly entries: readonly Entry[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly unanswered: readonly Unanswered[];
}

/** Kinds whose existence must be known before anything can be said of a manifest. */
const mustBeKnown: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'StatefulSet',
]);

/** Applies the manifests to the world, as far as the API server would let them, and says what each of them makes. */
export function planManifests(manifests: readonly Manifest[], namespace: string, world: World): Plan {
  return new Planner(world, namespace).plan(manifests);
}

class Planner {
  readonly #world: World;
  readonly #namespace: string;
  readonly #unanswered: Unanswered[] = [];
  readonly #skipped: Record<string, number> = {};
  #questions: Unanswered[] = [];

  constructor(world: World, namespace: string) {
    this.#world = world;
    this.#namespace = namespace;
  }

  plan(manifests: readonly Manifest[]): Plan {
    const placed = manifests.map((manifest) => ({ manifest, object: this.#inNamespace(manifest.object) }));
    // What others lean on is there first, in whatever order it is written: apply is repeated until it fits.
    const order = (object: RawObject): number =>
      object.kind === 'Namespace' ? 0 : isWorkload(object) ? 3 : object.kind === 'PersistentVolumeClaim' ? 2 : 1;
    const entries = new Map<Manifest, Entry>();
    for (const rank of [0, 1, 2, 3]) {
      for (const { manifest, object } of placed) {
        if (order(object) !== rank) continue;
        this.#questions = [];
        const entry = this.#enter(manifest, object);
        if (entry) entries.set(manifest, { ...entry, questions: this.#questions });
        else this.#skipped[object.kind] = (this.#skipped[object.kind] ?? 0) + 1;
      }
    }
    return {
      entries: manifests.flatMap((manifest) => entries.get(manifest) ?? []),
      skipped: this.#skipped,
      unanswered: this.#unanswered,
    };
  }

  #inNamespace(object: RawObject): RawObject {
    const isNamespaced = isKnownKind(object.kind) ? resourceOf(object.kind).namespaced : isWorkload(object);
    const { namespace, ...metadata } = object.metadata;
    return {
      ...object,
      metadata: isNamespaced ? { ...metadata, namespace: namespace || this.#namespace } : metadata,
    } as RawObject;
  }

  /** Undefined for what is not judged, though it may make a difference to what is. */
  #enter(manifest: Manifest, object: RawObject): Planned | undefined {
    if (isWorkload(object)) return this.#enterWorkload(manifest, object);
    if (!isOwnKind(object)) return undefined;
    if (object.kind === 'PersistentVolumeClaim') return this.#enterClaim(manifest, object);
    const isJudged = isObjectKind(object.kind) && object.kind !== 'Namespace' && object.kind !== 'Node';
    // What is only leant on need not be looked up: it is there once it is applied.
    const { existing, changes } = isJudged
      ? this.#compare(object)
      : { existing: this.#world.get(object.kind, object.metadata.namespace, object.metadata.name), changes: [] };
    const refusal = isJudged ? this.#refusalOf(object, existing, changes) : undefined;
    if (!refusal) this.#world.put(existing ? applied(existing, object) : madeNew(object, this.#world.madeAt));
    if (!refusal && !existing && object.kind === 'CSIDriver') installDriver(object.metadata.name, this.#world);
    return isJudged ? { manifest, object, ref: refTo(object), existing, changes, refusal, parts: [] } : undefined;
  }

  #enterClaim(manifest: Manifest, object: RawObject): Planned {
    const { existing, changes } = this.#compare(object);
    const part = existing ? undefined : this.#makeClaim({ object, prefix: '' });
    const refusal = part ? part.refusal : this.#refusalOf(object, existing, changes);
    if (existing && !refusal) this.#world.put(applied(existing, object));
    return { manifest, object, ref: refTo(object), existing, changes, refusal, parts: [] };
  }

  #enterWorkload(manifest: Manifest, object: RawObject): Planned | undefined {
    const { existing, changes } = this.#compare(object);
    const roles = sidecarRoles.filter((role) =>
      sidecarOf(
        podShapeOf({ kind: 'Pod', metadata: object.metadata, spec: podsOf(object)[0]?.object['spec'] })?.spec,
        role,
      ),
    );
    if (roles.length > 0 && !existing) runWorkload(object, podsOf(object), this.#world);
    if (!usesStorage(object)) return undefined;
    const refusal = this.#refusalOf(object, existing, changes);
    const entry = { manifest, object, ref: refTo(object), existing, changes, refusal };
    if (refusal) return { ...entry, parts: [] };
    if (isKnownKind(object.kind) && object.kind !== 'Pod')
      this.#world.put(existing ? applied(existing, object) : madeNew(object, this.#world.madeAt));
    return { ...entry, parts: this.#partsOf(object, existing, changes) };
  }

  #partsOf(object: RawObject, existing: RawObject | undefined, changes: readonly Change[]): Part[] {
    const claims = object.kind === 'StatefulSet' ? claimsOfSet(object).map((made) => this.#makeClaim(made)) : [];
    const isTouched = !existing || changes.some(({ path }) => !path.startsWith('spec.replicas'));
    if (existing && isTouched) this.#retirePods(object);
    const pods = podsOf(object).flatMap((made): Part[] => {
      const { namespace, name } = made.object.metadata;
      // A set that only grows keeps the pods it has; other workloads have theirs under names that nobody knows beforehand.
      const isThere =
        existing !== undefined &&
        !isTouched &&
        (object.kind !== 'StatefulSet' || this.#world.get('Pod', namespace, name) !== undefined);
      return isThere ? [] : [this.#makePod(made)];
    });
    const ephemeral = pods.flatMap((pod) => claimsOfPod(pod).map((made) => this.#makeClaim(made)));
    return [...claims, ...ephemeral, ...pods];
  }

  /** Whoever recreates its pods gives up the old ones first; a rolling update keeps them for a while. */
  #retirePods(object: RawObject): void {
    const isRecreated = object.kind === 'DaemonSet' || member(object, 'spec', 'strategy', 'type') === 'Recreate';
    const labels = Object.entries((member(object, 'spec', 'selector', 'matchLabels') ?? {}) as Record<string, string>);
    if (!isRecreated || labels.length === 0) return;
    for (const pod of this.#world.ofKind('Pod')) {
      const own = (pod.metadata['labels'] ?? {}) as Record<string, string>;
      if (pod.metadata.namespace === object.metadata.namespace && labels.every(([key, value]) => own[key] === value))
        this.#world.remove('Pod', pod.metadata.namespace, pod.metadata.name);
    }
  }

  #makeClaim(made: Made): Part {
    const ask = this.#world.inquireBeside();
    const { namespace = '', name } = made.object.metadata;
    const ref = refTo(made.object);
    const there = ask.get('PersistentVolumeClaim', namespace, name, `whether pvc/${name} exists already`);
    if (there.state === 'found' || this.#world.get('PersistentVolumeClaim', namespace, name))
      return { ...made, ref, isThere: true };
    const uid = imaginedUid('pvc', namespace, name);
    const fresh = madeNew(made.object, this.#world.madeAt);
    const owned = { ...fresh, metadata: { ...fresh.metadata, uid } };
    const classes = needsDefault(owned) ? ask.list('StorageClass', undefined, 'which class is the default').items : [];
    const claim = withDefaultClass(owned, classes as readonly StorageClass[]);
    const refusal =
      refusedName(made.object) ?? this.#refusedNamespace(made.object) ?? refusedClaim(claim, this.#world, ask);
    this.#note(ask);
    if (refusal) return { ...made, ref, isThere: false, refusal };
    this.#world.put(claim);
    this.#world.noteNovelty(claim);
    return { ...made, object: claim, ref, isThere: false };
  }

  #makePod(made: Made): Part {
    const { namespace, name } = made.object.metadata;
    const pod = {
      ...made.object,
      metadata: {
        ...made.object.metadata,
        uid: imaginedUid('pod', namespace, name),
        creationTimestamp: this.#world.madeAt,
      },
    };
    this.#world.put(pod);
    this.#world.noteNovelty(pod);
    return { ...made, object: pod, ref: refTo(pod), isThere: false };
  }

  #compare(object: RawObject): { readonly existing: RawObject | undefined; readonly changes: readonly Change[] } {
    // Nobody but a Deployment makes a ReplicaSet.
    if (!isKnownKind(object.kind) || object.kind === 'ReplicaSet') return { existing: undefined, changes: [] };
    const ask = this.#world.inquireBeside();
    const { namespace, name } = object.metadata;
    ask.get(object.kind as Kind, namespace, name, `whether ${object.kind} ${name} exists already`);
    // Who may not look at a Deployment can still be told what would become of a new one.
    this.#note(ask, mustBeKnown.has(object.kind));
    const existing = this.#world.get(object.kind, namespace, name);
    return { existing, changes: existing ? changesOf(existing, object) : [] };
  }

  #refusalOf(object: RawObject, existing: RawObject | undefined, changes: readonly Change[]): Objection | undefined {
    const ask = this.#world.inquireBeside();
    const refusal =
      refusedName(object) ??
      (existing ? refusedChange(existing, object, changes, ask) : this.#refusedNamespace(object));
    this.#note(ask);
    return refusal;
  }

  /** Most people may not read namespaces, and know that theirs exists. */
  #refusedNamespace(object: RawObject): Objection | undefined {
    const { namespace } = object.metadata;
    if (namespace === undefined) return undefined;
    const ask = this.#world.inquireBeside();
    const refusal = refusedNamespace(ask, namespace, object);
    this.#note(ask, false);
    return refusal;
  }

  #note(ask: Inquiry, isEssential = true): void {
    this.#unanswered.push(...ask.unanswered);
    if (isEssential) this.#questions.push(...ask.unanswered);
  }
}

function refusedChange(
  existing: RawObject,
  object: RawObject,
  changes: readonly Change[],
  ask: Inquiry,
): Objection | undefined {
  const claim = object.kind === 'PersistentVolumeClaim' ? claimShapeOf(existing) : undefined;
  const wanted = claim && claimShapeOf(object);
  if (claim && wanted) return refusedUpdate(claim, wanted, changes, ask);
  const [change] = frozenChanges(existing, changes);
  if (!change) return undefined;
  const isSet = object.kind === 'StatefulSet';
  return {
    cause: 'field-immutable',
    stage: 'claim',
    confidence: 'certain',
    summary: `${object.kind} ${object.metadata.name} exists, and ${change.path} of it cannot be changed: it is ${textOf(change.from)}, and the manifest says ${textOf(change.to)}`,
    evidence: [
      field(existing, change.path, textOf(change.from)),
      field(object, change.path, `${textOf(change.to)} in the manifest`),
    ],
    fix: [
      isSet
        ? fix(
            'delete the set without its pods, and apply it again: claims that are there already keep what they have',
            `kubectl -n ${object.metadata.namespace ?? ''} delete statefulset ${object.metadata.name} --cascade=orphan`,
            'disruptive',
          )
        : fix('write what is there into the manifest, or make a new one under another name'),
    ],
  };
}

function needsDefault(claim: RawObject): boolean {
  return withDefaultClass(claim, [anyDefault]) !== claim;
}

const anyDefault = {
  kind: 'StorageClass',
  metadata: { name: 'any', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
} as const;

/** A kind of ours, and not a namesake in another API group. */
function isOwnKind({ kind, apiVersion = '' }: RawObject): boolean {
  return isKnownKind(kind) && resourceOf(kind).group === (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');
}

export function refTo({ kind, metadata: { namespace, name } }: RawObject): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
