import type { Confidence, Finding, Severity, Stage, StageResult, Status } from '../report/report.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { parseTime } from '../kube/time.ts';
import { assessStage, mustBindFirst, waitsForClaims } from '../journey/assess.ts';
import type { Assessment } from '../journey/assessment.ts';
import { isPresent } from '../facts/claim/claim-case.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
import type { AnyObjectCase } from '../facts/object-case.ts';
import { planJourney } from '../journey/plan.ts';
import type { Journey } from '../journey/plan.ts';
import type { Explanation, Rule, RulesOfStage } from '../causes/lib/rule.ts';

/** A finding before its role is known, and what it is about, for folding. */
export interface Candidate extends Omit<Finding, 'role'> {
  readonly about: string | undefined;
}

export interface Verdict {
  readonly status: Status;
  /** The stage that decides; undefined when all passed. */
  readonly stage: Stage | undefined;
  readonly stages: readonly StageResult[];
  /** The cause first. */
  readonly causes: readonly Candidate[];
  readonly advice: readonly Candidate[];
  readonly note: string;
}

/** Walks a journey to the first stage that has not passed, and lets the rules of that stage explain it. */
export function judgeJourney(journey: Journey, rules: RulesOfStage, ask: Inquiry): Verdict {
  const stages: StageResult[] = [];
  const advice: Candidate[] = [];
  let hidden: { readonly stage: Stage; readonly note: string } | undefined;
  for (let index = 0; index < journey.stages.length; index += 1) {
    const stage = journey.stages[index] as Stage;
    const assessment = assessStage(stage, journey);
    if (assessment.isDoubtful) {
      const found = explainStage(stage, journey, rules);
      advice.push(...found.filter((candidate) => candidate.severity === 'warning'));
      const blocking = rank(found.filter((candidate) => candidate.severity === 'blocking'));
      const isHidden =
        blocking.length === 0 &&
        ask.unanswered.some(({ observation }) => observation.state === 'denied' || observation.state === 'failed');
      stages.push(resultOf(stage, blocking.length > 0 ? 'blocked' : isHidden ? 'unknown' : 'passed', assessment));
      if (blocking.length > 0)
        return { status: 'blocked', stage, stages, causes: blocking, advice, note: assessment.note };
      if (isHidden) hidden ??= { stage, note: `${assessment.note}; not all that could speak against it could be read` };
      continue;
    }
    if (assessment.state === 'passed' || assessment.state === 'notApplicable' || assessment.state === 'unreached') {
      stages.push(resultOf(stage, assessment.state, assessment));
      if (assessment.state === 'passed')
        for (const candidate of explainStage(stage, journey, rules, 'warning')) advice.push(candidate);
      continue;
    }
    const found = explainStage(stage, journey, rules);
    for (const candidate of found) if (candidate.severity === 'warning') advice.push(candidate);
    const decided = decide(assessment, found, ask, hidden !== undefined);
    if (decided === 'unknown') {
      // What could not be read here may still show its effect later on: go on looking.
      stages.push(resultOf(stage, 'unknown', assessment));
      hidden ??= { stage, note: assessment.note };
      continue;
    }
    stages.push(resultOf(stage, decided.status === 'blocked' ? 'blocked' : 'waiting', assessment));
    const note = `waits for ${stage}`;
    for (const later of journey.stages.slice(index + 1)) stages.push({ stage: later, state: 'unreached', note });
    return { status: decided.status, stage, stages, causes: decided.causes, advice, note: assessment.note };
  }
  if (hidden) return { status: 'unknown', stage: hidden.stage, stages, causes: [], advice, note: hidden.note };
  return {
    status: 'healthy',
    stage: undefined,
    stages,
    causes: [],
    advice,
    note: stages.findLast((stage) => stage.state === 'passed')?.note ?? '',
  };
}

function decide(
  assessment: Assessment,
  found: readonly Candidate[],
  ask: Inquiry,
  isAfterUnknown: boolean,
): 'unknown' | { readonly status: 'blocked' | 'waiting'; readonly causes: readonly Candidate[] } {
  const blocking = rank(found.filter((candidate) => candidate.severity === 'blocking'));
  if (blocking.length > 0) return { status: 'blocked', causes: blocking };
  const waits = rank(found.filter((candidate) => candidate.severity === 'info'));
  if (assessment.state === 'unknown' || isAfterUnknown) return 'unknown';
  if (waits.length > 0) return { status: 'waiting', causes: waits };
  if (isWithinGrace(assessment, ask.now)) return { status: 'waiting', causes: [] };
  return ask.unanswered.length > 0 ? 'unknown' : { status: 'blocked', causes: [] };
}

