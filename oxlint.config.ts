import { defineConfig } from 'oxlint';
import type { OxlintOverride } from 'oxlint';

/** Who may import whom (docs/architecture.md): arrows point down only. */
const rooms = ['model', 'graph', 'journey', 'causes', 'engine', 'preflight', 'survey', 'collect', 'probe', 'report', 'tui', 'sim', 'cli', 'commands'] as const;
type Room = (typeof rooms)[number];

const mayImport: Readonly<Record<Room, readonly Room[]>> = {
  model: [],
  graph: ['model'],
  journey: ['model', 'graph'],
  causes: ['model', 'graph', 'journey'],
  engine: ['model', 'graph', 'journey', 'causes'],
  preflight: ['model', 'graph', 'journey', 'causes', 'engine'],
  survey: ['model', 'graph', 'journey'],
  collect: ['model'],
  probe: ['model'],
  report: ['model'],
  tui: ['model', 'report'],
  sim: ['model'],
  cli: ['model', 'graph', 'journey', 'causes', 'engine', 'preflight', 'survey', 'collect', 'probe', 'report', 'tui', 'sim'],
  commands: ['cli'],
};

/** Libraries that live in some rooms only. */
const libraries: Readonly<Record<string, readonly Room[]>> = {
  '@kubernetes/client-node': ['collect'],
  'cli-table3': ['report'],
  'string-width': ['report', 'tui'],
  yaml: ['collect', 'report'],
  '@grpc/[^/]+': ['probe', 'sim'],
  ink: ['tui'],
  'ink-[^/]+': ['tui'],
  react: ['tui'],
  ws: ['collect', 'sim'],
  '@oclif/core': ['cli', 'commands'],
};

/** Rooms that know no terminal, no network, no files and no clock. */
const pureRooms: readonly Room[] = ['graph', 'journey', 'causes', 'engine', 'preflight', 'survey', 'report'];

const roomOverrides = rooms.map((room): OxlintOverride => {
  const closedRooms = rooms.filter((other) => other !== room && !mayImport[room].includes(other));
  const closedLibraries = Object.entries(libraries).filter(([, open]) => !open.includes(room)).map(([name]) => name);
  const patterns = [
    { regex: `^(\\.\\./)+(src/)?(${closedRooms.join('|')})/`, message: `${room} may import ${mayImport[room].join(', ') || 'nothing'} only` },
    { regex: `^(${closedLibraries.join('|')})(/|$)`, message: `this library is not for ${room}` },
    ...(pureRooms.includes(room) ? [{ regex: '^node:', message: `${room} knows no terminal, no network and no files` }] : []),
  ];
  return {
    files: [`src/${room}/**`],
    rules: {
      'no-restricted-imports': ['error', { patterns }],
      ...(pureRooms.includes(room) && {
        'no-restricted-globals': ['error', 'process', 'fetch', 'console'],
        'no-restricted-properties': ['error', { object: 'Date', property: 'now', message: 'the time is the snapshot\'s' }],
      }),
    },
  };
});

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { node: true, es2024: true },
  ignorePatterns: ['dist/**', 'coverage/**'],
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    // The compiler has its own, better check.
    'no-unused-vars': 'off',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-restricted-vi-methods': ['error', { mock: 'pass the port instead of mocking a module' }],
    // Matters of taste where the code is better as it is.
    'no-control-regex': 'off',
    'no-shadow': 'off',
    'promise/no-promise-in-callback': 'off',
    'import/no-named-as-default-member': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-useless-spread': 'off',
    'unicorn/prefer-string-starts-ends-with': 'off',
    'unicorn/require-module-specifiers': 'off',
    'vitest/expect-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/require-to-throw-message': 'off',
    'vitest/valid-title': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
  },
  overrides: [
    ...roomOverrides,
    { files: ['src/commands/*.ts', '*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    // A test may look into an answer of any shape; the assertion is the check.
    { files: ['test/**'], rules: { 'typescript/no-explicit-any': 'off', 'typescript/no-non-null-assertion': 'off' } },
  ],
});
