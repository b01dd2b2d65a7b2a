import { answerRule } from './driver-answer.ts';
import { tellRefusal } from './refused-request.ts';

/**
 * CSI spec, CreateVolume: INVALID_ARGUMENT, for a required field that is missing or a parameter that the driver does
 * not take.
 */
export const provisionInvalidArgument = answerRule('provision-invalid-argument', 'invalidArgument', tellRefusal);
