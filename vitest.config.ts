import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Some workers wait for the programs that they start more than they work: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
