import type { ObjectOf } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { ClaimCase } from '../claim/claim-case.ts';
import type { ObjectCase } from '../object-case.ts';

export type VolumeSnapshot = ObjectOf<'VolumeSnapshot'>;
export type SnapshotContent = ObjectOf<'VolumeSnapshotContent'>;
export type SnapshotClass = ObjectOf<'VolumeSnapshotClass'>;

export const beingCreatedAnnotation = 'snapshot.storage.kubernetes.io/volumesnapshot-being-created';
export const beingDeletedAnnotation = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted';
export const managedByLabel = 'snapshot.storage.kubernetes.io/managed-by';
/** The content of a group member is created with its group: the sidecar makes no call for it alone. */
const groupHandleAnnotation = 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle';

/** An error that a controller wrote to the status of the snapshot or the content. */
export interface SnapshotError {
  readonly message: string;
  readonly time?: string;
  readonly object: VolumeSnapshot | SnapshotContent;
}

/**
 * A snapshot and its content, whichever of the two is the target: the content represents the snapshot on the storage,
 * and a problem of one is a problem of the other. Objects are read on first use.
 */
export class SnapshotCase {
  readonly ask: Inquiry;
  readonly subject: VolumeSnapshot | SnapshotContent;
  readonly #memo = new Map<string, unknown>();

  constructor(ask: Inquiry, subject: VolumeSnapshot | SnapshotContent) {
    this.ask = ask;
    this.subject = subject;
  }

  get now(): number {
    return this.ask.now;
  }

  /** The snapshot; undefined when the content names none. */
  get snapshotLookup(): Lookup<VolumeSnapshot> | undefined {
    if (this.subject.kind === 'VolumeSnapshot') return { state: 'found', object: this.subject };
    const reference = this.subject.spec?.volumeSnapshotRef;
    const { name, namespace } = reference ?? {};
    if (!name || namespace === undefined) return undefined;
    return this.#once('snapshot', () => {
      const lookup = this.ask.get(
        'VolumeSnapshot',
        namespace,
        name,
        `whether volumesnapshot/${name}, to which the content belongs, exists`,
      );
      // A newer snapshot of the same name does not count.
      return lookup.state === 'found' && reference?.uid && reference.uid !== lookup.object.metadata.uid
        ? { state: 'missing' }
        : lookup;
    });
  }

  get snapshot(): VolumeSnapshot | undefined {
    return this.snapshotLookup?.state === 'found' ? this.snapshotLookup.object : undefined;
  }

  /**
   * The bound content, the one that the snapshot names, or the name that the controller derives from the uid
   * (GetDynamicSnapshotContentNameForSnapshot).
   */
  get contentName(): string | undefined {
    if (this.subject.kind === 'VolumeSnapshotContent') return this.subject.metadata.name;
    const { metadata, spec, status } = this.subject;
    return (
      status?.boundVolumeSnapshotContentName ||
      spec?.source?.volumeSnapshotContentName ||
      (metadata.uid ? `snapcontent-${metadata.uid}` : undefined)
    );
  }

  get contentLookup(): Lookup<SnapshotContent> | undefined {
    if (this.subject.kind === 'VolumeSnapshotContent') return { state: 'found', object: this.subject };
    const name = this.contentName;
    return name === undefined
      ? undefined
      : this.#once('content', () =>
          this.ask.get(
            'VolumeSnapshotContent',
            undefined,
            name,
            `whether the content of volumesnapshot/${this.subject.metadata.name} exists, and what became of it`,
          ),
        );
  }

  get content(): SnapshotContent | undefined {
    return this.contentLookup?.state === 'found' ? this.contentLookup.object : undefined;
  }

  /** The controller has not created the content yet, so the source still matters. */
  get awaitsContent(): boolean {
    return (
      this.subject.kind === 'VolumeSnapshot' &&
      !this.isPreProvisioned &&
      !this.isGroupMember &&
      !this.subject.status?.boundVolumeSnapshotContentName &&
      this.content === undefined
    );
  }

  /** The snapshot already exists on the storage, and was imported. */
  get isPreProvisioned(): boolean {
    if (this.subject.kind === 'VolumeSnapshot')
      return this.subject.spec?.source?.volumeSnapshotContentName !== undefined;
    return this.subject.spec?.source?.snapshotHandle !== undefined;
  }

  get isGroupMember(): boolean {
    return (
      this.snapshot?.metadata.ownerReferences?.some(({ kind }) => kind === 'VolumeGroupSnapshot') === true ||
      this.content?.metadata.annotations?.[groupHandleAnnotation] !== undefined
    );
  }

  /** The controller has not written to it yet. */
  get isUntouched(): boolean {
    const { snapshot } = this;
    if (!snapshot) return false;
    const { error, boundVolumeSnapshotContentName, readyToUse } = snapshot.status ?? {};
    return (
      error === undefined &&
      boundVolumeSnapshotContentName === undefined &&
      readyToUse === undefined &&
      !(snapshot.metadata.finalizers ?? []).some((name) => name.startsWith('snapshot.storage.kubernetes.io/'))
    );
  }

  get className(): string | undefined {
    return this.snapshot?.spec?.volumeSnapshotClassName ?? this.content?.spec?.volumeSnapshotClassName;
  }

  /** The class object; undefined when neither names one. */
  get classLookup(): Lookup<SnapshotClass> | undefined {
    const name = this.className;
    return name === undefined
      ? undefined
      : this.#once('class', () =>
          this.ask.get(
            'VolumeSnapshotClass',
            undefined,
            name,
            `whether volumesnapshotclass/${name} exists, and for which driver`,
          ),
        );
  }

  get snapshotClass(): SnapshotClass | undefined {
    return this.classLookup?.state === 'found' ? this.classLookup.object : undefined;
  }

  /** The driver whose sidecar must act. */
  get driver(): string | undefined {
    return this.content?.spec?.driver || this.snapshotClass?.driver || undefined;
  }

  /** The source claim; undefined for a pre-provisioned snapshot. */
  get claim(): ClaimCase | undefined {
    const { snapshot } = this;
    const name = snapshot?.spec?.source?.persistentVolumeClaimName;
    return name
      ? this.#once('claim', () => new ClaimCase(this.ask, snapshot?.metadata.namespace ?? '', name))
      : undefined;
  }

  /** The error in the status; the content comes first, because the snapshot only has a copy. */
  get error(): SnapshotError | undefined {
    for (const object of [this.content, this.snapshot]) {
      const { message, time } = object?.status?.error ?? {};
      if (object && message) return { message, object, ...(time !== undefined && { time }) };
    }
    return undefined;
  }

  get isReady(): boolean {
    return this.subject.status?.readyToUse === true;
  }

  get ageSeconds(): number {
    return this.secondsSince(this.subject.metadata.creationTimestamp);
  }

  /** Seconds since the deletion was requested. */
  get leavingSeconds(): number {
    return this.secondsSince(this.subject.metadata.deletionTimestamp);
  }

  /** A time that is not set counts as long ago. */
  secondsSince(time: string | undefined): number {
    const moment = parseTime(time);
    return moment === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (this.now - moment) / 1000);
  }

  #once<T>(key: string, compute: () => T): T {
    if (!this.#memo.has(key)) this.#memo.set(key, compute());
    return this.#memo.get(key) as T;
  }
}

