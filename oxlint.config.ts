import { existsSync, readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'oxlint';
import type { OxlintOverride } from 'oxlint';

/** Which room may import which (docs/architecture.md shows the same table). Imports point down only. */
export const mayImport = {
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
  html: ['core/kube', 'core/report', 'terminal'],
  sim: ['core/kube', 'core/report'],
  cli: ['core', 'io', 'terminal', 'html', 'sim'],
  tui: ['core/kube', 'core/report', 'terminal'],
  'tui/state': ['core/kube', 'core/report'],
  'tui/view-models': ['core/kube', 'core/report', 'terminal', 'commands', 'tui/state'],
  'tui/input': ['core/kube', 'core/report', 'terminal', 'tui/state', 'tui/view-models'],
  'tui/components': ['core/kube', 'terminal', 'tui/state', 'tui/view-models', 'tui/input'],
  mcp: ['core', 'io', 'terminal', 'cli', 'commands'],
  commands: ['core', 'io', 'terminal', 'html', 'sim', 'cli', 'tui', 'mcp'],
  start: [],
  build: ['core', 'terminal', 'sim', 'cli', 'commands'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Room = keyof typeof mayImport;
const rooms = Object.keys(mayImport) as Room[];

/** Libraries that only some rooms may use. */
const libraries: Readonly<Record<string, readonly Room[]>> = {
  '@kubernetes/client-node': [],
  'cli-table3': ['terminal'],
  'string-width': ['terminal'],
  yaml: ['io/files', 'io/cluster', 'terminal', 'commands', 'build'],
  '@grpc/[^/]+': ['io/csi', 'sim'],
  ink: ['tui', 'tui/components'],
  'ink-[^/]+': ['tui', 'tui/components'],
  react: ['tui', 'tui/components'],
  '@modelcontextprotocol/[^/]+': ['mcp', 'commands'],
  ws: ['io/cluster', 'sim'],
  '@oclif/core': ['cli', 'commands'],
};

/** The files of `cli` that only parse and compute, which pure files of commands may use. */
const pureCliFiles = [
  'arguments',
  'command-line',
  'connection-flags',
  'duration',
  'exit-codes',
  'manifest',
  'near-names',
  'question',
  'source-flags',
  'targets',
];

/** In a command's folder, these may read, write, wait and print. All of `tui` is wiring: its pure part is the room `tui`. */
const wiring = [
  'src/commands/index.ts',
  'src/commands/*/*command.ts',
  'src/commands/*/run.ts',
  'src/commands/*/run/**',
];
const wiringFolder = 'tui';

interface Pattern {
  readonly regex: string;
  readonly message: string;
}

/** Imports are relative, so a sibling in `core` or `io` is written without the name of its parent. */
function closedRooms(room: Room): Pattern[] {
  const open: readonly string[] = mayImport[room];
  const closed = rooms.filter(
    (other) => other !== room && !open.some((allowed) => other === allowed || other.startsWith(`${allowed}/`)),
  );
  const [parent = ''] = room.split('/');
  const siblings = room.includes('/')
    ? closed.filter((other) => other.startsWith(`${parent}/`)).map((other) => other.slice(parent.length + 1))
    : [];
  const message = `${room} may import ${open.join(', ') || 'nothing'} only`;
  return [
    { regex: `^(\\.\\./)+(src/)?(${closed.join('|')})/`, message },
    ...(siblings.length > 0 ? [{ regex: `^(\\.\\./)+(${siblings.join('|')})/`, message }] : []),
  ];
}

function closedLibraries(room: Room): Pattern {
  const names = Object.entries(libraries)
    .filter(([, open]) => !open.includes(room))
    .map(([name]) => name);
  return { regex: `^(${names.join('|')})(/|$)`, message: `this library is not for ${room}` };
}

function patternsOf(room: Room): Pattern[] {
  return [...closedRooms(room), closedLibraries(room)];
}

const noNode: Pattern = { regex: '^node:', message: 'this file is pure: no files, no network, no terminal' };

/** A pure file knows no process, no network and no time but the snapshot's. */
const pureRules: OxlintOverride['rules'] = {
  'no-restricted-globals': [
    'error',
    'process',
    'fetch',
    'console',
    'performance',
    'setTimeout',
    'setInterval',
    'setImmediate',
  ],
  'no-restricted-properties': ['error', { object: 'Date', property: 'now', message: "the time is the snapshot's" }],
};

function override(files: readonly string[], patterns: readonly Pattern[], rest: Partial<OxlintOverride> = {}) {
  return {
    ...rest,
    files: [...files],
    rules: { 'no-restricted-imports': ['error', { patterns: [...patterns] }], ...rest.rules },
  } satisfies OxlintOverride;
}

const roomOverrides = rooms.map((room): OxlintOverride => {
  const files = [room === 'build' ? 'build/**' : `src/${room}/**`];
  if (!room.startsWith('core/')) return override(files, patternsOf(room));
  return override(files, [...patternsOf(room), noNode], { rules: pureRules });
});

const pureTerminal = override(['src/terminal/**'], [...patternsOf('terminal'), noNode], {
  excludeFiles: ['src/terminal/output.ts', 'src/terminal/progress.ts'],
  rules: pureRules,
});

const pureHtml = override(['src/html/**'], [...patternsOf('html'), noNode], { rules: pureRules });

const pureCli = override(
  pureCliFiles.map((file) => `src/cli/${file}.ts`),
  [...patternsOf('cli'), noNode],
  { rules: pureRules },
);

/** The TUI and the server for agents show what commands show: they may use what these render with, and nothing that reads or prints. */
const pureCommandFiles: Pattern = {
  regex: '(^|/)commands/(index\\.ts|[^/]+/([^/]*command\\.ts|run\\.ts|run/))',
  message: 'only pure files of commands may be imported here',
};
const tuiImports = override(['src/tui/view-models/**'], [...patternsOf('tui/view-models'), pureCommandFiles]);
const mcpImports = override(['src/mcp/**'], [...patternsOf('mcp'), pureCommandFiles]);

const commandNames = entriesOf('src/commands')
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** A command never imports from another one: what two of them need moves to core/survey, terminal or cli. */
function otherCommands(name: string, depth: number): Pattern[] {
  const others = commandNames.filter((other) => other !== name);
  if (others.length === 0) return [];
  const message = 'a command does not import another command: move down what both need';
  return [
    { regex: `^(\\.\\./){${depth}}(${others.join('|')})/`, message },
    { regex: `^(\\.\\./)+commands/(${others.join('|')})/`, message },
  ];
}

const impureCliFiles = entriesOf('src/cli')
  .filter((entry) => entry.isFile() && !pureCliFiles.includes(entry.name.replace(/\.ts$/, '')))
  .map(({ name }) => name.replace('.', '\\.'));
const impureImports: readonly Pattern[] = [
  noNode,
  { regex: '^(\\.\\./)+(io|sim)/', message: 'this file is pure: reading belongs in run.ts' },
  { regex: '^(\\.\\./)+terminal/(output|progress)\\.ts$', message: 'this file is pure: printing belongs in run.ts' },
  { regex: '^(\\./|(\\.\\./)+)run(\\.ts$|/)', message: 'this file is pure: run.ts calls it, not the other way round' },
  // oxlint's patterns have no lookahead, so the closed files are listed instead of the open ones.
  {
    regex: `^(\\.\\./)+cli/(${impureCliFiles.join('|')}|[^/]+/.+)$`,
    message: 'this file is pure: wiring belongs in run.ts',
  },
];

const commandOverrides = commandNames.flatMap((name): OxlintOverride[] => {
  // How far up another command is depends on how deep the file is.
  const levels = [
    { files: [`src/commands/${name}/*.ts`], depth: 1 },
    { files: [`src/commands/${name}/*/**`], depth: 2 },
  ];
  return levels.flatMap(({ files, depth }) => {
    const patterns = [...patternsOf('commands'), ...otherCommands(name, depth)];
    if (name === wiringFolder) return [override(files, patterns)];
    return [
      override(files, patterns),
      override(files, [...patterns, ...impureImports], { excludeFiles: wiring, rules: pureRules }),
    ];
  });
});

function entriesOf(path: string): Dirent[] {
  const folder = join(import.meta.dirname, path);
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

const functionSize = (max: number): ['error', { max: number; skipBlankLines: true; skipComments: true }] => [
  'error',
  { max, skipBlankLines: true, skipComments: true },
];

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
    'no-nested-ternary': 'error',
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
    pureTerminal,
    pureHtml,
    pureCli,
    tuiImports,
    mcpImports,
    ...commandOverrides,
    // A function fits on a screen.
    { files: ['src/**', 'build/**'], rules: { 'max-lines-per-function': functionSize(60) } },
    {
      files: ['src/cli/**', 'src/commands/**', 'src/terminal/**', 'src/html/**'],
      excludeFiles: ['src/commands/tui/**'],
      rules: { 'max-lines-per-function': functionSize(45) },
    },
    // VitePress asks for default exports, and a worker has no other window to talk to.
    {
      files: ['build/site/theme/**'],
      rules: {
        'import/no-default-export': 'off',
        'import/no-unassigned-import': 'off',
        'unicorn/require-post-message-target-origin': 'off',
      },
    },
    { files: ['src/commands/*/*command.ts', '*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    // A test may look into an answer of any shape; the assertion is the check.
    { files: ['test/**'], rules: { 'typescript/no-explicit-any': 'off', 'typescript/no-non-null-assertion': 'off' } },
  ],
});
