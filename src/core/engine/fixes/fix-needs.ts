import { graphOf } from '../../graph/cluster-graph.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import { someScope } from '../../graph/inquiry.ts';
import type { Kind } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import { classSearched, scopeKey } from '../../kube/snapshot.ts';
import type { Need, Scope, Snapshot } from '../../kube/snapshot.ts';
import type { ReportItem } from '../../report/report.ts';
import type { Diagnosis } from '../diagnose.ts';
import { fixesOf, playFixes } from './prove-fixes.ts';

/**
 * What is read from a live cluster after the diagnosis is complete, so that the fixes name what exists and state their
 * outcome. Neither changes the verdict, so no list of a large cluster is read whole for it: the first objects of a list
 * are enough.
 */
export function needsOfFixes(diagnosis: Diagnosis): Need[] {
  const { snapshot } = diagnosis;
  const graph = graphOf(snapshot);
  const outcomes = blockedOf(diagnosis).flatMap((item) =>
    fixesOf(item).flatMap((fix) => needsOfOutcome(playFixes(item, snapshot).get(fix)?.needs ?? [], graph)),
  );
  return distinct([...glances(diagnosis), ...outcomes]);
}

/** Of these, what the fixes can name. No fix is played through for it. */
export function namesForFixes(diagnosis: Diagnosis): Need[] {
  return distinct(glances(diagnosis));
}

function glances(diagnosis: Diagnosis): Need[] {
  const graph = graphOf(diagnosis.snapshot);
  return blockedOf(diagnosis).flatMap((item) => glancesOf(item, graph));
}

function blockedOf({ report }: Diagnosis): ReportItem[] {
  return report.items.filter(({ status }) => status === 'blocked');
}

function distinct(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map(shorten).map((need) => [scopeKey(need.kind, need.scope), need])).values()];
}

/**
 * Which nodes there are is asked in the end wherever a pod has to be scheduled, and shows soonest whether the outcome
 * can be known.
 */
const nodes: Need = { kind: 'Node', scope: {}, needed: 'where the pods can run then' };

/**
 * Nothing more where a list is needed of which the first objects were read and are not all: the outcome stays unknown.
 */
function needsOfOutcome(needs: readonly Need[], { coverage, snapshot }: ClusterGraph): readonly Need[] {
  // Whatever was searched for in them: of a list that ended there, the limit is not part of the scope.
  const isCut = ({ kind, namespace }: { readonly kind: Kind; readonly namespace: string | undefined }): boolean =>
    snapshot.observations.some(
      (read) => read.kind === kind && read.scope.first !== undefined && read.scope.namespace === namespace,
    );
  const isTooLong = ({ kind, scope }: Need): boolean => {
    const isShortened = shorten({ kind, scope, needed: '' }).scope !== scope;
    return isShortened && isCut({ kind, namespace: scope.namespace }) && !coverage.answers(kind, scope);
  };
  return needs.length === 0 || needs.some(isTooLong) ? [] : [nodes, ...needs];
}

/** Kinds of a namespace that fixes are chosen from; events, leases and secrets are read by name or not at all. */
const kindsOfTarget: readonly Kind[] = ['PersistentVolumeClaim', 'Pod', 'VolumeSnapshot'];
const workloadKinds: readonly Kind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/**
 * What the rules examined without requesting it: in the cluster, next to the target, and where the diagnosis read pods.
 */
function glancesOf({ target: { namespace } }: ReportItem, { glanced, snapshot }: ClusterGraph): Need[] {
  const needed = 'what the fixes can name';
  const own = namespace === undefined ? [] : [namespace];
  const places = [...new Set([...own, ...namespacesOfPods(snapshot)])];
  return [...glanced].flatMap((kind): Need[] => {
    if (!resourceOf(kind).namespaced) return [{ kind, scope: {}, needed }];
    if (workloadKinds.includes(kind)) return places.map((place) => ({ kind, scope: { namespace: place }, needed }));
    return kindsOfTarget.includes(kind) ? own.map((place) => ({ kind, scope: { namespace: place }, needed })) : [];
  });
}

/** Namespaces whose pods were all needed: there a controller of the driver runs. */
function namespacesOfPods({ observations }: Snapshot): string[] {
  return observations.flatMap(({ kind, scope: { namespace, ...narrower } }) =>
    kind === 'Pod' && namespace !== undefined && Object.keys(narrower).length === 0 ? [namespace] : [],
  );
}

/** Only the first objects of a list that could be long; a short list is complete with them. */
function shorten(need: Need): Need {
  const { namespace, name, fieldSelector, labelSelector } = need.scope;
  const isNarrow = name !== undefined || labelSelector !== undefined || fieldSelector !== undefined;
  if (isNarrow && classSearched(need.kind, need.scope) === undefined) return need;
  const scope: Scope = { ...(namespace !== undefined && { namespace }), ...someScope };
  return { ...need, scope };
}
