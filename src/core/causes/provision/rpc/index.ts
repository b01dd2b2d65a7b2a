import type { Rule } from '../../lib/rule.ts';
import { provisionContentSourceMissing, provisionPvSaveFailed, provisionSizeShort } from './after-creation.ts';
import { provisionInBackground } from './provision-in-background.ts';
import {
  provisionAccessmodeUnsupported,
  provisionInfeasible,
  provisionInvalidArgument,
  provisionOutOfRange,
  provisionUnimplemented,
} from './refused-request.ts';
import {
  provisionAlreadyExists,
  provisionCredentials,
  provisionInternal,
  provisionResourceExhausted,
  provisionSourceNotFound,
} from './storage-trouble.ts';

/** What the driver answered to CreateVolume. One error has one kind, so at most one of these fires. */
export const rpcRules: readonly Rule[] = [
  provisionAccessmodeUnsupported,
  provisionInfeasible,
  provisionInvalidArgument,
  provisionOutOfRange,
  provisionUnimplemented,
  provisionCredentials,
  provisionResourceExhausted,
  provisionSourceNotFound,
  provisionAlreadyExists,
  provisionSizeShort,
  provisionContentSourceMissing,
  provisionPvSaveFailed,
  provisionInternal,
  provisionInBackground,
];
