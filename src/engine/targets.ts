import { matchesLabelSelector, parseLabelSelector } from '../model/selectors.ts';
import type { Pod } from '../model/kinds.ts';
import type { Selection, TargetRef } from '../model/selection.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import { claimsExpectedBy } from '../journey/expectation.ts';
import { hasMountedVolumes, isTerminated } from '../journey/pod-state.ts';
import { isStorageReason } from '../journey/scheduling-message.ts';
import { conditionOf } from '../journey/pod-state.ts';

/** All that is stuck, or may be: claims that are not bound, pods that have not got their volumes, claims that were never made. */
export function findStuck(graph: ClusterGraph, selection: Selection): TargetRef[] {
  const selector = selection.labelSelector ? parseLabelSelector(selection.labelSelector) : undefined;
  const isSelected = (object: { readonly metadata: { readonly namespace?: string; readonly labels?: { readonly [key: string]: string } } }): boolean =>
    (selection.namespace === undefined || object.metadata.namespace === selection.namespace) && (!selector || matchesLabelSelector(selector, object.metadata.labels ?? {}));
  const claims = graph.all('PersistentVolumeClaim').filter((claim) => isSelected(claim) && claim.status?.phase !== 'Bound');
  const pods = graph.all('Pod').filter((pod) => isSelected(pod) && waitsForVolumes(pod));
  const unmade = graph.all('StatefulSet').filter(isSelected).flatMap((set) => claimsNeverMade(graph, set));
  return [...claims, ...pods].map(({ kind, metadata }): TargetRef => ({ kind, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }), name: metadata.name })).concat(unmade);
}

/** The first claim that a set should have made by now and has not; what comes after it waits for it. */
function claimsNeverMade(graph: ClusterGraph, set: Parameters<typeof claimsExpectedBy>[0]): TargetRef[] {
  const { namespace } = set.metadata;
  if (namespace === undefined || !graph.coverage.answers('PersistentVolumeClaim', { namespace }) || !graph.coverage.answers('Pod', { namespace })) return [];
  const missing = claimsExpectedBy(set).find(({ name, expectation }) => !graph.find('PersistentVolumeClaim', namespace, name) && !graph.find('Pod', namespace, expectation.podName));
  if (!missing) return [];
  // A set that is still starting its earlier pods has simply not come to this one yet.
  const isStarting = graph.inNamespace('Pod', namespace).some((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === set.metadata.uid) && conditionOf(pod.status?.conditions, 'Ready')?.status !== 'True');
  return isStarting && set.spec?.podManagementPolicy !== 'Parallel' ? [] : [{ kind: 'PersistentVolumeClaim', namespace, name: missing.name }];
}

function waitsForVolumes(pod: Pod): boolean {
  if (isTerminated(pod) || hasMountedVolumes(pod)) return false;
  if (claimNamesOf(pod).length > 0) return true;
  return isStorageReason(conditionOf(pod.status?.conditions, 'PodScheduled')?.message ?? '');
}
