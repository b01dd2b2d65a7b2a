import type { Rule } from '../../journey/rule.ts';
import { wffcNoConsumer } from './wffc-no-consumer.ts';

/** The pod finds a node where its volumes can be: in the order of judgement. */
export const scheduleStageRules: readonly Rule[] = [wffcNoConsumer];
