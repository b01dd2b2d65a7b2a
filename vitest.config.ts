import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A worker waits for the programs that it starts more than it works: one for each core, also on a machine with two.
    maxWorkers: '100%',
  },
});
