import { isKnownKind } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import type { Manifest, Objection } from '../../report/preflight.ts';
import type { ObjectRef } from '../../report/report.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { Inquiry, Unanswered } from '../../graph/inquiry.ts';
import { isObjectKind } from '../../facts/object-case.ts';
import { refusedClaim, refusedName, refusedNamespace } from './admission.ts';
import { changesOf } from './changes.ts';
import type { Change } from './changes.ts';
import { applied, madeNew, namesNoClass, withDefaultClass } from './defaults.ts';
import { imaginedUid } from './imagine.ts';
import { installDriver, retirePods, runWorkload, sidecarRoles } from './installation.ts';
import { refusedChange } from './object-update.ts';
import { claimsOfPod, claimsOfSet, isWorkload, podShapeOf, podsOf, usesStorage } from './templates.ts';
import type { Made } from './templates.ts';
import type { World } from './world.ts';

/** A claim or a pod that a manifest creates, or the manifest itself. */
export interface Part extends Made {
  readonly ref: ObjectRef;
  /** It exists already: nothing new would be created. */
  readonly isThere: boolean;
  readonly refusal?: Objection;
}

/** One manifest that is judged, and everything that it would create. */
export interface Entry {
  readonly manifest: Manifest;
  readonly object: RawObject;
  readonly ref: ObjectRef;
  readonly existing: RawObject | undefined;
  readonly changes: readonly Change[];
  readonly refusal: Objection | undefined;
  readonly parts: readonly Part[];
  /** What could not be read and is needed for an answer. */
  readonly questions: readonly Unanswered[];
}

type Planned = Omit<Entry, 'questions'>;

interface Plan {
  readonly entries: readonly Entry[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly unanswered: readonly Unanswered[];
}

/** Kinds whose existence must be known before a manifest can be judged. */
const mustBeKnown: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'StatefulSet',
]);

/**
 * Applies the manifests to the world, as far as the API server would accept them, and returns what each of them
 * creates.
 */
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
    const placed = manifests
      .map((manifest) => ({ manifest, object: this.#inNamespace(manifest.object) }))
      .sort((a, b) => applyOrder(a.object) - applyOrder(b.object));
    const entries = new Map<Manifest, Entry>();
    for (const { manifest, object } of placed) {
      this.#questions = [];
      const entry = this.#enter(manifest, object);
      if (entry) entries.set(manifest, { ...entry, questions: this.#questions });
      else this.#skipped[object.kind] = (this.#skipped[object.kind] ?? 0) + 1;
    }
    return {
      entries: manifests.flatMap((manifest) => entries.get(manifest) ?? []),
      skipped: this.#skipped,
      unanswered: this.#unanswered,
    };
  }

  #inNamespace(object: RawObject): RawObject {
    const isNamespaced = isKnownKind(object.kind) ? resourceOf(object.kind).namespaced : isWorkload(object);
    const { namespace, name, ...metadata } = object.metadata;
    const place = isNamespaced && { namespace: namespace || this.#namespace };
    return { ...object, metadata: { name, ...metadata, ...place } };
  }

  /** Undefined for what is not judged, although it may matter to what is. */
  #enter(manifest: Manifest, object: RawObject): Planned | undefined {
    if (isWorkload(object)) return this.#enterWorkload(manifest, object);
    if (!isOwnKind(object)) return undefined;
    if (object.kind === 'PersistentVolumeClaim') return this.#enterClaim(manifest, object);
    const isJudged = isObjectKind(object.kind) && object.kind !== 'Namespace' && object.kind !== 'Node';
    // An object that others only refer to need not be looked up: it exists once it is applied.
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
    if (existing && isTouched) retirePods(object, this.#world);
    const pods = podsOf(object).flatMap((made): Part[] => {
      const { namespace, name } = made.object.metadata;
      // A StatefulSet that is only scaled up keeps its pods; the pods of other workloads have names that are not known
      // beforehand.
      const isThere =
        existing !== undefined &&
        !isTouched &&
        (object.kind !== 'StatefulSet' || this.#world.get('Pod', namespace, name) !== undefined);
      return isThere ? [] : [this.#makePod(made)];
    });
    const ephemeral = pods.flatMap((pod) => claimsOfPod(pod).map((made) => this.#makeClaim(made)));
    return [...claims, ...ephemeral, ...pods];
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
    const classes = namesNoClass(owned) ? ask.list('StorageClass', undefined, 'which class is the default').items : [];
    const claim = withDefaultClass(owned, classes);
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
    const { kind } = object;
    // ReplicaSets are created by Deployments only.
    if (!isKnownKind(kind) || kind === 'ReplicaSet') return { existing: undefined, changes: [] };
    const ask = this.#world.inquireBeside();
    const { namespace, name } = object.metadata;
    ask.get(kind, namespace, name, `whether ${kind} ${name} exists already`);
    // If a Deployment could not be read, the outcome of a new one is still known.
    this.#note(ask, mustBeKnown.has(kind));
    const existing = this.#world.get(kind, namespace, name);
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

  /** Not essential: most users may not read namespaces, and know that theirs exists. */
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

/**
 * Namespaces first, then what claims and workloads refer to, in any order of the files: apply is repeated until it
 * succeeds.
 */
function applyOrder(object: RawObject): number {
  if (object.kind === 'Namespace') return 0;
  if (isWorkload(object)) return 3;
  return object.kind === 'PersistentVolumeClaim' ? 2 : 1;
}

/** A known kind, and not one of the same name in another API group. */
function isOwnKind({ kind, apiVersion = '' }: RawObject): boolean {
  return isKnownKind(kind) && resourceOf(kind).group === (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');
}

export function refTo({ kind, metadata: { namespace, name } }: RawObject): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
