import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EnvironmentError, UserError } from '../../src/core/kube/errors.ts';
import { connect } from '../../src/io/cluster/connect.ts';
import type { ConnectionFlags } from '../../src/io/cluster/flags.ts';
import type { Arrival, Lab, Places } from './kubeconfig-lab.ts';
import type { MatrixCase } from './kubeconfig-matrix.ts';

/** What a kubeconfig led to: the identities that arrived, and what the credential plugins were given. */
export interface Outcome {
  /** The path of the pods that were listed; absent for a refusal. */
  readonly pods?: string;
  readonly arrivals?: readonly Arrival[];
  readonly plugins?: readonly unknown[];
}

/** Whether two outcomes are the same; the order of fields does not matter. */
export function isSameOutcome(one: Outcome, other: Outcome): boolean {
  return isDeepStrictEqual(one, other);
}

/** Why there is no kubectl to compare with; undefined if there is one. */
export function kubectlProblem(): string | undefined {
  const { error, status } = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
  if (error) return `kubectl cannot be started (${(error as NodeJS.ErrnoException).code ?? error.message})`;
  return status === 0 ? undefined : `kubectl version --client ends with ${status}`;
}

function variablesFor({ places }: Lab, { files, listed, variables }: MatrixCase): Record<string, string> {
  const paths = (listed ?? Object.keys(files)).map((name) => (name === '' ? '' : join(places.directory, name)));
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(places.directory, 'home'),
    ...(paths.length > 0 && { KUBECONFIG: paths.join(delimiter) }),
    ...variables,
  };
}

async function prepared<T>(lab: Lab, one: MatrixCase, run: () => Promise<T>): Promise<T> {
  lab.reset();
  const paths = Object.keys(one.files).map((name) => join(lab.places.directory, name));
  for (const [at, path] of paths.entries()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Object.values(one.files)[at] ?? '');
  }
  try {
    return await run();
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

export interface OwnOutcome {
  readonly outcome: Outcome;
  readonly error?: EnvironmentError | UserError;
}

/** Errors other than those for the user are bugs and thrown. */
export function askUs(lab: Lab, one: MatrixCase): Promise<OwnOutcome> {
  return prepared(lab, one, async () => {
    let error: OwnOutcome['error'];
    try {
      const reader = await connect(one.flags ?? {}, {
        variables: variablesFor(lab, one),
        serviceAccountDirectory: '/nonexistent',
        hasTerminal: false,
      });
      try {
        await reader.list('Pod', { namespace: reader.namespace });
      } finally {
        reader.close();
      }
    } catch (problem) {
      if (!(problem instanceof EnvironmentError || problem instanceof UserError)) throw problem;
      error = problem;
    }
    return { outcome: outcomeOf(lab, 'kubectl-csi'), ...(error && { error }) };
  });
}

const flagNames = {
  kubeconfig: '--kubeconfig',
  context: '--context',
  cluster: '--cluster',
  user: '--user',
  server: '--server',
  token: '--token',
  as: '--as',
  asUid: '--as-uid',
  requestTimeout: '--request-timeout',
  certificateAuthority: '--certificate-authority',
  clientCertificate: '--client-certificate',
  clientKey: '--client-key',
  tlsServerName: '--tls-server-name',
  namespace: '--namespace',
} as const;

function commandLine(flags: ConnectionFlags): string[] {
  return [
    ...Object.entries(flagNames).flatMap(([name, flag]) => {
      const value = flags[name as keyof typeof flagNames];
      return value === undefined ? [] : [`${flag}=${value}`];
    }),
    ...(flags.asGroup ?? []).map((group) => `--as-group=${group}`),
    ...(flags.insecureSkipTlsVerify === true ? ['--insecure-skip-tls-verify'] : []),
  ];
}

export function askKubectl(lab: Lab, one: MatrixCase): Promise<Outcome> {
  return prepared(lab, one, async () => {
    await new Promise((resolve, reject) => {
      const child = spawn('kubectl', ['get', 'pods', ...commandLine(one.flags ?? {})], {
        env: variablesFor(lab, one),
        cwd: join(lab.places.directory, 'home'),
        stdio: 'ignore',
        timeout: 30_000,
      });
      child.on('error', reject);
      child.on('close', resolve);
    });
    return outcomeOf(lab, 'kubectl/');
  });
}

function outcomeOf(lab: Lab, agent: string): Outcome {
  const arrived = lab.arrivals.filter((request) => request.agent.startsWith(agent));
  const pods = arrived.find(({ path }) => /\/pods(\?|$)/.test(path))?.path.replace(/\?.*/, '');
  const arrivals = [...new Set(arrived.map(({ arrival }) => JSON.stringify(arrival)))].sort();
  const plugins = lab.pluginInputs.map((text) => readInput(text, lab.places));
  return {
    // Go leaves some characters of a path as they are.
    ...(pods !== undefined && { pods: decodeURIComponent(pods) }),
    ...(arrivals.length > 0 && { arrivals: arrivals.map((text) => JSON.parse(text) as Arrival) }),
    ...(plugins.length > 0 && { plugins }),
  };
}

/** What a plugin was given, with its keys in order and without ports and certificates. */
function readInput(text: string, places: Places): unknown {
  const ports = Object.entries(places).filter(([, value]) => typeof value === 'number');
  const named = ports.reduce((result, [name, port]) => result.replaceAll(`:${port}`, `:${name}`), text);
  return JSON.parse(named, (key, value: unknown) => {
    if (key === 'certificate-authority-data') return value === '' ? value : '…';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  }) as unknown;
}
