import type { CommandTable } from '../cli/base-command.ts';

/** Every command, in the order of the help. Only the one that runs is loaded. */
export const commands: CommandTable = {
  'why-pending': () => import('./why-pending.ts'),
  why: () => import('./why.ts'),
  probe: () => import('./probe.ts'),
  explain: () => import('./explain.ts'),
  causes: () => import('./causes.ts'),
  demo: () => import('./demo.ts'),
};
