import * as Flags from '@oclif/core/flags';

const cluster = { helpGroup: 'CLUSTER', helpValue: 'VALUE' } as const;

/** How the cluster is reached; the names and meanings are kubectl's. */
export const connectionFlags = {
  context: Flags.string({ ...cluster, summary: 'the kubeconfig context to use', helpValue: 'NAME' }),
  kubeconfig: Flags.string({ ...cluster, summary: 'the kubeconfig file to use', helpValue: 'FILE' }),
  cluster: Flags.string({ ...cluster, summary: 'the kubeconfig cluster to use', helpValue: 'NAME' }),
  user: Flags.string({ ...cluster, summary: 'the kubeconfig user to use', helpValue: 'NAME' }),
  server: Flags.string({ ...cluster, char: 's', summary: 'the address and port of the API server', helpValue: 'URL' }),
  token: Flags.string({ ...cluster, summary: 'the bearer token for the API server' }),
  as: Flags.string({ ...cluster, summary: 'the user to impersonate' }),
  'as-group': Flags.string({
    ...cluster,
    summary: 'a group to impersonate (repeatable)',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'as-uid': Flags.string({ ...cluster, summary: 'the uid to impersonate' }),
  'request-timeout': Flags.string({
    ...cluster,
    summary: 'how long to wait for one request, such as 30s or 2m',
    helpValue: 'TIME',
  }),
  'certificate-authority': Flags.string({
    ...cluster,
    summary: 'the file of the certificate authority',
    helpValue: 'FILE',
  }),
  'client-certificate': Flags.string({ ...cluster, summary: 'the file of the client certificate', helpValue: 'FILE' }),
  'client-key': Flags.string({ ...cluster, summary: 'the file of the client key', helpValue: 'FILE' }),
  'tls-server-name': Flags.string({
    ...cluster,
    summary: 'the name that the server certificate must carry',
    helpValue: 'NAME',
  }),
  'insecure-skip-tls-verify': Flags.boolean({ helpGroup: 'CLUSTER', summary: 'do not check the server certificate' }),
  'chunk-size': Flags.string({ ...cluster, summary: 'how many objects one page of a list holds', helpValue: 'N' }),
};

/** A recorded cluster in place of a live one. */
export const sourceFlags = {
  from: Flags.string({
    summary: 'read a dump instead of a cluster: a file, a directory, or - for standard input (repeatable)',
    helpValue: 'PATH',
    multiple: true,
    multipleNonGreedy: true,
  }),
  complete: Flags.boolean({ summary: 'the dump holds all there was: a kind that is not in it has no objects' }),
  at: Flags.string({ summary: 'the time of the dump, if not the newest time found in it', helpValue: 'TIME' }),
};

export const scopeFlags = {
  namespace: Flags.string({ char: 'n', summary: 'the namespace to look in', helpValue: 'NAME' }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'look in all namespaces' }),
  selector: Flags.string({ char: 'l', summary: 'only what has these labels, such as app=web', helpValue: 'LABELS' }),
};

/** Taken by every command. */
export const generalFlags = {
  color: Flags.string({
    summary: 'colours: auto, always or never',
    helpValue: 'WHEN',
    options: ['auto', 'always', 'never'],
    default: 'auto',
    aliases: ['colour'],
    helpGroup: 'GENERAL',
  }),
  v: Flags.string({
    char: 'v',
    summary: 'how much to log to standard error, 0 to 9',
    helpValue: 'N',
    default: '0',
    helpGroup: 'GENERAL',
  }),
};

export function outputFlag<const Format extends string>(formats: readonly [Format, ...Format[]]) {
  return Flags.option({
    char: 'o',
    summary: `the format: ${formats.join(', ')}`,
    helpValue: 'FORMAT',
    options: formats,
    default: formats[0] as Format,
  })();
}

/** What `why` and `why-pending` take. */
export const stuckFlags = {
  ...scopeFlags,
  output: outputFlag(['text', 'wide', 'json', 'yaml', 'name']),
  watch: Flags.boolean({ char: 'w', summary: 'print the report again whenever it changes' }),
  ...sourceFlags,
  'no-headers': Flags.boolean({ summary: 'taken as kubectl takes it; there are no headers here', hidden: true }),
  ...generalFlags,
  ...connectionFlags,
};
