import { createPrivateKey, X509Certificate } from 'node:crypto';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { record, string } from '../../core/kube/shape.ts';
import { readPem } from './pem.ts';
import { findCommand, runPlugin } from './plugin-process.ts';
import { readStrictly, WrongType } from './strict-shape.ts';
import { interactiveMode } from './usable.ts';
import type { Infer } from '../../core/kube/shape.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { ExecEntry } from './kubeconfig-content.ts';
import type { Finished } from './plugin-process.ts';
import type { Target } from './target.ts';

export interface PluginCredential {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** Milliseconds since the epoch; absent: as long as the process lives. */
  readonly expires?: number;
}

const credentialShape = record({
  apiVersion: string,
  kind: string,
  status: record({ token: string, clientCertificateData: string, clientKeyData: string, expirationTimestamp: string }),
});
type Status = NonNullable<Infer<typeof credentialShape>['status']>;
const knownVersions: ReadonlySet<string> = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);
/** The extension of a cluster that is intended for plugins. */
const settings = 'client.authentication.k8s.io/exec';

/** Runs a client-go credential plugin; any failure is one sentence that ends with what the plugin printed last. */
export async function askPlugin(
  exec: ExecEntry,
  target: Target,
  environment: ConnectionEnvironment,
): Promise<PluginCredential> {
  const command = exec.command ?? '';
  const answer = await run(exec, command, target, environment);
  const { code, words } = answer;
  const said = words === '' ? '' : `: ${words}`;
  if (code !== 0)
    throw new EnvironmentError(
      `the credential plugin ${command} failed${typeof code === 'number' ? ` with exit code ${code}` : ` (${code})`}${said}`,
      hint(exec, 'Log in again, or run the plugin manually to see what it needs'),
    );
  return readAnswer(exec, command, answer);
}

async function readAnswer(exec: ExecEntry, command: string, { output, words }: Finished): Promise<PluginCredential> {
  const refuse = (problem: string): EnvironmentError =>
    new EnvironmentError(
      `the credential plugin ${command} ${problem}${words === '' ? '' : `: ${words}`}`,
      hint(exec, 'Log in again, or run the plugin manually: it must print an ExecCredential'),
    );
  const parsed = await parseAnswer(output);
  if (typeof parsed !== 'object' || parsed === null) throw refuse('printed something other than a credential');
  let credential: Infer<typeof credentialShape>;
  try {
    credential = readStrictly(parsed, credentialShape) ?? {};
  } catch (error) {
    throw error instanceof WrongType ? refuse(`printed a value of the wrong type: ${error.message}`) : error;
  }
  const { kind = 'ExecCredential', apiVersion = '', status } = credential;
  if (kind !== 'ExecCredential') throw refuse(`printed a ${kind} instead of an ExecCredential`);
  if (apiVersion !== exec.apiVersion)
    throw refuse(
      `printed ${apiVersion === '' ? 'no apiVersion' : `the apiVersion ${apiVersion}`}, and the kubeconfig expects ${exec.apiVersion}`,
    );
  const problem = statusProblem(status);
  if (problem !== undefined) throw refuse(problem);
  return credentialOf(status ?? {});
}

