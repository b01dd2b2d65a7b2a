import type {
  Confidence,
  Evidence,
  Finding,
  ObjectRef,
  ReportCause,
  ReportItem,
  Stage,
  Status,
  Unread,
} from '../report/report.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { refOf } from '../graph/inquiry.ts';
import { describeUnread } from '../graph/unread.ts';
import { lastSeenText, messageOf } from '../graph/events.ts';
import { containerStatusesOf } from '../facts/pod/pod-state.ts';
import type { Candidate, Verdict } from './verdict.ts';

/** An item of the report, with the key under which its cause folds with that of other targets. */
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

/** Of a target's journeys the worst decides, the earliest stage first: one bad claim of a pod hides the others. */
export function itemOf(target: TargetRef, verdicts: readonly Verdict[], ask: Inquiry): Judged {
  const order = (verdict: Verdict): number =>
    statusRank[verdict.status] * 100 + (verdict.stage ? stageRank[verdict.stage] : 99);
  const verdict = verdicts.reduce((worst, other) => (order(other) < order(worst) ? other : worst));
  const ref = targetRef(target, ask);
  const causes = verdict.causes.length > 0 ? verdict.causes : fallbackCauses(verdict, ref, ask);
  const findings = findingsOf(causes, verdicts);
  const [cause] = causes;
  const phase = phaseOf(target, ask);
  const item: ReportItem = {
    target: ref,
    status: verdict.status,
    ...(phase !== undefined && { phase }),
    ...(verdict.stage !== undefined && { stage: verdict.stage }),
    ...(cause !== undefined && { cause: cause.cause }),
    summary:
      cause?.summary ??
      (verdict.status === 'unknown' ? `could not tell: ${verdict.note}` : verdict.note || 'nothing is wrong'),
    stages: verdict.stages,
    findings,
    unread: unreadOf(ask, cause?.confidence),
  };
  const foldKey =
    cause && (cause.about !== undefined ? `${cause.cause}/${cause.about}` : `${cause.cause}/${cause.summary}`);
  return { item, foldKey };
}

function targetRef(target: TargetRef, ask: Inquiry): ObjectRef {
  const object = ask.graph.find(target.kind, target.namespace, target.name);
  return object
    ? refOf(object)
    : { kind: target.kind, ...(target.namespace !== undefined && { namespace: target.namespace }), name: target.name };
}

/** The word in kubectl's STATUS column. */
function phaseOf(target: TargetRef, ask: Inquiry): string | undefined {
  if (target.kind === 'Pod') {
    const pod = ask.graph.find('Pod', target.namespace, target.name);
    if (pod?.metadata.deletionTimestamp !== undefined) return 'Terminating';
    return (
      pod &&
      (containerStatusesOf(pod).find((status) => status.state?.waiting?.reason)?.state?.waiting?.reason ??
        pod.status?.reason ??
        pod.status?.phase)
    );
  }
  const object = ask.graph.find(target.kind, target.namespace, target.name);
  if (object?.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const phase = (object as { readonly status?: { readonly phase?: unknown } } | undefined)?.status?.phase;
  return typeof phase === 'string' ? phase : undefined;
}

function findingsOf(causes: readonly Candidate[], verdicts: readonly Verdict[]): Finding[] {
  const findings: Finding[] = [];
  const add = (candidate: Candidate, role: Finding['role']): void => {
    const { cause, stage, severity, confidence, summary, evidence, fix } = candidate;
    if (findings.some((finding) => finding.summary === summary && finding.cause === cause)) return;
    findings.push({ cause, stage, severity, confidence, summary, evidence, fix, role });
  };
  for (const [index, candidate] of causes.entries()) add(candidate, index === 0 ? 'cause' : 'consequence');
  for (const verdict of verdicts) for (const candidate of verdict.causes) add(candidate, 'consequence');
  for (const verdict of verdicts) for (const candidate of verdict.advice) add(candidate, 'advice');
  return findings;
}

/** The two causes that belong to the program itself: still within its time, and proven stuck but unexplained. */
function fallbackCauses(verdict: Verdict, target: ObjectRef, ask: Inquiry): Candidate[] {
  if (verdict.stage === undefined || verdict.status === 'healthy' || verdict.status === 'unknown') return [];
  const isWait = verdict.status === 'waiting';
  return [
    {
      cause: isWait ? 'in-progress' : 'blocked-unexplained',
      stage: verdict.stage,
      severity: isWait ? 'info' : 'blocking',
      confidence: 'certain',
      summary: isWait
        ? `${verdict.note}: still within the usual time`
        : `${verdict.note}, and no known cause explains it`,
      evidence: rawEvidence(target, verdict, ask),
      fix: isWait
        ? []
        : [
            {
              text: 'look at the events and the logs of the component that owns this stage',
              command: describeCommand(target),
              risk: 'safe',
            },
          ],
      // What is not understood is not known to be the same for two targets.
      about: `${target.namespace ?? ''}/${target.kind}/${target.name}`,
    },
  ];
}

function rawEvidence(target: ObjectRef, verdict: Verdict, ask: Inquiry): Evidence[] {
  const stage = verdict.stages.find((result) => result.stage === verdict.stage);
  const state: Evidence = {
    object: target,
    path: `stage ${verdict.stage ?? ''}`,
    value: verdict.note,
    ...(stage?.since !== undefined && { at: stage.since }),
  };
  const events = target.uid === undefined ? [] : ask.graph.eventsAbout(target.uid);
  return [
    state,
    ...events.slice(-5).map((event): Evidence => {
      const at = lastSeenText(event);
      return {
        object: target,
        path: `event ${event.reason ?? ''}`,
        value: messageOf(event),
        ...(at !== undefined && { at }),
      };
    }),
  ];
}

function describeCommand(target: ObjectRef): string {
  if (target.uid === undefined)
    return `kubectl ${target.namespace ? `-n ${target.namespace} ` : ''}get events --sort-by=.metadata.creationTimestamp`;
  return `kubectl ${target.namespace ? `-n ${target.namespace} ` : ''}describe ${target.kind.toLowerCase()} ${target.name}`;
}

/** A proven cause does not depend on what a dump happens to leave out; what was refused is said all the same. */
function unreadOf(ask: Inquiry, confidence: Confidence | undefined): Unread[] {
  return describeUnread(
    ask.unanswered.filter(
      ({ observation }) => confidence !== 'certain' || observation.state === 'denied' || observation.state === 'failed',
    ),
  );
}

/** Forty claims behind one dead driver are one cause with forty subjects. */
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
