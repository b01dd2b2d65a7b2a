import type { ContainerLog } from './container-log.ts';
import type { Kind } from './kinds.ts';
import type { UsageSurvey } from './volume-usage.ts';

/** An object as it was read: only its identity is known. */
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
 * unread: not asked for (a dump without this kind).
 */
export type ObservationState = 'complete' | 'partial' | 'denied' | 'absentApi' | 'failed' | 'unread';

/** The message of a kind of which a dump holds single objects, or part of a list: they do not show what else there is. */
export const onlySomeInDump = 'only some objects are in the dump';

export interface Scope {
  /** One namespace; absent means all of them. */
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Only the first so many, whichever they are: for a question that nearly any of them answers. */
  readonly first?: number;
}

export interface Observation {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly state: ObservationState;
  /** The server's message, for denied and failed. */
  readonly message?: string;
  /** How many objects a search examined, where it kept only some of them. */
  readonly looked?: number;
  /** How many of those have each state, in the server's words. */
  readonly states?: Readonly<Record<string, number>>;
}

/** A question of a diagnosis that the snapshot could not answer. A collector reads needs until none are left. */
export interface Need {
  readonly kind: Kind;
  readonly scope: Scope;
  /** What the answer would show, in words. */
  readonly needed: string;
}

export interface Source {
  readonly type: 'cluster' | 'capture' | 'files';
  readonly name: string;
  /** The clusters, where an answer is about several. */
  readonly contexts?: readonly SourceContext[];
}

/** One of several clusters: a context of the kubeconfig, or the name that was given to a dump. */
export interface SourceContext {
  readonly name: string;
  /**
   * unread: nothing is known about it. same: another context leads to the same cluster as the same user, and was read.
   */
  readonly status: 'read' | 'unread' | 'same';
  readonly takenAt?: string;
  /** The context that was read instead. */
  readonly sameAs?: string;
  /** Why it was not read, or what does not exist in it. */
  readonly message?: string;
  /** The counts of this cluster, as in the summary of the document. */
  readonly summary?: Readonly<Record<string, number>>;
}

/** Plain JSON: captures, fixtures, bug reports and the input of the engine all have this form. */
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
  /** How full volumes are, if that was asked. */
  readonly usage?: UsageSurvey;
  /** Logs that were read; a log that is not here was not asked for. */
  readonly logs?: readonly ContainerLog[];
}

/**
 * The volumes that a claim of this class could bind: those of the class, those that are free, and those that name a
 * claim that waits. A cluster holds one volume for each claim, and nearly all of them are bound to others.
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

/** Pods that have not started: none of their containers has run. */
export const pendingPods = 'status.phase=Pending';

/** Pods that have started once, and have not ended well. */
export const startedPods = 'status.phase!=Pending,status.phase!=Succeeded';

/** Namespaces that are being deleted. */
export const leavingNamespaces = 'status.phase=Terminating';

/**
 * The events about one object. The kind comes first, so that a list of all events about the kind answers too: see
 * widerScopes.
 */
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

/**
 * The scopes that contain this one, the narrowest first: without the name, the last terms of the selector, the
 * namespace.
 */
export function widerScopes({ first, ...scope }: Scope): Scope[] {
  if (first !== undefined) return [scope, ...widerScopes(scope)];
  const { namespace, name, fieldSelector, labelSelector } = scope;
  const place = namespace === undefined ? undefined : { namespace };
  const isSelective = name !== undefined || fieldSelector !== undefined || labelSelector !== undefined;
  const scopes: Scope[] = place && isSelective ? [place] : [];
  if (name === undefined) {
    const labels = labelSelector === undefined ? undefined : { labelSelector };
    for (const fields of shorterSelectors(fieldSelector)) {
      scopes.push({ ...place, fieldSelector: fields, ...labels });
      if (place) scopes.push({ fieldSelector: fields, ...labels });
    }
    if (place && isSelective) scopes.push({ ...(fieldSelector !== undefined && { fieldSelector }), ...labels });
  }
  if (place ?? isSelective) scopes.push({});
  return scopes;
}

/** The selector without its last term, then without the last two, and so on: fewer terms select more. */
function shorterSelectors(selector = ''): string[] {
  const shorter: string[] = [];
  let rest = selector;
  for (let comma = rest.lastIndexOf(','); comma > 0; comma = rest.lastIndexOf(',')) {
    rest = rest.slice(0, comma);
    shorter.push(rest);
  }
  return shorter;
}

/** One key for a need or a scope, so that nothing is read or reported twice. */
export function scopeKey(kind: string, scope: Scope): string {
  return `${kind}|${scope.namespace ?? '*'}|${scope.name ?? '*'}|${scope.fieldSelector ?? ''}|${scope.labelSelector ?? ''}|${scope.first ?? ''}`;
}

/** What every answer from a snapshot carries: the questions that the snapshot could not answer. */
export interface Answer {
  readonly needs: readonly Need[];
}
