import { hang } from '../terminal/wrap.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from './manifest.ts';

/** Help does not follow the terminal: it reads the same in a pipe, a manual and a bug report. */
const width = 80;

export function renderRootHelp(manifest: Manifest): string {
  const commands = Object.values(manifest.commands).filter(({ id }) => !id.includes(' '));
  const nameWidth = Math.max(...commands.map((command) => command.id.length)) + 2;
  return [
    'Tells why storage is stuck in a Kubernetes cluster: the cause, the evidence, the fix.',
    '',
    'Usage:',
    '  kubectl csi COMMAND [flags]',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.id.padEnd(nameWidth)}${command.summary}`),
    '',
    'Try:',
    '  kubectl csi why-pending                 what is stuck in this namespace, and why',
    '  kubectl csi why-pending -A              the same for the whole cluster',
    '  kubectl csi why-pending --from dump/    the same for a dump, without a cluster',
    '  kubectl csi demo                        try it on an embedded broken cluster',
    '',
    'kubectl csi COMMAND --help tells more of a command. Nothing is changed unless a flag of probe asks for it.',
  ].join('\n');
}

export function renderCommandHelp(command: ManifestCommand): string {
  const flags = Object.values(command.flags).filter((flag) => flag.hidden !== true);
  const own = flags.filter((flag) => flag.helpGroup !== 'CLUSTER');
  const cluster = flags.filter((flag) => flag.helpGroup === 'CLUSTER');
  return [
    capitalised(command.summary) + '.',
    '',
    'Usage:',
    `  kubectl csi ${command.id}${command.usage === undefined ? '' : ` ${command.usage}`} [flags]`,
    ...(command.description === undefined ? [] : ['', ...hang('', command.description, width)]),
    '',
    'Examples:',
    ...command.examples.flatMap((example) => [`  # ${example.description}`, `  ${example.command}`]),
    '',
    'Flags:',
    ...renderFlags(own),
    ...(cluster.length === 0
      ? []
      : [
          '',
          'The cluster is reached with these flags, as in kubectl:',
          ...hang('  ', cluster.map(spelling).join(' '), width),
        ]),
    '',
    'Exit codes: 0 nothing blocked, 1 blocked, 2 usage, 3 inconclusive, 4 could not run',
  ].join('\n');
}

function renderFlags(flags: readonly ManifestFlag[]): string[] {
  const help: ManifestFlag = { name: 'help', type: 'boolean', char: 'h', summary: 'this text' };
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
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
