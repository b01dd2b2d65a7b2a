import type { Kind } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix, Severity, Stage } from '../../report/report.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import type { ObjectCase, ObjectKind } from '../../facts/object-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';

/** At least one line, by type: a finding that nothing proves cannot be written. */
export type EvidenceList = readonly [Evidence, ...Evidence[]];

/** What a rule says when it holds. */
export interface Explanation {
  /** Defaults to certain: the objects alone prove it. */
  readonly confidence?: Confidence;
  /** Set only where it differs from the rule's own. */
  readonly severity?: Severity;
  readonly summary: string;
  readonly evidence: EvidenceList;
  readonly fix: readonly Fix[];
  /**
   * What the cause is about, when it affects more than the target (a driver, a class, a node): targets with the same
   * cause and the same `about` are printed as one.
   */
  readonly about?: string;
}

interface RuleOf<On extends string, Subject> {
  readonly on: On;
  /** The slug: the rule's file, its page and its scenario have the same name (test/catalogue.test.ts). */
  readonly cause: string;
  readonly stage: Stage;
  readonly severity: Severity;
  /** Pure: reads objects, events and the snapshot's clock, nothing else. */
  explain(subject: Subject): Explanation | undefined;
}

export type ClaimRule = RuleOf<'claim', PresentClaim>;
/**
 * For a claim that a pod or a StatefulSet expects and that does not exist or could not be read: only other objects show
 * something about it.
 */
export type AbsentClaimRule = RuleOf<'absentClaim', ClaimCase>;
export type PodRule = RuleOf<'pod', PodCase>;
/** For every other kind: a volume, an attachment, a snapshot, a node, a driver, a class. */
export type ObjectRule<K extends ObjectKind> = RuleOf<K, ObjectCase<K>>;
export type AnyObjectRule = { readonly [K in ObjectKind]: ObjectRule<K> }[ObjectKind];
export type Rule = ClaimRule | AbsentClaimRule | PodRule | AnyObjectRule;
/** The rules that explain a stage of a journey, in the order of judgement: at least those that are about this kind. */
export type RulesOfStage = (stage: Stage, kind?: Kind) => readonly Rule[];

export const claimRule = (rule: Omit<ClaimRule, 'on'>): ClaimRule => ({ on: 'claim', ...rule });
export const absentClaimRule = (rule: Omit<AbsentClaimRule, 'on'>): AbsentClaimRule => ({ on: 'absentClaim', ...rule });
export const podRule = (rule: Omit<PodRule, 'on'>): PodRule => ({ on: 'pod', ...rule });
export const objectRule = <K extends ObjectKind>(on: K, rule: Omit<ObjectRule<K>, 'on'>): ObjectRule<K> => ({
  on,
  ...rule,
});
