import { diagnose } from '../../engine/diagnose.ts';
import type { Diagnosis } from '../../engine/diagnose.ts';
import { shortNameOf } from '../../kube/resources.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { scopeKey } from '../../kube/snapshot.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import { parseTime } from '../../kube/time.ts';
import type { ReportItem, Unread } from '../../report/report.ts';
import type { Trace, TraceVerdict } from '../../report/trace.ts';
import { markBroken } from './broken-link.ts';
import { traceTarget } from './trace-target.ts';

export interface TraceAnswer {
  /** Undefined if the target does not exist. */
  readonly trace: Trace | undefined;
  readonly diagnosis: Diagnosis;
  readonly needs: readonly Need[];
}

/**
 * The trace of one target with its verdict, both from one snapshot; `needs` is what either of them could not look up.
 */
export function askTrace(snapshot: Snapshot, target: TargetRef, commandEnd = ''): TraceAnswer {
  const diagnosis = diagnose(snapshot, { targets: [target] });
  const survey = traceTarget(snapshot, target);
  const needs = uniqueNeeds([...diagnosis.needs, ...survey.needs]);
  const [item] = diagnosis.report.items;
  if (!item) return { trace: undefined, diagnosis, needs };
  const { chain, start, timeline, gaps, accounts, isWithoutEvents, unread } = survey;
  const trace: Trace = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Trace',
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    target: item.target,
    verdict: verdictOf(item, commandEnd),
    chain: markBroken(chain, item),
    ...(start && { start }),
    timeline,
    gaps,
    accounts,
    ...(isWithoutEvents && { isWithoutEvents }),
    unread: uniqueUnread([...item.unread, ...unread]),
  };
  return { trace, diagnosis, needs };
}

function verdictOf(item: ReportItem, commandEnd: string): TraceVerdict {
  const { target, status, phase, stage, cause, summary } = item;
  const openStage = item.stages.find((row) => row.stage === stage && row.since !== undefined && row.state !== 'passed');
  const since = openStage?.since;
  const confidence = item.findings.find(({ role }) => role === 'cause')?.confidence;
  const namespace = target.namespace === undefined ? '' : ` -n ${shellWord(target.namespace)}`;
  return {
    status,
    ...(phase !== undefined && { phase }),
    ...(stage !== undefined && { stage }),
    ...(parseTime(since) !== undefined && since !== undefined && { since }),
    ...(cause !== undefined && { cause }),
    ...(cause !== undefined && confidence !== undefined && { confidence }),
    summary,
    command: `kubectl csi why ${shortNameOf(target.kind)}/${shellWord(target.name)}${namespace}${commandEnd}`,
  };
}

function uniqueNeeds(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [scopeKey(need.kind, need.scope), need])).values()];
}

function uniqueUnread(unread: readonly Unread[]): Unread[] {
  return [...new Map(unread.map((entry) => [`${entry.resource}/${entry.needed}`, entry])).values()];
}
