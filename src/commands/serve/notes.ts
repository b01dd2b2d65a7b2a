import { sha256 } from '../../core/kube/sha256.ts';
import type { Evidence, ObjectRef, Report, ReportItem } from '../../core/report/report.ts';
import { stuckSince } from '../../core/report/stuck-since.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { findingOf, foldsOf } from '../../terminal/verdict/fold.ts';
import { oldestOf } from '../../terminal/verdict/summary.ts';

/** One cause of what is stuck, as notifications and metrics have it. */
export interface StuckNote {
  /**
   * The cause, and where several objects have the same reason, a digest of that reason. It survives restarts and
   * reveals no names.
   */
  readonly key: string;
  readonly cause: string;
  readonly summary: string;
  readonly count: number;
  readonly since?: string;
  readonly namespaces: readonly string[];
  /** The first fix, if it fits into a sentence. */
  readonly fix?: string;
  /** The first targets: `Kind|namespace|name`. */
  readonly targets: readonly string[];
}

/** More causes than this are left out, so with as many, one that is missing need not be gone. */
export const mostNotes = 200;
/** Of a cause with as many targets, there can be more. */
export const mostTargets = 20;
const longestText = 600;

/** The causes of what is proven stuck, folded by their key: a second volume with the same cause is no news. */
export function stuckNotes(report: Report): StuckNote[] {
  const stuck = foldsOf(report).flatMap(({ cause, summary, items }) =>
    items
      .filter(({ status }) => status === 'blocked')
      .map((item) => ({ cause, item, summary: items.length === 1 ? item.summary : summary })),
  );
  return [...Map.groupBy(stuck, keyOf)]
    .slice(0, mostNotes)
    .flatMap(([key, [first, ...others]]) => (first === undefined ? [] : [noteOf(key, first, [first, ...others])]));
}

interface StuckItem {
  readonly cause: string;
  readonly item: ReportItem;
  readonly summary: string;
}

export function unknownTargets(report: Report): string[] {
  return report.items.filter(({ status }) => status === 'unknown').map(({ target }) => nameOf(target));
}

function noteOf(key: string, { cause, item, summary }: StuckItem, group: readonly StuckItem[]): StuckNote {
  const targets = group.map((stuck) => stuck.item.target);
  const since = oldestOf(group.map((stuck) => stuck.item)) ?? stuckSince(item);
  const fix = findingOf(item, cause)?.fix[0]?.text;
  return {
    key,
    cause,
    summary: cut(summary),
    count: targets.length,
    ...(since !== undefined && { since }),
    namespaces: [...new Set(targets.flatMap(({ namespace }) => namespace ?? []))].sort().slice(0, mostTargets),
    ...(fix !== undefined && { fix: cut(fix) }),
    targets: targets.slice(0, mostTargets).map(nameOf),
  };
}

/** Texts come from the cluster, so they are cleaned and bounded before they leave it. */
function cut(text: string): string {
  const clean = sanitise(text);
  return clean.length <= longestText ? clean : `${clean.slice(0, longestText).toWellFormed()}…`;
}

/**
 * The cause and the object that is to blame, such as a class or a controller. Where every object is to blame itself,
 * the cause alone. Summaries hold counts and times, so they are no part of it.
 */
function keyOf({ cause, item }: StuckItem): string {
  const culprit = culpritOf(findingOf(item, cause)?.evidence ?? []);
  return culprit === undefined ? cause : `${cause}#${sha256(nameOf(culprit)).slice(0, 12)}`;
}

/**
 * Kinds that many targets share. What comes and goes with each target says nothing about a reason that they have in
 * common.
 */
const sharedKinds: ReadonlySet<string> = new Set([
  'StorageClass',
  'VolumeAttributesClass',
  'VolumeSnapshotClass',
  'CSIDriver',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Lease',
  'ResourceQuota',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
]);

function culpritOf(evidence: readonly Evidence[]): ObjectRef | undefined {
  return evidence
    .map(({ object }) => object)
    .filter(({ kind }) => sharedKinds.has(kind))
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))[0];
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
