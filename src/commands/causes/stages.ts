import type { Stage } from '../../core/report/report.ts';

/** In the order in which the causes are listed. */
export const stages: readonly Stage[] = [
  'claim',
  'provision',
  'bind',
  'schedule',
  'attach',
  'mount',
  'expand',
  'modify',
  'snapshot',
  'delete',
];
