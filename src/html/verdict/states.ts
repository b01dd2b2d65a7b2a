import type { StageState, Status } from '../../core/report/report.ts';

/** The glyph and colour of a verdict. */
export const itemStates: Readonly<Record<Status, StageState>> = {
  blocked: 'blocked',
  waiting: 'waiting',
  healthy: 'passed',
  unknown: 'unknown',
};
