import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    environment: 'node',
    // Only for what hangs: no test depends on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Some workers wait for the programs that they start more than they work: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
