import type { Rule } from './lib/rule.ts';
import type { Kind } from '../kube/kinds.ts';
import type { ObjectKind } from '../facts/object-case.ts';
import type { Stage } from '../report/report.ts';
import { attachStageRules } from './attach/index.ts';
import { bindStageRules } from './bind/index.ts';
import { bucketDeletionRules, bucketStageRules } from './bucket/index.ts';
import { claimStageRules } from './claim/index.ts';
import { deleteStageRules } from './delete/index.ts';
import { staticVolumePolicyRules } from './delete/static-volume-policy.ts';
import { expandAtMountRules, expandStageRules } from './expand/index.ts';
import { resizeDeniedClass } from './expand/resize-denied-class.ts';
import { modifyStageRules } from './modify/index.ts';
import { healthRules } from './mount/health/index.ts';
import { mountStageRules } from './mount/index.ts';
import { provisionStageRules } from './provision/index.ts';
import { scheduleStageRules } from './schedule/index.ts';
import { wffcBindTimeoutOfBind } from './schedule/wffc-bind-timeout.ts';
import { snapshotStageRules } from './snapshot/index.ts';

/**
 * Rules and the stages that they explain. The bundle loads a group when a journey comes to one of its stages
 * (build/bundle.ts).
 */
interface RuleGroup {
  readonly stages: readonly Stage[];
  /** Set where all rules of the group are about these kinds: no other journey loads them. */
  readonly kinds?: readonly ObjectKind[];
  readonly rules: () => readonly Rule[];
}

const bucketKinds: readonly ObjectKind[] = ['Bucket', 'BucketClaim', 'BucketAccess'];

/** Every rule. Within a stage the order is the order of judgement: the first rule that holds is the cause. */
export const ruleGroups: readonly RuleGroup[] = [
  // Advice first: a proven cause ends the search through its stage.
  { stages: ['bind', 'mount'], rules: () => healthRules },
  { stages: ['claim', 'schedule', 'bind'], rules: () => claimStageRules },
  { stages: ['bind', 'provision'], rules: () => bindStageRules },
  { stages: ['provision', 'attach'], rules: () => provisionStageRules },
  { stages: ['schedule', 'provision'], rules: () => scheduleStageRules },
  { stages: ['attach', 'mount'], rules: () => attachStageRules },
  { stages: ['mount'], rules: () => expandAtMountRules },
  { stages: ['mount', 'attach', 'delete'], rules: () => mountStageRules },
  { stages: ['bind'], rules: () => [resizeDeniedClass, wffcBindTimeoutOfBind] },
  { stages: ['expand'], rules: () => expandStageRules },
  { stages: ['modify', 'delete'], rules: () => modifyStageRules },
  { stages: ['snapshot'], rules: () => snapshotStageRules },
  { stages: ['claim', 'provision', 'bind'], kinds: bucketKinds, rules: () => bucketStageRules },
  { stages: ['delete'], kinds: bucketKinds, rules: () => bucketDeletionRules },
  { stages: ['bind', 'delete'], rules: () => staticVolumePolicyRules },
  { stages: ['delete'], rules: () => deleteStageRules },
];

/** Without a kind, the rules for every kind. */
export function rulesOfStage(stage: Stage, kind?: Kind): readonly Rule[] {
  return ruleGroups.flatMap(({ stages, kinds, rules }) => {
    const isAbout = kind === undefined || kinds === undefined || kinds.some((own) => own === kind);
    return isAbout && stages.includes(stage) ? rules().filter((rule) => rule.stage === stage) : [];
  });
}

export function everyRule(): readonly Rule[] {
  return ruleGroups.flatMap(({ rules }) => rules());
}
