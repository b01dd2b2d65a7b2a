import type { ObjectOf, Pod } from '../../kube/kinds.ts';
import type { Unread } from '../../report/report.ts';
import { resourceOf } from '../../kube/resources.ts';
import { nearNames } from '../../kube/names.ts';
import { matchesFields } from '../../kube/field-path.ts';
import type { ObjectName, Row, RowDetail, RowKind, RowOf, RowQuestion } from '../../report/rows.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, RawObject, Snapshot, Source } from '../../kube/snapshot.ts';
import { compareText, graphOf } from '../../graph/cluster-graph.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { namespacePresence } from '../../graph/namespace-presence.ts';
import type { NamespacePresence } from '../../graph/namespace-presence.ts';
import { describeUnread, needsOf, unmeasuredUsage } from '../../graph/unread.ts';
import { attachmentRow } from './attachment-rows.ts';
import { bucketClaimRow, bucketRow } from './bucket-rows.ts';
import { capacityRow } from './capacity-rows.ts';
import { claimRow } from './claim-rows.ts';
import { classRow } from './class-rows.ts';
import { csiNodeRow } from './csi-node-rows.ts';
import { driverRow, undeclaredDrivers } from './driver-rows.ts';
import { podRow, usesStorage } from './pod-rows.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { snapshotRow } from './snapshot-rows.ts';
import { volumeRow } from './volume-rows.ts';

/** The answer to one question. */
export interface RowAnswer {
  readonly kind: RowKind;
  readonly rows: readonly Row[];
  /** Names that do not exist, with similar names that may have been intended. */
  readonly missing: readonly { readonly name: string; readonly near: readonly string[] }[];
  /** The server does not serve the kind. */
  readonly isAbsent: boolean;
  /** Why not all objects of the kind could be read; empty when they could. */
  readonly unreadKind: readonly Unread[];
  /** Where the namespace has no object of the kind: whether it exists. */
  readonly place?: NamespacePresence;
  /** Where a selector matches none: how many objects there are without it; absent if that could not be read. */
  readonly unselected?: number;
}

export interface RowsSurvey {
  readonly takenAt: string;
  readonly source: Source;
  readonly answers: readonly RowAnswer[];
  /** Related kinds that could not be read. */
  readonly unread: readonly Unread[];
  readonly needs: readonly Need[];
  /** What does not look healthy; `withCauses` diagnoses it. */
  readonly suspects: readonly TargetRef[];
  /** The object of a row as it was read, to evaluate paths on; undefined for a row without an object. */
  readonly objectOf: (kind: RowKind, row: ObjectName) => RawObject | undefined;
}

const rowBuilders: { readonly [K in RowKind]: (desk: RowDesk, object: ObjectOf<K>) => RowOf[K] } = {
  PersistentVolumeClaim: claimRow,
  Pod: podRow,
  PersistentVolume: volumeRow,
  StorageClass: classRow,
  CSINode: csiNodeRow,
  VolumeAttachment: attachmentRow,
  CSIDriver: driverRow,
  VolumeSnapshot: snapshotRow,
  CSIStorageCapacity: capacityRow,
  BucketClaim: bucketClaimRow,
  Bucket: bucketRow,
};

const none = (): [] => [];

/** Objects that exist only because other objects mention them. */
const undeclaredObjects: { readonly [K in RowKind]: (ask: Inquiry) => readonly ObjectOf<K>[] } = {
  PersistentVolumeClaim: none,
  Pod: none,
  PersistentVolume: none,
  StorageClass: none,
  CSINode: none,
  VolumeAttachment: none,
  CSIDriver: undeclaredDrivers,
  VolumeSnapshot: none,
  CSIStorageCapacity: none,
  BucketClaim: none,
  Bucket: none,
};

/** The rows of each question, with facts about related objects. */
export function surveyRows(snapshot: Snapshot, questions: readonly RowQuestion[], detail: RowDetail): RowsSurvey {
  const graph = graphOf(snapshot);
  const suspects: TargetRef[] = [];
  const desk: RowDesk = {
    ask: new Inquiry(graph),
    isWide: detail === 'wide',
    suspect: (target) => void suspects.push(target),
  };
  const objectOf = objectFinder(graph);
  const outcomes = questions.map((question) => answerQuestion(desk, question, detail, objectOf));
  return {
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    answers: outcomes.map(({ answer }) => answer),
    unread: [...describeUnread(desk.ask.unanswered), ...unmeasuredUsage(graph, unmeasuredClaims(outcomes))],
    needs: [...needsOf(desk.ask.unanswered), ...outcomes.flatMap(({ needs }) => needs)],
    suspects,
    objectOf,
  };
}

function unmeasuredClaims(outcomes: readonly { readonly answer: RowAnswer }[]): string[] {
  return outcomes.flatMap(({ answer: { rows } }) =>
    rows.flatMap(({ namespace = '', name, unknown }) => (unknown?.includes('usage') ? [`${namespace}/${name}`] : [])),
  );
}

