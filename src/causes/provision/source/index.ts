import type { Rule } from '../../../journey/rule.ts';
import { cloneRules } from './clone.ts';
import { populatorRules } from './datasource-populator.ts';
import { referenceRules } from './reference.ts';
import { restoreRules } from './restore.ts';

/** The snapshot, claim or populator that the volume is to be made from (causes.md G5 f). */
export const sourceRules: readonly Rule[] = [...referenceRules, ...restoreRules, ...cloneRules, ...populatorRules];
