import { answerRule } from './driver-answer.ts';
import { tellRefusal } from './refused-request.ts';

/**
 * sig-storage-lib isInfeasibleError: from provisioner 6 on a refusal is retried rarely, and at once when the class is a
 * new object.
 */
export const provisionInfeasible = answerRule('provision-infeasible', 'infeasible', tellRefusal);