/** JSON or, as client-go allows, YAML; undefined for anything else. */
async function parseAnswer(output: string): Promise<unknown> {
  try {
    return JSON.parse(output) as unknown;
  } catch {
    const { parseKubeconfigYaml } = await import('./kubeconfig-yaml.ts');
    return parseKubeconfigYaml(output).catch(() => undefined);
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/;

function statusProblem(status: Status | undefined): string | undefined {
  if (status === undefined) return 'returned no status';
  const { token = '', clientCertificateData = '', clientKeyData = '', expirationTimestamp = '' } = status;
  if (token === '' && clientCertificateData === '' && clientKeyData === '')
    return 'returned neither a token nor a certificate';
  if ((clientCertificateData === '') !== (clientKeyData === '')) return 'returned only one of certificate and key';
  if (expirationTimestamp !== '' && !rfc3339.test(expirationTimestamp)) return 'returned an expiry that is not a time';
  return clientCertificateData === '' || isPair(clientCertificateData, clientKeyData)
    ? undefined
    : 'returned a certificate and a key that do not belong together';
}

function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function credentialOf({
  token,
  clientCertificateData,
  clientKeyData,
  expirationTimestamp = '',
}: Status): PluginCredential {
  return {
    ...(token !== undefined && { token }),
    ...(clientCertificateData && clientKeyData && { certificate: clientCertificateData, key: clientKeyData }),
    ...(expirationTimestamp !== '' && { expires: Date.parse(expirationTimestamp) }),
  };
}

async function run(
  exec: ExecEntry,
  command: string,
  target: Target,
  environment: ConnectionEnvironment,
): Promise<Finished> {
  if (!knownVersions.has(exec.apiVersion ?? ''))
    throw new EnvironmentError(
      `the credential plugin ${command} is set up for ${exec.apiVersion}, which is not supported`,
      'Use client.authentication.k8s.io/v1 and a plugin that supports it',
    );
  const isInteractive = wantsTerminal(exec, command, environment);
  const variables = environment.variables ?? process.env;
  const found = findCommand(command, variables['PATH']);
  try {
    if (found === undefined) throw Object.assign(new Error('not in PATH'), { code: 'ENOENT' });
    return await runPlugin(
      {
        command: found,
        args: exec.args ?? [],
        variables: pluginVariables(exec, target, variables, isInteractive),
        isInteractive,
      },
      environment,
    );
  } catch (error) {
    throw explainStart(exec, command, error as NodeJS.ErrnoException);
  }
}

function wantsTerminal(exec: ExecEntry, command: string, environment: ConnectionEnvironment): boolean {
  const { isOneOfMany = false, hasTerminal = process.stdin.isTTY === true } = environment;
  const mode = interactiveMode(exec);
  if (isOneOfMany && mode === 'Always')
    throw new EnvironmentError(
      `the credential plugin ${command} asks on the terminal, which it cannot do while several clusters are read`,
      'Log in to this cluster first, or read it alone with --context',
    );
  // The questions of several plugins at once could not be distinguished.
  if (isOneOfMany) return false;
  if (mode === 'Always' && !hasTerminal)
    throw new EnvironmentError(
      `the credential plugin ${command} needs a terminal, and standard input is not one`,
      'Log in on a terminal first, or pass --token',
    );
  return mode !== 'Never' && hasTerminal;
}

function pluginVariables(
  exec: ExecEntry,
  target: Target,
  variables: NodeJS.ProcessEnv,
  isInteractive: boolean,
): NodeJS.ProcessEnv {
  const own = (exec.env ?? []).map(({ name = '', value = '' }) => [name, value]);
  return {
    ...variables,
    ...(Object.fromEntries(own) as Record<string, string>),
    KUBERNETES_EXEC_INFO: execInfo(exec, target, isInteractive),
  };
}

const startProblems: Readonly<Record<string, string>> = { ENOENT: 'was not found', EACCES: 'is not executable' };

function explainStart(exec: ExecEntry, command: string, error: NodeJS.ErrnoException): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const problem = startProblems[error.code ?? ''] ?? `could not be started (${error.code ?? error.message})`;
  return new EnvironmentError(
    `the credential plugin ${command} ${problem}`,
    hint(exec, 'Install it and make sure that it is on the PATH'),
    { cause: error },
  );
}

function execInfo(exec: ExecEntry, target: Target, isInteractive: boolean): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo === true && { cluster: clusterInfo(target) }), interactive: isInteractive },
  });
}

/** The cluster as client-go describes it to plugins (rest.ConfigToExecCluster): the authority always as data. */
function clusterInfo({ cluster }: Target): object {
  const authority = readPem(
    cluster['certificate-authority'],
    cluster['certificate-authority-data'],
    'certificate authority',
  );
  return {
    server: cluster.server,
    ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] === true && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority.toString('base64') }),
    ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    ...(cluster['disable-compression'] === true && { 'disable-compression': true }),
    config: cluster.extensions?.find(({ name }) => name === settings)?.extension ?? null,
  };
}

function hint(exec: ExecEntry, fallback: string): string {
  const [first] = (exec.installHint ?? '').trim().split(/\r?\n/);
  return first === undefined || first === '' ? fallback : first;
}
