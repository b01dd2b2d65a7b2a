import { hang } from '../terminal/wrap.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from './manifest.ts';

/** Help does not follow the terminal: it reads the same in a pipe, a manual and a bug report. */
const width = 80;

/** The order of the commands in the help, the most useful first. A command that is in no group comes last. */
const groups: readonly (readonly [title: string, ids: readonly string[]])[] = [
  ['Find out what is wrong', ['why-pending', 'why', 'status', 'trace', 'probe', 'tui', 'get']],
  ['Check before and after a change', ['check', 'wait', 'preflight', 'what-if', 'serve', 'mcp']],
  ['Look up a cause', ['explain', 'causes']],
  ['Set up and share', ['capture', 'rbac', 'demo', 'completion', 'version']],
];

export function renderRootHelp(manifest: Manifest): string {
  const commands = Object.values(manifest.commands).filter(({ id }) => !id.includes(' '));
  const nameWidth = Math.max(...commands.map((command) => command.id.length)) + 2;
  const listed = new Set(groups.flatMap(([, ids]) => ids));
  const others = commands.filter(({ id }) => !listed.has(id)).map(({ id }) => id);
  const renderGroup = ([title, ids]: (typeof groups)[number]): string[] => {
    const members = ids.flatMap((id) => commands.find((command) => command.id === id) ?? []);
    const lines = members.map(({ id, summary }) => `  ${id.padEnd(nameWidth)}${summary}`);
    return lines.length === 0 ? [] : [`${title}:`, ...lines, ''];
  };
  return [
    'Explain why storage is stuck in a Kubernetes cluster: root cause, evidence, fix.',
    '',
    'Usage:',
    '  kubectl csi COMMAND [flags]',
    '',
    ...groups.flatMap(renderGroup),
    ...renderGroup(['Other commands', others]),
    'Start with:',
    '  kubectl csi why-pending                What is stuck in this namespace, and why',
    '  kubectl csi why -A                     The same for the whole cluster',
    '  kubectl csi why --from dump/           The same for a dump, without a cluster',
    '  kubectl csi demo                       Try it on a small broken cluster',
    '',
    'Run kubectl csi COMMAND --help for the flags and examples of a command.',
    'Every command only reads, except probe with --exec or --create-pods, and serve',
    'with --lease. To check rights, some create reviews, which are not stored.',
  ].join('\n');
}

export function renderCommandHelp(command: ManifestCommand): string {
  const flags = Object.values(command.flags).filter((flag) => flag.hidden !== true);
  const own = flags.filter((flag) => flag.helpGroup !== 'CLUSTER');
  const cluster = flags.filter((flag) => flag.helpGroup === 'CLUSTER');
  return [
    command.summary,
    '',
    'Usage:',
    `  kubectl csi ${command.id}${command.usage === undefined ? '' : ` ${command.usage}`} [flags]`,
    ...(command.description === undefined ? [] : ['', ...renderDescription(command.description)]),
    '',
    'Examples:',
    ...command.examples.flatMap((example) => [`  # ${example.description}`, `  ${example.command}`]),
    '',
    'Flags:',
    ...renderFlags(own),
    ...(cluster.length === 0
      ? []
      : ['', 'Flags to connect to the cluster, as in kubectl:', ...hang('  ', cluster.map(spelling).join(' '), width)]),
    '',
    'Exit codes:',
    ...exitCodeLines(command.id),
  ].join('\n');
}

/** Paragraphs are wrapped. In a list, the text of a line such as `  pvc  bound, attached` is wrapped below the text. */
function renderDescription(description: string): string[] {
  return description.split('\n').flatMap((line) => {
    const [prefix = ''] = /^ +\S.*? {2,}/.exec(line) ?? [];
    return hang(prefix, line.slice(prefix.length), width);
  });
}

/** What 0 and 1 mean where they do not mean "nothing is blocked" and "something is blocked". */
const outcomes: Readonly<Record<string, readonly [success: string, failure?: string]>> = {
  probe: ['every driver is ready', 'a driver is not ready'],
  serve: ['done'],
  mcp: ['done'],
  wait: ['every target has reached its goal', 'a target cannot reach its goal, or the time ran out'],
  preflight: ['everything would work, or wait as intended', 'something would fail'],
  'what-if': ['nothing would break', 'something would break'],
  rbac: ['done; with --check: every right is granted', 'with --check: a right is missing'],
  get: ['done'],
  capture: ['done'],
  explain: ['a page was shown, or the text matches at least one cause'],
  causes: ['done'],
  completion: ['done'],
  'completion install': ['done'],
  tui: ['done'],
  demo: ['done'],
  version: ['done'],
};

/** These end without a result, so none is inconclusive. */
const readNothing = new Set(['causes', 'completion', 'completion install', 'version', 'tui', 'demo', 'serve', 'mcp']);

function exitCodeLines(id: string): string[] {
  const [success, failure] = outcomes[id] ?? [
    'nothing is blocked; waiting by design counts as fine',
    'something is blocked',
  ];
  return [
    `  0  ${success}`,
    ...(failure === undefined ? [] : [`  1  ${failure}`]),
    '  2  usage error',
    ...(readNothing.has(id) ? [] : ['  3  inconclusive: something that was needed could not be read or explained']),
    '  4  could not run: no cluster, no access, or a bug in kubectl csi',
  ];
}

function renderFlags(flags: readonly ManifestFlag[]): string[] {
  const help: ManifestFlag = { name: 'help', type: 'boolean', char: 'h', summary: 'Show this help' };
  const rows = [...flags, help].map((flag) => ({
    left: `  ${flag.char === undefined ? '    ' : `-${flag.char}, `}${spelling(flag)}`,
    text: flag.summary ?? '',
  }));
  const indent = Math.max(...rows.map((row) => row.left.length)) + 2;
  return rows.flatMap((row) => {
    const [first = '', ...others] = hang(' '.repeat(indent), row.text, width);
    return [row.left.padEnd(indent) + first.trimStart(), ...others];
  });
}

const spelling = (flag: ManifestFlag): string =>
  `--${flag.name}${flag.type === 'option' ? `=${flag.helpValue ?? 'VALUE'}` : ''}`;
