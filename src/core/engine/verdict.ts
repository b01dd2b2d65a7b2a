import type { Stage, StageResult, Status } from '../report/report.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { parseTime } from '../kube/time.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
import { assessStage, mustBindFirst, waitsForClaims } from '../journey/assess.ts';
import type { Assessment } from '../journey/assessment.ts';
import { planJourney } from '../journey/plan.ts';
import type { Journey } from '../journey/plan.ts';
import type { RulesOfStage } from '../causes/lib/rule.ts';
import { sentence } from '../causes/lib/sentence.ts';
import { explainStage, isProven, warningsOf } from './explain-stage.ts';
import type { Candidate } from './explain-stage.ts';
import { tellState } from './unexplained/tell-state.ts';

export interface Verdict {
  readonly status: Status;
  /** The stage that decides; undefined when all passed. */
  readonly stage: Stage | undefined;
  readonly stages: readonly StageResult[];
  /** The cause first. */
  readonly causes: readonly Candidate[];
  readonly advice: readonly Candidate[];
  readonly note: string;
  /** How long the deciding stage may be open before that counts as blocked. */
  readonly graceSeconds?: number;
  readonly journey: Journey;
}

/** A walk through the stages of a journey, and what it has found so far. */
interface Walk {
  readonly journey: Journey;
  readonly rules: RulesOfStage;
  readonly ask: Inquiry;
  readonly stages: StageResult[];
  readonly advice: Candidate[];
  /** The first stage that could not be judged. */
  hidden?: { readonly stage: Stage; readonly note: string };
}

/** The stage that ends a walk. */
interface Decision {
  readonly status: 'blocked' | 'waiting';
  readonly causes: readonly Candidate[];
}

/** Walks a journey to the first stage that has not passed, and lets the rules of that stage explain it. */
export function judgeJourney(journey: Journey, rules: RulesOfStage, ask: Inquiry): Verdict {
  const walk: Walk = { journey, rules, ask, stages: [], advice: [] };
  const { stages, advice } = walk;
  for (const [index, stage] of journey.stages.entries()) {
    const assessment = assessStage(stage, journey);
    const decision = judgeStage(walk, stage, assessment);
    if (!decision) continue;
    for (const later of journey.stages.slice(index + 1))
      stages.push({ stage: later, state: 'unreached', note: `waits for ${stage}` });
    const { note, graceSeconds } = assessment;
    return { ...decision, stage, stages, advice, note, journey, ...(graceSeconds !== undefined && { graceSeconds }) };
  }
  const { hidden } = walk;
  if (hidden) return { status: 'unknown', stage: hidden.stage, stages, causes: [], advice, note: hidden.note, journey };
  const note = stages.findLast(({ state }) => state === 'passed')?.note ?? '';
  return { status: 'healthy', stage: undefined, stages, causes: [], advice, note, journey };
}

/** Undefined if the walk continues. */
function judgeStage(walk: Walk, stage: Stage, assessment: Assessment): Decision | undefined {
  const { state } = assessment;
  if (assessment.isDoubtful) return judgeDoubtfulStage(walk, stage, assessment);
  if (state === 'open' || state === 'unknown') return judgeOpenStage(walk, stage, assessment);
  walk.stages.push(resultOf(stage, state, assessment));
  if (state === 'passed') walk.advice.push(...findCandidates(stage, walk.journey, warningsOf(walk.rules)));
  return undefined;
}

/** A stage that has passed unless a rule proves otherwise. */
function judgeDoubtfulStage(walk: Walk, stage: Stage, assessment: Assessment): Decision | undefined {
  const found = findCandidates(stage, walk.journey, walk.rules);
  walk.advice.push(...found.filter(({ severity }) => severity === 'warning'));
  const blocking = rank(found.filter(({ severity }) => severity === 'blocking'));
  if (blocking.length > 0) {
    walk.stages.push(resultOf(stage, 'blocked', { ...assessment, note: assessment.brokenNote ?? assessment.note }));
    return { status: 'blocked', causes: blocking };
  }
  const isHidden = walk.ask.unanswered.some(
    ({ observation }) => observation.state === 'denied' || observation.state === 'failed',
  );
  walk.stages.push(resultOf(stage, isHidden ? 'unknown' : 'passed', assessment));
  if (isHidden)
    walk.hidden ??= { stage, note: `${assessment.note}, but not everything that could disprove it could be read` };
  return undefined;
}

function judgeOpenStage(walk: Walk, stage: Stage, assessment: Assessment): Decision | undefined {
  const found = findCandidates(stage, walk.journey, walk.rules);
  walk.advice.push(...found.filter(({ severity }) => severity === 'warning'));
  const decision = decide(assessment, found, walk);
  const { note, brokenNote = note } = assessment;
  const shown = decision?.status === 'blocked' ? { ...assessment, note: brokenNote } : assessment;
  walk.stages.push(resultOf(stage, decision?.status ?? 'unknown', shown));
  // What could not be read here may show its effect in a later stage.
  if (!decision) walk.hidden ??= { stage, note: noteOfHidden(assessment, walk.ask.now) };
  return decision;
}

