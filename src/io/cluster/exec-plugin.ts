import { spawn } from 'node:child_process';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { clip, record, string } from '../../core/kube/shape.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { ExecEntry } from './kubeconfig.ts';
import { endWithThisProcess } from './end-with-this-process.ts';
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
const patience = 120_000;

/** Runs a client-go credential plugin; any failure is one sentence that ends with what the plugin printed last. */
export async function askPlugin(
  exec: ExecEntry,
  target: Target,
  environment: ConnectionEnvironment,
): Promise<PluginCredential> {
  const command = exec.command ?? '';
  if (command === '')
    throw new EnvironmentError(
      `the user ${target.userName ?? ''} of the kubeconfig has a credential plugin without a command`,
      'repair its exec section',
    );
  const { code, output, words } = await run(exec, command, target, environment);
  if (code !== 0)
    throw new EnvironmentError(
      `the credential plugin ${command} failed${typeof code === 'number' ? ` with exit code ${code}` : ` (${code})`}${words === '' ? '' : `: ${words}`}`,
      hint(exec, 'log in again, or run the plugin by hand to see what it needs'),
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    throw new EnvironmentError(
      `the credential plugin ${command} printed something other than a credential${words === '' ? '' : `: ${words}`}`,
      hint(exec, 'run the plugin by hand: it must print an ExecCredential as JSON'),
    );
  }
  const status = clip(parsed, credentialShape)?.status;
  if (status === undefined || (status.token === undefined && status.clientCertificateData === undefined))
    throw new EnvironmentError(
      `the credential plugin ${command} gave neither a token nor a certificate`,
      hint(exec, 'log in again, or run the plugin by hand to see what it needs'),
    );
  const expires = status.expirationTimestamp === undefined ? Number.NaN : Date.parse(status.expirationTimestamp);
  return {
    ...(status.token === undefined ? {} : { token: status.token }),
    ...(status.clientCertificateData === undefined || status.clientKeyData === undefined
      ? {}
      : { certificate: status.clientCertificateData, key: status.clientKeyData }),
    ...(Number.isNaN(expires) ? {} : { expires }),
  };
}

interface Finished {
  readonly code: number | string;
  readonly output: string;
  /** The end of its standard error. */
  readonly words: string;
}

function run(exec: ExecEntry, command: string, target: Target, environment: ConnectionEnvironment): Promise<Finished> {
  const isInteractive = exec.interactiveMode !== 'Never' && process.stdin.isTTY;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...(exec.args ?? [])], {
      env: pluginVariables(exec, target, environment, isInteractive),
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
      ...(isInteractive ? {} : { timeout: patience }),
    });
    endWithThisProcess(child);
    const output: Buffer[] = [];
    let words = '';
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-4000);
      environment.onPluginMessage?.(chunk.toString());
    });
    child.on('error', (error: NodeJS.ErrnoException) => reject(explainStart(exec, command, error)));
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? (signal === 'SIGTERM' ? `no answer within ${patience / 1000} s` : `signal ${signal}`),
        output: Buffer.concat(output).toString(),
        words: lastWords(words),
      }),
    );
  });
}

function pluginVariables(
  exec: ExecEntry,
  target: Target,
  environment: ConnectionEnvironment,
  isInteractive: boolean,
): NodeJS.ProcessEnv {
  const own = (exec.env ?? []).flatMap(({ name, value }) => (name === undefined ? [] : [[name, value ?? '']]));
  return {
    ...(environment.variables ?? process.env),
    ...(Object.fromEntries(own) as Record<string, string>),
    KUBERNETES_EXEC_INFO: execInfo(exec, target, isInteractive),
  };
}

const startProblems: Readonly<Record<string, string>> = { ENOENT: 'was not found', EACCES: 'is not executable' };

function explainStart(exec: ExecEntry, command: string, error: NodeJS.ErrnoException): EnvironmentError {
  const problem = startProblems[error.code ?? ''] ?? `could not be started (${error.code ?? error.message})`;
  return new EnvironmentError(
    `the credential plugin ${command} ${problem}`,
    hint(exec, 'install it and make sure that it is in PATH'),
    { cause: error },
  );
}

function execInfo(exec: ExecEntry, target: Target, isInteractive: boolean): string {
  const { cluster } = target;
  const about = {
    server: cluster.server,
    ...(cluster['tls-server-name'] === undefined ? {} : { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(cluster['certificate-authority-data'] === undefined
      ? {}
      : { 'certificate-authority-data': cluster['certificate-authority-data'] }),
    ...(cluster['proxy-url'] === undefined ? {} : { 'proxy-url': cluster['proxy-url'] }),
  };
  return JSON.stringify({
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: isInteractive, ...(exec.provideClusterInfo === true ? { cluster: about } : {}) },
  });
}

/** The last two lines of standard error, where programs print what went wrong. */
function lastWords(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(-2).join(' ').slice(-300);
}

function hint(exec: ExecEntry, fallback: string): string {
  const [first] = (exec.installHint ?? '').trim().split(/\r?\n/);
  return first === undefined || first === '' ? fallback : first;
}
