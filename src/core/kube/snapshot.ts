import type { Kind } from './kinds.ts';

/** An object as it was read: nothing is known of it but its identity. */
export interface RawObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/**
 * What was asked of one kind, and how it ended.
 * complete: all objects in the scope are in the snapshot; an object of the scope that is not there does not exist.
 * partial: some of them are. denied: 403. absentApi: the server does not know the kind. failed: any other error.
 * unread: nobody asked (a dump that does not hold the kind).
 */
export type ObservationState = 'complete' | 'partial' | 'denied' | 'absentApi' | 'failed' | 'unread';

export interface Scope {
  /** One namespace; absent means all of them. */
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** So many of them, whichever come first: for a question that nearly any of them answers. */
  readonly first?: number;
}

export interface Observation {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly state: ObservationState;
  /** The server's words, for denied and failed. */
  readonly message?: string;
  /** How many objects a search looked at, where it read only some of them. */
  readonly looked?: number;
  /** Those that it looked at, by the word that the server has for their state. */
  readonly states?: Readonly<Record<string, number>>;
}

/** What a diagnosis wanted to know and the snapshot did not hold. A collector answers needs until none are left. */
export interface Need {
  readonly kind: Kind;
  readonly scope: Scope;
  /** What it would have told, in words. */
  readonly needed: string;
}

export interface Source {
  readonly type: 'cluster' | 'capture' | 'files';
  readonly name: string;
}

/** Plain JSON: a capture, a fixture, a bug report and what the engine judges are all this. */
export interface Snapshot {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'Snapshot';
  /** The clock of the diagnosis, RFC 3339. */
  readonly takenAt: string;
  readonly source: Source;
  /** e.g. v1.36.4, where known. */
  readonly serverVersion?: string;
  readonly objects: readonly RawObject[];
  readonly observations: readonly Observation[];
}

/**
 * The volumes that a claim of this class could have had: those of the class, those that are free, and those that name a claim that waits.
 * A cluster holds one volume for each claim, and nearly all of them are bound to others.
 */
export function candidateScope(className: string): Scope {
  return { fieldSelector: `${classField}${className}` };
}

/** The class of a scope that candidateScope made. */
export function classSearched(kind: string, { fieldSelector }: Scope): string | undefined {
  return kind === 'PersistentVolume' && fieldSelector?.startsWith(classField) === true
    ? fieldSelector.slice(classField.length)
    : undefined;
}

const classField = 'spec.storageClassName=';

/** The pods that have not started: no container of theirs has run. */
export const pendingPods = 'status.phase=Pending';

/** The events about one object. Its kind comes first, so that a list of all events about the kind answers too: see widerScopes. */
export function eventScope({
  kind,
  metadata: { namespace, uid },
}: {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly uid?: string };
}): Scope {
  return {
    namespace: namespace ?? 'default',
    fieldSelector: `involvedObject.kind=${kind},involvedObject.uid=${uid ?? ''}`,
  };
}

/** The scopes that hold all of this one, the narrowest first: without its name, the last terms of its selector, its namespace. */
export function widerScopes({ first, ...scope }: Scope): Scope[] {
  if (first !== undefined) return [scope, ...widerScopes(scope)];
  const { namespace, name, fieldSelector, labelSelector } = scope;
  const place = namespace === undefined ? undefined : { namespace };
  const isSelective = name !== undefined || fieldSelector !== undefined || labelSelector !== undefined;
  const scopes: Scope[] = place && isSelective ? [place] : [];
  if (name === undefined) {
    const labels = labelSelector === undefined ? undefined : { labelSelector };
    let fields = fieldSelector;
    // A selector with fewer terms selects more.
    for (let comma = fields?.lastIndexOf(',') ?? -1; comma > 0; comma = fields.lastIndexOf(',')) {
      fields = (fields as string).slice(0, comma);
      scopes.push(
        { ...place, fieldSelector: fields, ...labels },
        ...(place ? [{ fieldSelector: fields, ...labels }] : []),
      );
    }
    if (place && isSelective) scopes.push({ ...(fieldSelector !== undefined && { fieldSelector }), ...labels });
  }
  if (place ?? isSelective) scopes.push({});
  return scopes;
}

/** One key for a need or a scope, so that nothing is read or reported twice. */
export function scopeKey(kind: string, scope: Scope): string {
  return `${kind}|${scope.namespace ?? '*'}|${scope.name ?? '*'}|${scope.fieldSelector ?? ''}|${scope.labelSelector ?? ''}|${scope.first ?? ''}`;
}

/** An answer made from a snapshot, and what the snapshot lacked for it. */
export interface Answer {
  readonly needs: readonly Need[];
}
