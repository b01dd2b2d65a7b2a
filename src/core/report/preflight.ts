import type { Finding, ObjectRef, Unread } from './report.ts';
import type { RawObject, Source } from '../kube/snapshot.ts';

/** The place of a manifest. */
interface ManifestPlace {
  /** The path as it was given; `standard input` for `-`. */
  readonly file: string;
  readonly line: number;
  /** The number of the document in its file, from 1. */
  readonly document: number;
}

/** One object that a person intends to apply. */
export interface Manifest {
  readonly object: RawObject;
  readonly place: ManifestPlace;
  /** The lines of its fields by path: `spec.storageClassName`, `spec.volumeClaimTemplates[data].spec`. */
  readonly lines: Readonly<Record<string, number>>;
}

/**
 * What the API server would refuse and no cause of the catalogue covers. Sorted; docs/preflight.md has a section for
 * each.
 */
export const ownRefusals = [
  { id: 'field-immutable', summary: 'the manifest changes a field that cannot be changed after creation' },
  { id: 'namespace-missing', summary: 'the namespace does not exist, and the manifests do not create it' },
  { id: 'namespace-terminating', summary: 'the namespace is being deleted and accepts no new objects' },
  { id: 'object-invalid', summary: 'the API server does not accept such an object' },
] as const;

/** wouldWait: by design, and for something that these manifests do not hold. */
export type PreflightStatus = 'ok' | 'wouldWait' | 'wouldFail' | 'unknown';

/** A problem of an object, in the words of the diagnosis that would report it later. */
export type Objection = Omit<Finding, 'role' | 'severity'>;

/** A claim or a pod that would be created from the templates of an object. */
export interface PreflightPart {
  readonly object: ObjectRef;
  readonly status: PreflightStatus;
  readonly cause?: string;
  readonly summary: string;
}

export interface PreflightItem {
  readonly object: ObjectRef;
  readonly place: ManifestPlace;
  readonly status: PreflightStatus;
  /** It is in the cluster already, as the manifest has it or otherwise. */
  readonly exists?: 'unchanged' | 'changed';
  readonly cause?: string;
  readonly summary: string;
  /** The line of the field that has to change, where it is known. */
  readonly line?: number;
  /** Another object of these manifests, which has the problem that this one waits for. */
  readonly becauseOf?: ObjectRef;
  readonly objection?: Objection;
  readonly warnings: readonly Objection[];
  readonly parts: readonly PreflightPart[];
  readonly unread: readonly Unread[];
}

export interface PreflightReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'PreflightReport';
  readonly takenAt: string;
  readonly source: Source;
  readonly items: readonly PreflightItem[];
  /** What was in the manifests and was not judged, by kind. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly summary: {
    readonly ok: number;
    readonly wouldWait: number;
    readonly wouldFail: number;
    readonly unknown: number;
    readonly skipped: number;
  };
}
