import { matchesLabelSelector, parseLabelSelector } from '../kube/selectors.ts';
import type { Kind, StatefulSet } from '../kube/kinds.ts';
import type { Selection, TargetRef } from '../kube/selection.ts';
import { leavingNamespaces, pendingPods, startedPods } from '../kube/snapshot.ts';
import type { Scope } from '../kube/snapshot.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { claimsExpectedBy, predecessorOf, saysUnmade } from '../facts/claim/expectation.ts';
import { findStuckElsewhere, targetOf } from './stuck-objects.ts';
import type { Selectable } from './stuck-objects.ts';
import { isBrokenDriver, lacksVolumeInUse, mayLackImageVolume, mayLackVolumes, waitsForVolumes } from './stuck-pods.ts';
import { findFullVolumes } from './full-volumes.ts';
import { findSuspects, surroundingsOf } from './suspects.ts';

interface SearchedScope {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly needed: string;
}

/** What a search for stuck objects looks through, within the selection. */
export function searchedScopes(selection: Selection): readonly SearchedScope[] {
  const scope: Scope = {
    ...(selection.namespace !== undefined && { namespace: selection.namespace }),
    ...(selection.labelSelector && { labelSelector: selection.labelSelector }),
  };
  return [
    { kind: 'PersistentVolumeClaim', scope, needed: 'which claims are not bound' },
    // A pod that has started has its volumes: only pending ones are searched.
    { kind: 'Pod', scope: { ...scope, fieldSelector: pendingPods }, needed: 'which pods wait for volumes' },
    { kind: 'StatefulSet', scope, needed: 'which claims a StatefulSet could not make' },
    ...(selection.breadth === 'everything' ? searchedElsewhere(selection, scope) : []),
  ];
}

function searchedElsewhere(selection: Selection, scope: Scope): SearchedScope[] {
  const placed: SearchedScope[] = [
    { kind: 'Pod', scope: { ...scope, fieldSelector: startedPods }, needed: 'which pods wait for volumes' },
    { kind: 'VolumeSnapshot', scope, needed: 'which snapshots are not ready' },
    { kind: 'VolumeGroupSnapshot', scope, needed: 'which group snapshots are not ready' },
    { kind: 'BucketClaim', scope, needed: 'which bucket claims are not ready' },
    { kind: 'BucketAccess', scope, needed: 'which accesses to buckets are not granted' },
  ];
  if (selection.namespace !== undefined || selection.labelSelector) return placed;
  return [
    ...placed,
    { kind: 'PersistentVolume', scope: {}, needed: 'which volumes are not reclaimed' },
    { kind: 'VolumeAttachment', scope: {}, needed: 'which volumes are not attached or detached' },
    { kind: 'Node', scope: {}, needed: 'which nodes are not ready' },
    { kind: 'VolumeSnapshotContent', scope: {}, needed: 'which snapshot contents are not ready' },
    { kind: 'VolumeGroupSnapshotContent', scope: {}, needed: 'which group snapshots are not ready' },
    { kind: 'Bucket', scope: {}, needed: 'which buckets are not ready or not deleted' },
    { kind: 'VolumeAttributesClass', scope: {}, needed: 'which classes are not deleted' },
    { kind: 'Namespace', scope: { fieldSelector: leavingNamespaces }, needed: 'which namespaces are not deleted' },
  ];
}

/** How many claims a search skipped because they are bound: read, or only counted by the server. */
export function countBound(graph: ClusterGraph, selection: Selection): number {
  const claims = graph.all('PersistentVolumeClaim').filter(isSelectedBy(selection));
  const stuck = claims.filter((claim) => claim.status?.phase !== 'Bound').length;
  const { looked } = graph.coverage.of('PersistentVolumeClaim', searchedScopes(selection)[0]?.scope ?? {});
  return Math.max(looked ?? 0, claims.length) - stuck;
}

/** How many claims a search has seen, bound or not. */
export function countClaims(graph: ClusterGraph, selection: Selection): number {
  const unbound = graph
    .all('PersistentVolumeClaim')
    .filter((claim) => isSelectedBy(selection)(claim) && claim.status?.phase !== 'Bound').length;
  return countBound(graph, selection) + unbound;
}

