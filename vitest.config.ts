import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/kit/longest-first.ts';

const shared = {
  environment: 'node',
  // Only for what hangs: no test depends on how fast the machine is.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  setupFiles: ['test/kit/keep-compiled-code.ts'],
  // kubectl is started some hundred times, for a moment each: Go need not collect its garbage.
  env: { GOGC: 'off' },
};

/** Node.js reads TypeScript itself, as it does when the sources run: half the time of an import. */
const readByNode = { viteModuleRunner: false };

/**
 * Pure tests change nothing outside themselves, so files in one worker share what they import: evaluating the engine
 * again for each of them takes longer than most of them run. The name of their project puts them last, where short
 * files fill the gaps.
 */
const pure = [
  'test/{core,html,messages,terminal}/**/*.test.ts',
  'test/io/{capture,files}/**/*.test.ts',
  'test/commands/**/text.test.ts',
  'test/commands/preflight/{preflight,scenarios,truth}.test.ts',
  'test/commands/what-if/what-if.test.ts',
  'test/docs/{architecture,cause-pages,commands,links,words}.test.ts',
  'test/{ages,catalogue,evidence,exports,log-scenarios,screens,truth}.test.ts',
];

/**
 * Each of these has a process of its own: it changes something of its process (the environment, a timer, what it prints),
 * measures its memory, or is long enough to be worth one.
 */
const apart = [
  'test/{fixes,scenarios}.test.ts',
  'test/attack/search-equals-name.test.ts',
  'test/build/part-code.test.ts',
  'test/cli/{denied,lint,live-scenarios,program,watch-loop}.test.ts',
  'test/commands/{completion,serve}/**/*.test.ts',
  'test/commands/rbac/rights.test.ts',
  'test/docs/cause-commands.test.ts',
  'test/io/cluster/{kubeconfig-oracle,login-leaks,request-queue}.test.ts',
  'test/io/csi/{failure-classes,many,tunnel}.test.ts',
  'test/sim/heartbeat.test.ts',
  'test/site/browser.test.ts',
];

/** These import components in .tsx, which Node.js does not read by itself. */
const withComponents = ['test/tui/**/*.test.{ts,tsx}', 'test/commands/tui/**/*.test.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/kit/share-scenarios.ts'],
    // Some workers wait for the programs that they start more than they work: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { ...shared, name: 'apart', include: apart, experimental: readByNode } },
      {
        test: {
          ...shared,
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: [...apart, ...withComponents, ...pure],
          isolate: false,
          experimental: readByNode,
        },
      },
      { test: { ...shared, name: 'units', include: pure, isolate: false, experimental: readByNode } },
      { test: { ...shared, name: 'tui', include: withComponents } },
    ],
  },
});