/** Undefined when it cannot be known. */
function decide(assessment: Assessment, found: readonly Candidate[], { ask, hidden }: Walk): Decision | undefined {
  const blocking = rank(found.filter(({ severity }) => severity === 'blocking'));
  if (blocking.length > 0) return { status: 'blocked', causes: blocking };
  if (assessment.state === 'unknown' || hidden) return undefined;
  const waits = rank(found.filter(({ severity }) => severity === 'info'));
  if (waits.length > 0) return { status: 'waiting', causes: waits };
  if (isAheadOfClock(assessment, ask.now)) return undefined;
  if (isWithinGrace(assessment, ask.now)) return { status: 'waiting', causes: [] };
  if (assessment.hasFailed) return { status: 'blocked', causes: [] };
  return ask.unanswered.length > 0 ? undefined : { status: 'blocked', causes: [] };
}

function isWithinGrace(assessment: Assessment, now: number): boolean {
  const since = parseTime(assessment.since);
  return since !== undefined && (now - since) / 1000 < (assessment.graceSeconds ?? 0);
}

/** Clocks of the control plane agree within this. */
const clockToleranceMs = 60_000;

/** Whether the stage has a limit and begins after the time of the server: how long it has been open is then unknown. */
function isAheadOfClock({ since, graceSeconds = 0 }: Assessment, now: number): boolean {
  const begun = parseTime(since);
  return begun !== undefined && Number.isFinite(graceSeconds) && begun - now > clockToleranceMs;
}

function noteOfHidden(assessment: Assessment, now: number): string {
  return isAheadOfClock(assessment, now)
    ? `${assessment.note}, since ${assessment.since}, which is in the future for the clock of the server`
    : assessment.note;
}

/** The order of judgement, with what is only possible last. */
function rank(candidates: readonly Candidate[]): Candidate[] {
  if (candidates.length < 2) return [...candidates];
  return [
    ...candidates.filter(({ confidence }) => confidence !== 'possible'),
    ...candidates.filter(({ confidence }) => confidence === 'possible'),
  ];
}

function resultOf(stage: Stage, state: StageResult['state'], { since, note }: Assessment): StageResult {
  return { stage, state, ...(since !== undefined && { since }), note };
}

/** What the rules find, and, unless that is proven, why a claim's pod waits for another claim. */
function findCandidates(stage: Stage, journey: Journey, rules: RulesOfStage): Candidate[] {
  const candidates = explainStage(stage, journey, rules);
  if (stage === 'schedule' && journey.target === 'claim' && !candidates.some(isProven))
    candidates.push(...explainSiblings(journey, rules));
  return candidates;
}

/**
 * A delayed claim waits for its pod, and the pod of any claim may wait for another claim: then that one is the cause.
 */
function explainSiblings(journey: Journey, rules: RulesOfStage): Candidate[] {
  const { claim } = journey;
  if (!claim) return [];
  for (const pod of journey.pods) {
    if (claim.isBound && !waitsForClaims(pod)) continue;
    for (const sibling of pod.claims) {
      if (sibling.name === claim.name || !mustBindFirst(sibling)) continue;
      const verdict = judgeJourney(planJourney('claim', sibling, []), rules, sibling.ask);
      const cause = verdict.causes[0];
      if (verdict.status === 'blocked' && cause)
        return [
          {
            ...cause,
            stage: 'schedule',
            summary: `pod/${pod.pod.metadata.name} also needs pvc/${sibling.name}. ${cause.summary}`,
          },
        ];
      if (verdict.status === 'waiting') return [waitForSibling(pod.pod.metadata.name, sibling, verdict)];
    }
  }
  return [];
}

function waitForSibling(podName: string, sibling: ClaimCase, { causes, note }: Verdict): Candidate {
  const [cause] = causes;
  const state = cause?.summary ?? sentence(tellState(`pvc/${sibling.name}`, note));
  const summary = `pod/${podName} also needs pvc/${sibling.name}, which is not bound yet. ${state}`;
  const evidence: Candidate['evidence'] = [
    {
      object: { kind: 'PersistentVolumeClaim', namespace: sibling.namespace, name: sibling.name },
      path: 'status.phase',
      value: sibling.claim?.status?.phase ?? 'not set',
    },
  ];
  return {
    cause: cause?.cause ?? 'in-progress',
    stage: 'schedule',
    severity: 'info',
    confidence: 'certain',
    summary,
    evidence: cause?.evidence ?? evidence,
    fix: [],
    about: undefined,
  };
}
