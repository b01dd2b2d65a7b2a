import type {
  Confidence,
  Finding,
  ObjectRef,
  ReportCause,
  ReportItem,
  Stage,
  Status,
  Unread,
} from '../report/report.ts';
import type { Pod } from '../kube/kinds.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { refOf } from '../graph/inquiry.ts';
import { guardFix } from '../report/guard-fix.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import { describeUnread, unmeasuredUsage } from '../graph/unread.ts';
import { containerStatusesOf } from '../facts/pod/pod-state.ts';
import type { Candidate } from './explain-stage.ts';
import { fallbackCauses } from './unexplained/fallback-causes.ts';
import type { Verdict } from './verdict.ts';

/** An item of the report, with the key under which its cause is folded with those of other targets. */
export interface Judged {
  readonly item: ReportItem;
  readonly foldKey: string | undefined;
}

const statusRank: Record<Status, number> = { blocked: 0, unknown: 1, waiting: 2, healthy: 3 };
const stageRank: Record<Stage, number> = {
  delete: 0,
  claim: 0,
  bind: 1,
  provision: 1,
  schedule: 2,
  attach: 3,
  mount: 4,
  expand: 5,
  modify: 6,
  snapshot: 7,
};

/** The worst of a target's journeys decides, the earliest stage first. */
export function itemOf(target: TargetRef, verdicts: readonly Verdict[], ask: Inquiry): Judged {
  const verdict = worstOf(verdicts);
  const ref = targetRef(target, ask);
  const causes = verdict.causes.length > 0 ? verdict.causes : fallbackCauses(verdict, ref, ask);
  const [cause] = causes;
  // Each stage of a driver is a journey of its own, and the driver was not called.
  const isSoundDriver = target.kind === 'CSIDriver' && verdict.status === 'healthy';
  const phase = isSoundDriver ? 'not probed' : phaseOf(target, ask);
  const item: ReportItem = {
    target: ref,
    status: verdict.status,
    ...(phase !== undefined && { phase }),
    ...(verdict.stage !== undefined && { stage: verdict.stage }),
    ...(cause !== undefined && { cause: cause.cause }),
    summary: cause?.summary ?? noteOf(isSoundDriver ? (verdicts.at(-1) ?? verdict) : verdict),
    stages: isSoundDriver ? verdicts.flatMap(({ stages }) => stages) : verdict.stages,
    findings: findingsOf(causes, verdicts),
    unread: [...unreadOf(ask, cause?.confidence), ...unreadUsageOf(target, ask)],
  };
  return { item, foldKey: cause && `${cause.cause}/${cause.about ?? cause.summary}` };
}

/** The verdict that decides about a target with several journeys. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  const order = (verdict: Verdict): number =>
    statusRank[verdict.status] * 100 + (verdict.stage ? stageRank[verdict.stage] : 99);
  return verdicts.reduce((worst, other) => (order(other) < order(worst) ? other : worst));
}

function noteOf({ status, note }: Verdict): string {
  return status === 'unknown' ? `Could not be determined: ${note}` : note || 'No problem was found';
}

function targetRef(target: TargetRef, ask: Inquiry): ObjectRef {
  const object = ask.graph.find(target.kind, target.namespace, target.name);
  return object
    ? refOf(object)
    : { kind: target.kind, ...(target.namespace !== undefined && { namespace: target.namespace }), name: target.name };
}

/** The word in kubectl's STATUS column. */
function phaseOf(target: TargetRef, ask: Inquiry): string | undefined {
  const object = ask.graph.find(target.kind, target.namespace, target.name);
  if (object?.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (target.kind === 'Pod') {
    const pod = ask.graph.find('Pod', target.namespace, target.name);
    return pod && phaseOfPod(pod);
  }
  const status: unknown = object && 'status' in object ? object.status : undefined;
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return typeof phase === 'string' ? phase : undefined;
}

function phaseOfPod(pod: Pod): string | undefined {
  const waiting = containerStatusesOf(pod).find(({ state }) => state?.waiting?.reason)?.state?.waiting;
  return waiting?.reason ?? pod.status?.reason ?? pod.status?.phase;
}

function findingsOf(causes: readonly Candidate[], verdicts: readonly Verdict[]): Finding[] {
  const findings: Finding[] = [];
  const add = (candidate: Candidate, role: Finding['role']): void => {
    const { cause, stage, severity, confidence, summary, evidence, fix } = candidate;
    if (findings.some((finding) => finding.summary === summary && finding.cause === cause)) return;
    findings.push({ cause, stage, severity, confidence, summary, evidence, fix: fix.map(guardFix), role });
  };
  for (const [index, candidate] of causes.entries()) add(candidate, index === 0 ? 'cause' : 'consequence');
  for (const verdict of verdicts) for (const candidate of verdict.causes) add(candidate, 'consequence');
  for (const verdict of verdicts) for (const candidate of verdict.advice) add(candidate, 'advice');
  return findings;
}

/** A proven cause does not depend on what a dump leaves out; what could not be read is reported all the same. */
function unreadOf(ask: Inquiry, confidence: Confidence | undefined): Unread[] {
  return describeUnread(
    ask.unanswered.filter(
      ({ observation }) => confidence !== 'certain' || observation.state === 'denied' || observation.state === 'failed',
    ),
  );
}

/** The claims of the target that were not measured although measurements were requested. */
function unreadUsageOf({ kind, namespace = '', name }: TargetRef, { graph }: Inquiry): Unread[] {
  if (graph.snapshot.usage === undefined) return [];
  const pod = kind === 'Pod' ? graph.find('Pod', namespace, name) : undefined;
  const ofPod = pod ? claimNamesOf(pod) : [];
  const claims = kind === 'PersistentVolumeClaim' ? [name] : ofPod;
  return unmeasuredUsage(
    graph,
    claims.filter((claim) => graph.usageOf(namespace, claim) === undefined).map((claim) => `${namespace}/${claim}`),
  );
}

/** Forty claims behind one dead driver are one cause with forty targets. */
export function foldCauses(judged: readonly Judged[]): ReportCause[] {
  const folded = new Map<string, { cause: string; summary: string; targets: ObjectRef[] }>();
  for (const { item, foldKey } of judged) {
    if (foldKey === undefined || item.cause === undefined) continue;
    const known = folded.get(foldKey);
    if (known) known.targets.push(item.target);
    else folded.set(foldKey, { cause: item.cause, summary: item.summary, targets: [item.target] });
  }
  return [...folded.values()];
}
