import type { CommandTable } from '../cli/base-command.ts';

/** Every command, in the order of the help. Only the one that runs is loaded. */
export const commands: CommandTable = {
  'why-pending': () => import('./why-pending.ts'),
  why: () => import('./why.ts'),
  status: () => import('./status.ts'),
  get: () => import('./get.ts'),
  trace: () => import('./trace.ts'),
  tui: () => import('./tui.ts'),
  capture: () => import('./capture.ts'),
  probe: () => import('./probe.ts'),
  check: () => import('./check.ts'),
  wait: () => import('./wait.ts'),
  preflight: () => import('./preflight.ts'),
  explain: () => import('./explain.ts'),
  causes: () => import('./causes.ts'),
  rbac: () => import('./rbac.ts'),
  completion: () => import('./completion.ts'),
  'completion install': () => import('./completion-install.ts'),
  demo: () => import('./demo.ts'),
};
