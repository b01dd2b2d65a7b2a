import type { Confidence, Finding, Severity, Stage } from '../report/report.ts';
import { isPresent } from '../facts/claim/claim-case.ts';
import type { ObjectCase, ObjectKind } from '../facts/object-case.ts';
import type { Journey } from '../journey/plan.ts';
import type { Explanation, ObjectRule, PodRule, Rule, RulesOfStage } from '../causes/lib/rule.ts';

/** A finding before its role is known, and what it is about, for folding. */
export interface Candidate extends Omit<Finding, 'role'> {
  readonly about: string | undefined;
}

/** What the rules of a stage find, in the order of judgement; a proven cause ends the search. */
export function explainStage(stage: Stage, journey: Journey, rules: RulesOfStage): Candidate[] {
  const candidates: Candidate[] = [];
  for (const rule of rememberRules(rules)(stage, journey.object?.object.kind ?? kindOfOthers)) {
    const explanation = applyRule(rule, journey);
    if (explanation === undefined) continue;
    const candidate = candidateOf(rule, explanation);
    candidates.push(candidate);
    // Later rules of the stage would only repeat it, and cost reads.
    if (isProven(candidate)) break;
  }
  return candidates;
}

/** Every other journey is that of a claim and its pods, which the same rules explain. */
const kindOfOthers = 'PersistentVolumeClaim';

export function isProven({ severity, confidence }: Candidate): boolean {
  return severity === 'blocking' && confidence === 'certain';
}

function applyRule(rule: Rule, journey: Journey): Explanation | undefined {
  const { claim, object } = journey;
  switch (rule.on) {
    case 'claim':
      return claim && isPresent(claim) ? rule.explain(claim) : undefined;
    case 'absentClaim': {
      const explanation = claim && claim.lookup.state !== 'found' ? rule.explain(claim) : undefined;
      return explanation && claim?.lookup.state === 'unknown' ? weaken(explanation) : explanation;
    }
    case 'pod':
      return explainFirstPod(rule, journey);
    default:
      return object && explainObject(rule, object);
  }
}

/** The first pod that the rule explains represents the others. */
function explainFirstPod(rule: PodRule, { pods }: Journey): Explanation | undefined {
  for (const pod of pods) {
    const explanation = rule.explain(pod);
    if (explanation) return explanation;
  }
  return undefined;
}

function explainObject(rule: ObjectRule<ObjectKind>, object: ObjectCase<ObjectKind>): Explanation | undefined {
  return object.object.kind === rule.on ? rule.explain(object) : undefined;
}

/** Where the claim could not be read, nothing proves that it is missing. */
function weaken(explanation: Explanation): Explanation {
  return (explanation.confidence ?? 'certain') === 'certain' ? { ...explanation, confidence: 'likely' } : explanation;
}

function candidateOf(rule: Rule, explanation: Explanation): Candidate {
  const severity: Severity = explanation.severity ?? rule.severity;
  const confidence: Confidence = explanation.confidence ?? 'certain';
  const { summary, evidence, fix, about } = explanation;
  return { cause: rule.cause, stage: rule.stage, severity, confidence, summary, evidence, fix, about };
}

const warningRules = new WeakMap<RulesOfStage, RulesOfStage>();

/** Only the rules that give advice: all that counts once a stage has passed. */
export function warningsOf(rules: RulesOfStage): RulesOfStage {
  let warnings = warningRules.get(rules);
  if (!warnings) {
    const remembered = rememberRules(rules);
    warnings = (stage, kind) => remembered(stage, kind).filter((rule) => rule.severity === 'warning');
    warningRules.set(rules, warnings);
  }
  return warnings;
}

const rememberedRules = new WeakMap<RulesOfStage, RulesOfStage>();

/** Looks up the rules of each stage and kind only once. */
function rememberRules(rules: RulesOfStage): RulesOfStage {
  const known = rememberedRules.get(rules);
  if (known) return known;
  const byJourney = new Map<string, readonly Rule[]>();
  const remembered: RulesOfStage = (stage, kind = kindOfOthers) => {
    const key = `${stage} ${kind}`;
    const found = byJourney.get(key) ?? rules(stage, kind);
    byJourney.set(key, found);
    return found;
  };
  rememberedRules.set(rules, remembered);
  return remembered;
}