function answerQuestion<K extends RowKind>(
  desk: RowDesk,
  question: RowQuestion & { readonly kind: K },
  detail: RowDetail,
  objectOf: RowsSurvey['objectOf'],
): { readonly answer: RowAnswer; readonly needs: readonly Need[] } {
  const { graph } = desk.ask;
  const { kind, fieldSelector } = question;
  const main = new Inquiry(graph);
  const { objects, missing } =
    question.names.length > 0 ? findNamed(main, question) : { objects: listAll(main, desk, question), missing: [] };
  const kept =
    fieldSelector === undefined
      ? objects
      : objects.filter((object) => matchesFields(objectOf(kind, object.metadata), fieldSelector));
  // A list of names needs only the fields that every row has.
  const build = (detail === 'names' ? (_desk, object) => rowBase(object) : rowBuilders[kind]) as (
    desk: RowDesk,
    object: ObjectOf<K>,
  ) => Row;
  // Similar names are read only where a name is missing, and it is not reported if they cannot be.
  const beside = new Inquiry(graph);
  const near = missing.map((name) => ({
    name,
    near: nearNames(
      name,
      beside.list(kind, placeOf(question)).items.map(({ metadata }) => metadata.name),
    ),
  }));
  const isAbsent = graph.coverage.of(kind, {}).state === 'absentApi';
  const isEmpty = kept.length === 0 && main.unanswered.length === 0 && !isAbsent;
  const answer: RowAnswer = {
    kind,
    rows: inOrder(
      kind,
      kept.map((object) => build(desk, object)),
    ),
    missing: near,
    isAbsent,
    unreadKind: describeUnread(main.unanswered),
    ...(isEmpty && whyNone(beside, question, objects.length)),
  };
  return { answer, needs: [...needsOf(main.unanswered), ...needsOf(beside.unanswered)] };
}

/** What an empty answer may come from, apart from there being nothing: a misspelt namespace, or a selector. */
function whyNone(beside: Inquiry, question: RowQuestion, before: number): Pick<RowAnswer, 'place' | 'unselected'> {
  const namespace = placeOf(question);
  const { items, complete } =
    question.labelSelector === undefined
      ? { items: { length: before }, complete: true }
      : beside.list(question.kind, namespace);
  const isChosen = question.labelSelector !== undefined || question.fieldSelector !== undefined;
  return {
    ...(namespace !== undefined && items.length === 0 && { place: namespacePresence(beside, namespace) }),
    ...(isChosen && complete && { unselected: items.length }),
  };
}

/** By name, as in the graph; published capacity, whose names are generated, by class and segment. */
function inOrder(kind: RowKind, rows: readonly Row[]): readonly Row[] {
  if (kind !== 'CSIStorageCapacity') return rows;
  const orderOf = (row: Row): string => ('segment' in row ? `${row.storageClass} ${row.segment}` : '');
  return [...rows].sort((a, b) => compareText(orderOf(a), orderOf(b)));
}

function listAll<K extends RowKind>(
  main: Inquiry,
  desk: RowDesk,
  question: RowQuestion & { readonly kind: K },
): readonly ObjectOf<K>[] {
  const { kind, labelSelector } = question;
  const namespace = placeOf(question);
  const needed = `which ${resourceOf(kind).name} there are`;
  if (labelSelector !== undefined)
    return main
      .listLabelled(kind, namespace, labelSelector, needed)
      .items.filter((object) => isListed(object as ObjectOf<RowKind>));
  const { items } = main.list(kind, namespace, needed);
  return [...items.filter((object) => isListed(object as ObjectOf<RowKind>)), ...undeclaredObjects[kind](desk.ask)];
}

/** Of the pods only those with storage; any other is shown when it is named. */
function isListed(object: ObjectOf<RowKind>): boolean {
  return object.kind !== 'Pod' || usesStorage(object as Pod);
}

/** By name; where no namespace is given, as for a dump, in every namespace. */
function findNamed<K extends RowKind>(
  main: Inquiry,
  question: RowQuestion & { readonly kind: K },
): { readonly objects: ObjectOf<K>[]; readonly missing: string[] } {
  const { kind, names } = question;
  const namespace = placeOf(question);
  const isAnyNamespace = resourceOf(kind).namespaced && namespace === undefined;
  const objects: ObjectOf<K>[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const needed = `whether ${resourceOf(kind).aliases[0] ?? kind}/${name} exists`;
    if (isAnyNamespace) {
      const listing = main.list(kind, undefined, needed);
      const found = main.graph.group(kind, 'name', ({ metadata }) => [metadata.name]).get(name) ?? [];
      objects.push(...found);
      if (found.length === 0 && listing.complete) missing.push(name);
    } else {
      const lookup = main.get(kind, namespace, name, needed);
      if (lookup.state === 'found') objects.push(lookup.object);
      else if (lookup.state === 'missing') missing.push(name);
    }
  }
  if (missing.length === 0) return { objects, missing };
  const undeclared = new Map(undeclaredObjects[kind](main).map((object) => [object.metadata.name, object]));
  return {
    objects: [...objects, ...missing.flatMap((name) => undeclared.get(name) ?? [])],
    missing: missing.filter((name) => !undeclared.has(name)),
  };
}

function placeOf({ kind, namespace }: RowQuestion): string | undefined {
  return resourceOf(kind).namespaced ? namespace : undefined;
}

function objectFinder(graph: ClusterGraph): RowsSurvey['objectOf'] {
  const byKind = new Map<RowKind, ReadonlyMap<string, RawObject>>();
  const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
  return (kind, row) => {
    const objects =
      byKind.get(kind) ??
      new Map(graph.rawOfKind(kind).map((object) => [keyOf(object.metadata.namespace, object.metadata.name), object]));
    byKind.set(kind, objects);
    return objects.get(keyOf(row.namespace, row.name));
  };
}
