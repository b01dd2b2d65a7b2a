import type { Rule } from '../../journey/rule.ts';
import { rpcRules } from './rpc/index.ts';
import { sourceRules } from './source/index.ts';

/** The driver makes a volume: in the order of judgement. */
export const provisionStageRules: readonly Rule[] = [...sourceRules, ...rpcRules];