function isWithinGrace(assessment: Assessment, now: number): boolean {
  const since = parseTime(assessment.since);
  return since !== undefined && (now - since) / 1000 < (assessment.graceSeconds ?? 0);
}

/** Registry order is the order of judgement; only what is merely possible stands back. */
function rank(candidates: readonly Candidate[]): Candidate[] {
  if (candidates.length < 2) return [...candidates];
  return [
    ...candidates.filter((candidate) => candidate.confidence !== 'possible'),
    ...candidates.filter((candidate) => candidate.confidence === 'possible'),
  ];
}

/** Asked for once for each stage. */
interface Book {
  readonly of: RulesOfStage;
  /** The advice alone, which is all that counts once a stage has passed. */
  readonly warnings: RulesOfStage;
}

const books = new WeakMap<RulesOfStage, Book>();

function bookOf(rules: RulesOfStage): Book {
  let book = books.get(rules);
  if (!book) {
    const of = remembered(rules);
    books.set(
      rules,
      (book = { of, warnings: remembered((stage) => of(stage).filter((rule) => rule.severity === 'warning')) }),
    );
  }
  return book;
}

function remembered(rules: RulesOfStage): RulesOfStage {
  const known = new Map<Stage, readonly Rule[]>();
  return (stage) => {
    let found = known.get(stage);
    if (!found) known.set(stage, (found = rules(stage)));
    return found;
  };
}

function explainStage(stage: Stage, journey: Journey, rules: RulesOfStage, severity?: 'warning'): Candidate[] {
  const candidates: Candidate[] = [];
  const book = bookOf(rules);
  const chosen = severity === undefined ? book.of : book.warnings;
  for (const rule of chosen(stage)) {
    const explanation = explanationOf(rule, journey);
    if (explanation === undefined) continue;
    const candidate = candidateOf(rule, explanation);
    candidates.push(candidate);
    // Proven: what comes after in this stage would only repeat it, and cost reads.
    if (candidate.severity === 'blocking' && candidate.confidence === 'certain') return candidates;
  }
  if (stage === 'schedule' && journey.target === 'claim')
    candidates.push(...explainSiblings(journey, severity === undefined ? rules : chosen));
  return candidates;
}

function explanationOf(rule: Rule, journey: Journey): Explanation | undefined {
  const { claim } = journey;
  switch (rule.on) {
    case 'claim':
      return claim && isPresent(claim) ? rule.explain(claim) : undefined;
    case 'absentClaim': {
      const explanation = claim && claim.lookup.state !== 'found' ? rule.explain(claim) : undefined;
      return explanation && claim?.lookup.state === 'unknown' ? unproven(explanation) : explanation;
    }
    case 'pod': {
      // The first pod that a rule explains speaks for the others.
      for (const pod of journey.pods) {
        const explanation = rule.explain(pod);
        if (explanation) return explanation;
      }
      return undefined;
    }
    default: {
      const { object } = journey;
      return object && object.object.kind === rule.on
        ? (rule.explain as (subject: AnyObjectCase) => Explanation | undefined)(object)
        : undefined;
    }
  }
}

/** A delayed claim waits for its pod, and the pod of any claim may wait for another one: then that one is the cause. */
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
            summary: `pod/${pod.pod.metadata.name} also needs pvc/${sibling.name}: ${cause.summary}`,
          },
        ];
      if (verdict.status === 'waiting') return [waitForSibling(pod.pod.metadata.name, sibling, verdict)];
    }
  }
  return [];
}

function waitForSibling(podName: string, sibling: ClaimCase, { causes, note }: Verdict): Candidate {
  const [cause] = causes;
  const summary = `pod/${podName} also needs pvc/${sibling.name}, which is on its way: ${cause?.summary ?? note}`;
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

function candidateOf(rule: Rule, explanation: Explanation): Candidate {
  const severity: Severity = explanation.severity ?? rule.severity;
  const confidence: Confidence = explanation.confidence ?? 'certain';
  const { summary, evidence, fix, about } = explanation;
  return { cause: rule.cause, stage: rule.stage, severity, confidence, summary, evidence, fix, about };
}

function resultOf(stage: Stage, state: StageResult['state'], assessment: Assessment): StageResult {
  const { since, note } = assessment;
  return since === undefined ? { stage, state, note } : { stage, state, since, note };
}

/** Whoever did not see the claims can at best be told that one is missing. */
function unproven(explanation: Explanation): Explanation {
  return (explanation.confidence ?? 'certain') === 'certain' ? { ...explanation, confidence: 'likely' } : explanation;
}
