import { defineConfig } from 'oxlint';
import type { OxlintOverride } from 'oxlint';

/** Which room may import which (docs/architecture.md). Imports point down only. */
const mayImport = {
  'core/kube': [],
  'core/report': ['core/kube'],
  'core/graph': ['core/kube', 'core/report'],
  'core/facts': ['core/kube', 'core/report', 'core/graph'],
  'core/journey': ['core/kube', 'core/report', 'core/graph', 'core/facts'],
  'core/causes': ['core/kube', 'core/report', 'core/graph', 'core/facts', 'core/journey'],
  'core/engine': ['core/kube', 'core/report', 'core/graph', 'core/facts', 'core/journey', 'core/causes'],
  'core/survey': ['core/kube', 'core/report', 'core/graph', 'core/facts', 'core/journey', 'core/causes', 'core/engine'],
  'io/files': ['core/kube', 'core/report'],
  'io/capture': ['core/kube', 'core/report'],
  'io/csi': ['core/kube', 'core/report'],
  'io/cluster': ['core/kube', 'core/report', 'io/files', 'io/csi'],
  terminal: ['core/kube', 'core/report'],
  sim: ['core/kube', 'core/report'],
  cli: ['core', 'io', 'terminal', 'sim'],
  tui: ['core/kube', 'core/report', 'terminal', 'commands'],
  commands: ['core', 'io', 'terminal', 'sim', 'cli', 'tui'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Room = keyof typeof mayImport;
const rooms = Object.keys(mayImport) as Room[];

/** Libraries that only some rooms may use. */
const libraries: Readonly<Record<string, readonly Room[]>> = {
  '@kubernetes/client-node': ['io/cluster'],
  'cli-table3': ['terminal'],
  'string-width': ['terminal', 'tui'],
  yaml: ['io/files', 'io/cluster', 'terminal', 'commands'],
  '@grpc/[^/]+': ['io/csi', 'sim'],
  ink: ['tui'],
  'ink-[^/]+': ['tui'],
  react: ['tui'],
  ws: ['io/cluster', 'sim'],
  '@oclif/core': ['cli', 'commands'],
};

/** Rooms without terminal, network, files and clock. */
const isPure = (room: Room): boolean => room.startsWith('core/');

/** Imports are relative, so a sibling in `core` or `io` is written without the name of its parent. */
function closedRoomPatterns(room: Room): string[] {
  const open: readonly string[] = mayImport[room];
  const closed = rooms.filter(
    (other) => other !== room && !open.some((allowed) => other === allowed || other.startsWith(`${allowed}/`)),
  );
  const [parent = ''] = room.split('/');
  const siblings = room.includes('/')
    ? closed.filter((other) => other.startsWith(`${parent}/`)).map((other) => other.slice(parent.length + 1))
    : [];
  return [
    `^(\\.\\./)+(src/)?(${closed.join('|')})/`,
    ...(siblings.length > 0 ? [`^(\\.\\./)+(${siblings.join('|')})/`] : []),
  ];
}

const roomOverrides = rooms.map((room): OxlintOverride => {
  const closedLibraries = Object.entries(libraries)
    .filter(([, open]) => !open.includes(room))
    .map(([name]) => name);
  const patterns = [
    ...closedRoomPatterns(room).map((regex) => ({
      regex,
      message: `${room} may import ${mayImport[room].join(', ') || 'nothing'} only`,
    })),
    { regex: `^(${closedLibraries.join('|')})(/|$)`, message: `this library is not for ${room}` },
    ...(isPure(room) ? [{ regex: '^node:', message: `${room} knows no terminal, no network and no files` }] : []),
  ];
  return {
    files: [`src/${room}/**`],
    rules: {
      'no-restricted-imports': ['error', { patterns }],
      ...(isPure(room) && {
        'no-restricted-globals': ['error', 'process', 'fetch', 'console'],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: "the time is the snapshot's" },
        ],
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
    { files: ['src/commands/*/*command.ts', '*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    // A test may look into an answer of any shape; the assertion is the check.
    { files: ['test/**'], rules: { 'typescript/no-explicit-any': 'off', 'typescript/no-non-null-assertion': 'off' } },
  ],
});