function isSelectedBy(selection: Selection): (object: Selectable) => boolean {
  const selector = selection.labelSelector ? parseLabelSelector(selection.labelSelector) : undefined;
  return ({ metadata }) =>
    (selection.namespace === undefined || metadata.namespace === selection.namespace) &&
    (!selector || matchesLabelSelector(selector, metadata.labels ?? {}));
}

/** What a search judges. */
export interface Found {
  /** Reported with any verdict. */
  readonly targets: readonly TargetRef[];
  /** Reported only if the verdict is not that all is well: most pods that have not started yet do so in a moment. */
  readonly suspects: readonly TargetRef[];
  /** Drivers, classes and nodes: reported only if blocked by something that no other verdict names. */
  readonly surroundings: readonly TargetRef[];
  /** NAMESPACE/NAME of claims that were not measured although measurements were requested. */
  readonly unmeasured: readonly string[];
}

/**
 * Everything that is or may be stuck: claims that are not bound, pods without their volumes, claims that were never
 * created.
 */
export function findStuck(ask: Inquiry, selection: Selection): Found {
  const { graph } = ask;
  const isSelected = isSelectedBy(selection);
  const claims = graph
    .all('PersistentVolumeClaim')
    .filter((claim) => isSelected(claim) && claim.status?.phase !== 'Bound');
  const pods = graph.all('Pod').filter(isSelected);
  const waiting = pods.filter((pod) => waitsForVolumes(pod) || lacksVolumeInUse(pod, ask.now));
  const starting = pods.filter(
    (pod) => (mayLackVolumes(pod) && !waitsForVolumes(pod)) || mayLackImageVolume(pod, ask.now),
  );
  const unmade = graph
    .all('StatefulSet')
    .filter(isSelected)
    .flatMap((set) => findUnmadeClaim(ask, set) ?? []);
  const pending = [...[...claims, ...waiting].map(targetOf), ...unmade];
  const suspects = starting.map(targetOf);
  if (selection.breadth !== 'everything') return { targets: pending, suspects, surroundings: [], unmeasured: [] };
  const isEverywhere = selection.namespace === undefined && !selection.labelSelector;
  const full = findFullVolumes(ask, selection, isSelected);
  const drivers = pods.filter((pod) => isBrokenDriver(pod, ask.now) && !waiting.includes(pod)).map(targetOf);
  return {
    targets: [...pending, ...drivers, ...findStuckElsewhere(ask, selection, isSelected)],
    suspects: [...suspects, ...findSuspects(graph, isSelected, isEverywhere), ...full.users],
    surroundings: isEverywhere ? surroundingsOf(ask) : [],
    unmeasured: full.unmeasured,
  };
}

/** The first claim that a StatefulSet should have created by now and has not: the later ones wait for it. */
function findUnmadeClaim(ask: Inquiry, set: StatefulSet): TargetRef | undefined {
  const { namespace } = set.metadata;
  const wanted = set.spec?.replicas ?? 1;
  if (namespace === undefined || (set.status?.readyReplicas ?? 0) >= wanted) return undefined;
  const lookups = claimsExpectedBy(set).map((expected) => ({
    ...expected,
    state: ask.get(
      'PersistentVolumeClaim',
      namespace,
      expected.name,
      `whether statefulset/${set.metadata.name} has made pvc/${expected.name}`,
    ).state,
  }));
  // Claims that could not be read, or that a dump does not hold, prove nothing: then the status of the StatefulSet has
  // to show that the claim was not created.
  const { state, message } = ask.graph.coverage.of('PersistentVolumeClaim', { namespace });
  const isHidden = state === 'denied' || state === 'failed' || (state === 'unread' && message !== undefined);
  const isSaid = isHidden && lookups.some(({ expectation }) => saysUnmade(expectation));
  const missing = isSaid
    ? lookups.find(({ expectation }) => saysUnmade(expectation))
    : lookups.find(({ state }) => state === 'missing');
  if (!missing || (!isSaid && lookups.some(({ state }) => state === 'unknown'))) return undefined;
  // An existing pod is a target itself, and a StatefulSet that still starts earlier pods is not at this one yet.
  const pod = ask.get('Pod', namespace, missing.expectation.podName).state;
  if (pod === 'found' || (pod === 'unknown' && !isSaid) || predecessorOf(missing.expectation, ask) !== undefined)
    return undefined;
  return { kind: 'PersistentVolumeClaim', namespace, name: missing.name };
}