const cases = new WeakMap<object, SnapshotCase>();

/** One case for each subject, shared by several rules. */
export function snapshotCaseOf(
  subject: ObjectCase<'VolumeSnapshot'> | ObjectCase<'VolumeSnapshotContent'>,
): SnapshotCase {
  const known = cases.get(subject) ?? new SnapshotCase(subject.ask, subject.object);
  cases.set(subject, known);
  return known;
}

/**
 * The content was kept on purpose when its snapshot was deleted. The controller annotates the content at the deletion,
 * whatever the policy.
 */
export function isRetained(s: SnapshotCase): boolean {
  const { content } = s;
  if (
    content?.spec?.deletionPolicy !== 'Retain' ||
    !content.spec.volumeSnapshotRef?.uid ||
    content.metadata.deletionTimestamp !== undefined
  )
    return false;
  return (
    s.snapshotLookup?.state === 'missing' ||
    (s.snapshotLookup?.state === 'unknown' && content.metadata.annotations?.[beingDeletedAnnotation] !== undefined)
  );
}

/** Whether both name each other (IsVolumeSnapshotRefSet); a pre-provisioned content may leave the uid open. */
export function belongsTo(content: SnapshotContent, snapshot: VolumeSnapshot): boolean {
  const reference = content.spec?.volumeSnapshotRef;
  const isOpen = !reference?.uid && content.spec?.source?.snapshotHandle !== undefined;
  return (
    reference?.name === snapshot.metadata.name &&
    reference.namespace === snapshot.metadata.namespace &&
    (isOpen || reference.uid === snapshot.metadata.uid)
  );
}
