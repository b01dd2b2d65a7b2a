import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgedKinds } from '../../src/cli/targets.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import type { Kind } from '../../src/core/kube/kinds.ts';
import { resourceOf } from '../../src/core/kube/resources.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import type { ReportItem } from '../../src/core/report/report.ts';
import { askCheck } from '../../src/core/survey/checks/ask-check.ts';
import { askStatus } from '../../src/core/survey/status/ask-status.ts';
import { readFiles } from '../../src/io/files/read-files.ts';
import { loadScenarios } from '../kit/scenario.ts';

/**
 * A node is judged in a search only where it has no CSINode, or a volume whose driver is not there: to ask every node which drivers its
 * pods need would read all pods. Here a driver without a CSIDriver object also lacks a label on the node; the search finds its other
 * fault, that its attacher does not run.
 */
const nodesBesideAnotherFault: readonly string[] = ['attach-attacher-not-running--migrated node/node-b'];

/** Kinds of which `why -A` names each one that is stuck. The others may be named by what waits for them, with the same cause. */
const namedThemselves: ReadonlySet<string> = new Set([
  'Pod',
  'VolumeSnapshot',
  'VolumeGroupSnapshot',
  'VolumeGroupSnapshotContent',
  'VolumeAttachment',
  'Namespace',
]);

const directory = join(import.meta.dirname, '../truth');
const scenarios = loadScenarios().map(({ id, snapshot }) => [id, snapshot] as const);

describe('whatever a question by name calls blocked', () => {
  it('is found by why -A, why -n, check and status with the same cause, in every scenario', () => {
    const wrong = scenarios.flatMap(([id, snapshot]) => disagreements(snapshot).map((text) => `${id} ${text}`));
    expect(wrong).toEqual(nodesBesideAnotherFault);
  });

  it('is found by them in every dump, whether it is complete or not', async () => {
    const wrong: string[] = [];
    for (const name of readdirSync(directory).sort())
      for (const complete of [false, true]) {
        const snapshot = await readFiles([join(directory, name, 'cluster.yaml')], { complete });
        wrong.push(...disagreements(snapshot).map((text) => `${name}${complete ? ' --complete' : ''} ${text}`));
      }
    expect(wrong).toEqual([]);
  });
});

/** The objects that a question by name calls blocked and that one of the searches does not find. */
function disagreements(snapshot: Snapshot): string[] {
  const blocked = snapshot.objects
    .filter(({ kind }) => (judgedKinds.everything as readonly string[]).includes(kind))
    .flatMap((object) => diagnose(snapshot, { targets: [targetOf(object)] }).report.items)
    .filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return [];
  const everywhere = new Search(snapshot, undefined);
  const searches = new Map<string, Search>();
  const missed = blocked.filter((item) => {
    const { namespace } = item.target;
    if (!everywhere.finds(item)) return true;
    if (namespace === undefined) return false;
    const inside = searches.get(namespace) ?? new Search(snapshot, namespace);
    searches.set(namespace, inside);
    return !inside.finds(item);
  });
  return missed.map(({ target }) => `${resourceOf(target.kind as Kind).aliases[0] ?? ''}/${target.name}`);
}

/** The three searches, in one namespace or everywhere. */
class Search {
  readonly #why: readonly ReportItem[];
  readonly #checked: ReadonlySet<string>;
  readonly #counted: ReadonlySet<string | undefined>;

  constructor(snapshot: Snapshot, namespace: string | undefined) {
    const selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) } as const;
    this.#why = diagnose(snapshot, selection).report.items.filter(({ status }) => status === 'blocked');
    this.#checked = new Set(askCheck(snapshot, selection).survey.findings.map(({ id }) => id));
    this.#counted = new Set(askStatus(snapshot, selection).status.stuck.map(({ cause }) => cause));
  }

  finds({ target, cause = '' }: ReportItem): boolean {
    const same = this.#why.filter((item) => item.cause === cause);
    const isFound = namedThemselves.has(target.kind)
      ? same.some((item) => item.target.name === target.name && item.target.namespace === target.namespace)
      : same.length > 0;
    return isFound && this.#checked.has(cause) && this.#counted.has(cause);
  }
}

function targetOf({ kind, metadata: { name, namespace } }: RawObject): TargetRef {
  return { kind: kind as Kind, name, ...(namespace !== undefined && { namespace }) };
}
