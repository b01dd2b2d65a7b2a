import * as Flags from '@oclif/core/flags';
import type { BooleanFlag, OptionFlag } from '@oclif/core/interfaces';
import { connectionTable } from './connection-flags.ts';
import type { ConnectionFlag, ConnectionName } from './connection-flags.ts';
import { readFormat } from './output-format.ts';
import type { JsonpathFormat } from '../terminal/document-format.ts';

/** The connection flags as oclif parses them. */
type ConnectionFlagSet = {
  readonly [Name in ConnectionName]: OclifFlags[(typeof connectionTable)[Name]['type']];
};
interface OclifFlags {
  readonly text: OptionFlag<string | undefined>;
  readonly number: OptionFlag<string | undefined>;
  readonly list: OptionFlag<string[] | undefined>;
  readonly switch: BooleanFlag<boolean>;
}

function connectionFlag({ type, ...texts }: ConnectionFlag): OclifFlags[ConnectionFlag['type']] {
  const help = { helpGroup: 'CLUSTER', helpValue: 'VALUE', ...texts };
  switch (type) {
    case 'switch':
      return Flags.boolean<boolean>({ helpGroup: help.helpGroup, summary: help.summary });
    case 'list':
      return Flags.string({ ...help, multiple: true, multipleNonGreedy: true });
    default:
      return Flags.string(help);
  }
}

/** How the cluster is reached. */
export const connectionFlags = Object.fromEntries(
  Object.entries(connectionTable).map(([name, flag]) => [name, connectionFlag(flag)]),
) as ConnectionFlagSet;

/** A dump to read instead of a live cluster. */
export const sourceFlags = {
  from: Flags.string({
    summary: 'Read a dump instead of a cluster: a file, a directory, or - for standard input (repeatable)',
    helpValue: 'PATH',
    multiple: true,
    multipleNonGreedy: true,
  }),
  complete: Flags.boolean({ summary: 'The dump is complete: a kind that is not in it has no objects' }),
  at: Flags.string({ summary: 'Time of the dump (default: the latest time found in it)', helpValue: 'TIME' }),
};

/** How full volumes are: nothing of this is read without a flag. */
export const usageFlags = {
  usage: Flags.boolean({
    summary: 'Measure how full volumes are, with a Prometheus found in the cluster',
    helpGroup: 'USAGE',
  }),
  prometheus: Flags.string({
    summary: 'Measure with this Prometheus',
    helpValue: 'URL',
    helpGroup: 'USAGE',
  }),
  kubelet: Flags.boolean({
    summary:
      'Query the kubelets at port 10250 for what is not measured yet; needs nodes/stats and a route to the nodes',
    helpGroup: 'USAGE',
  }),
  'kubelet-ca': Flags.string({
    summary: 'File with the authority of the kubelets, if it is not that of the cluster',
    helpValue: 'FILE',
    helpGroup: 'USAGE',
  }),
  'node-proxy': Flags.boolean({
    summary: 'Query the kubelets through the API server; needs nodes/proxy, a right that allows far more than reading',
    helpGroup: 'USAGE',
  }),
};

/** Several clusters in one answer. */
export const contextsFlags = {
  contexts: Flags.string({
    summary: 'Read these kubeconfig contexts at once, separated by commas, and answer for all of them',
    helpValue: 'NAMES',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'all-contexts': Flags.boolean({ summary: 'The same with every context of the kubeconfig' }),
  'context-timeout': Flags.string({
    summary: 'With several contexts, time limit to read one of them (default: 60s)',
    helpValue: 'TIME',
  }),
};

export const scopeFlags = {
  namespace: Flags.string({ char: 'n', summary: 'Namespace to read', helpValue: 'NAME' }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'Read all namespaces' }),
  selector: Flags.string({
    char: 'l',
    summary: 'Only objects with these labels, such as app=web',
    helpValue: 'LABELS',
  }),
};

/** Taken by every command. */
export const generalFlags = {
  color: Flags.string({
    summary: 'When to use colours: auto, always or never',
    helpValue: 'WHEN',
    options: ['auto', 'always', 'never'],
    default: 'auto',
    aliases: ['colour'],
    helpGroup: 'GENERAL',
  }),
  v: Flags.string({
    char: 'v',
    summary: 'Log level, 0 to 9; logs go to standard error',
    helpValue: 'N',
    default: '0',
    helpGroup: 'GENERAL',
  }),
};

/** `-o` of a command that prints a document: the formats, the first of them by default, or a template. */
export function outputFlag<const Format extends string>(formats: readonly [Format, ...Format[]]) {
  const summary = `Output format: ${[...formats, 'jsonpath=TEMPLATE'].join(', ')}`;
  return formatFlag(formats, { summary, default: formats[0] }) as OptionFlag<Format | JsonpathFormat>;
}

/** The same without a default. The completion of its value offers `formats`; oclif would refuse all but `options`. */
export function formatFlag<const Format extends string>(
  formats: readonly Format[],
  texts: { readonly summary: string; readonly default?: Format },
) {
  const parse = (written: string): Promise<string> => readFormat(written, formats);
  const flag = Flags.string({ char: 'o', helpValue: 'FORMAT', ...texts, parse });
  return Object.assign(flag as OptionFlag<Format | JsonpathFormat | undefined>, { formats });
}

/** Without a value it means always. */
export function logsFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'WHEN', options: ['auto', 'always', 'never'] });
}

/** What `why` and `why-pending` take. */
export const stuckFlags = {
  ...scopeFlags,
  output: outputFlag(['text', 'wide', 'json', 'yaml', 'name', 'html']),
  details: Flags.boolean({ summary: 'Show evidence and fix of every cause, however many there are' }),
  watch: Flags.boolean({ char: 'w', summary: 'Print the report again whenever it changes' }),
  ...usageFlags,
  logs: logsFlag(
    'When to read logs of the component that is due to act: ' +
      'auto (unless the cause is certain), always (also --logs), never (default: auto; with -w never)',
  ),
  ...sourceFlags,
  ...contextsFlags,
  'no-headers': Flags.boolean({
    summary: 'Accepted for compatibility with kubectl; there are no headers',
    hidden: true,
  }),
  ...generalFlags,
  ...connectionFlags,
};

/** For commands that a CI system runs and whose report has a JUnit form. */
export const junitFileFlag = {
  'junit-file': Flags.string({ summary: 'Also write a JUnit report to this file', helpValue: 'FILE' }),
};
