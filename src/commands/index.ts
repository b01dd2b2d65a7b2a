import type { CommandTable } from '../cli/base-command.ts';
import { exitCodes } from '../cli/exit-codes.ts';
import type { ServiceTable } from '../cli/program.ts';
import { print } from '../terminal/output.ts';

/** Every command, in the order of the help. Only the one that runs is loaded. */
export const commands: CommandTable = {
  'why-pending': () => import('./why-pending/command.ts'),
  why: () => import('./why/command.ts'),
  status: () => import('./status/command.ts'),
  get: () => import('./get/command.ts'),
  trace: () => import('./trace/command.ts'),
  tui: () => import('./tui/command.ts'),
  mcp: () => import('./mcp/command.ts'),
  serve: () => import('./serve/command.ts'),
  capture: () => import('./capture/command.ts'),
  probe: () => import('./probe/command.ts'),
  check: () => import('./check/command.ts'),
  wait: () => import('./wait/command.ts'),
  preflight: () => import('./preflight/command.ts'),
  'what-if': () => import('./what-if/command.ts'),
  explain: () => import('./explain/command.ts'),
  causes: () => import('./causes/command.ts'),
  rbac: () => import('./rbac/command.ts'),
  completion: () => import('./completion/command.ts'),
  'completion install': () => import('./completion/install-command.ts'),
  demo: () => import('./demo/command.ts'),
  version: () => import('./version/command.ts'),
};

export const services: ServiceTable = {
  // Completion of a line that is still being typed, so nothing in it is an error yet.
  __complete: async (words) => {
    const { completeLine } = await import('./completion/run/complete.ts');
    await print(await completeLine(words));
    return exitCodes.ok;
  },
  __tui: async () => {
    const { serveTui } = await import('./tui/worker.ts');
    await serveTui();
    return exitCodes.ok;
  },
  __serve: async () => {
    const { serveReading } = await import('./serve/run/worker.ts');
    await serveReading();
    return exitCodes.ok;
  },
};
