import type { ReportItem, Finding } from '../../../report/report.ts';
import { diagnose } from '../../diagnose.ts';
import { foreseeableRules } from '../foreseeable.ts';
import type { TargetRef } from '../../../kube/selection.ts';
import type { Future } from './future.ts';
import { keyOfRef } from './operation.ts';
import { groupAlike } from './outlook.ts';
import { count } from './leave-node.ts';

interface Stuck {
  readonly item: ReportItem;
  readonly finding: Finding;
}

/**
 * What would be stuck afterwards and is not stuck now, and the other way round. Nothing that was rehearsed on its own.
 */
export function tellDifferences(f: Future): void {
  const told = new Set(f.effects.flatMap(({ objects }) => objects.map(keyOfRef)));
  const before = stuckIn(f, f.snapshot);
  const after = stuckIn(f, f.world.snapshot);
  const isNew = ([key, { finding }]: [string, Stuck]): boolean =>
    !told.has(key) && before.get(key)?.finding.cause !== finding.cause;
  const added = withoutOld(f, [...after].filter(isNew));
  for (const { key: cause, members } of groupAlike(added, ([, { finding }]) => finding.cause)) {
    const [[, first]] = members as [[string, Stuck]];
    f.add({
      effect: 'broken',
      severity: 'breaks',
      cause,
      confidence: first.finding.confidence,
      summary:
        members.length === 1
          ? first.finding.summary
          : `${count(members.length, 'object')} would be stuck. The first: ${first.finding.summary}`,
      objects: members.map(([, { item }]) => refOf(item)),
      evidence: first.finding.evidence,
      fix: first.finding.fix,
    });
  }
  const ended = [...before].filter(([key]) => !after.has(key) && !told.has(key) && stillThere(f, before.get(key)));
  for (const { key: cause, members } of groupAlike(ended, ([, { finding }]) => finding.cause))
    f.add({
      effect: 'repaired',
      severity: 'notice',
      cause,
      confidence: 'likely',
      summary: `${count(members.length, 'object')} would no longer be stuck (${cause}).`,
      objects: members.map(([, { item }]) => refOf(item)),
    });
}

/** An object that was stuck already, and was not listed because what depends on it was. */
function withoutOld(f: Future, added: readonly [string, Stuck][]): [string, Stuck][] {
  if (added.length === 0) return [];
  const targets = added.map(([, { item }]) => refOf(item)) as readonly TargetRef[];
  const { report, needs } = diagnose(f.snapshot, { targets }, foreseeableRules);
  f.need(needs);
  const old = new Map(report.items.map((item) => [keyOfRef(item.target), item.cause]));
  return added.filter(([key, { finding }]) => old.get(key) !== finding.cause);
}

function refOf({ target: { kind, namespace, name } }: ReportItem): ReportItem['target'] {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}

function stillThere(f: Future, stuck: Stuck | undefined): boolean {
  const { kind, namespace, name } = stuck?.item.target ?? { kind: '', namespace: undefined, name: '' };
  return f.world.get(kind, namespace, name) !== undefined;
}

function stuckIn(f: Future, snapshot: Future['snapshot']): ReadonlyMap<string, Stuck> {
  const { report, needs } = diagnose(snapshot, { breadth: 'everything' }, foreseeableRules);
  f.need(needs);
  return new Map(
    report.items.flatMap((item): [string, Stuck][] => {
      const finding = item.findings.find(({ role }) => role === 'cause');
      const isStuck =
        item.status === 'blocked' && finding?.severity === 'blocking' && finding.cause !== 'blocked-unexplained';
      return isStuck && finding.confidence !== 'possible' ? [[keyOfRef(item.target), { item, finding }]] : [];
    }),
  );
}
