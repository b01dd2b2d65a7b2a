import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = {
  environment: 'node',
  // Only for what hangs: no test depends on how fast the machine is.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  setupFiles: ['test/kit/keep-compiled-code.ts'],
};

/** These import components in .tsx, which Node.js does not read by itself. */
const withComponents = ['test/tui/**/*.test.{ts,tsx}', 'test/commands/tui/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/kit/share-scenarios.ts'],
    // Some workers wait for the programs that they start more than they work: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: withComponents,
          // Node.js reads TypeScript itself, as it does when the sources run: half the time of an import.
          experimental: { viteModuleRunner: false },
        },
      },
      { test: { ...shared, name: 'tui', include: withComponents } },
    ],
  },
});
