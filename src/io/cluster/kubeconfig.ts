import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { boolean, clip, list, map, quantity, record, string } from '../../core/kube/shape.ts';
import { BrokenInput } from '../files/broken-input.ts';
import { parseYaml } from '../files/yaml-documents.ts';
import type { Infer } from '../../core/kube/shape.ts';

const clusterShape = record({
  server: string,
  'certificate-authority': string,
  'certificate-authority-data': string,
  'insecure-skip-tls-verify': boolean,
  'tls-server-name': string,
  'proxy-url': string,
});
const execShape = record({
  apiVersion: string,
  command: string,
  args: list(quantity),
  env: list(record({ name: string, value: quantity })),
  installHint: string,
  provideClusterInfo: boolean,
  interactiveMode: string,
});
const userShape = record({
  token: quantity,
  tokenFile: string,
  username: quantity,
  password: quantity,
  'client-certificate': string,
  'client-certificate-data': string,
  'client-key': string,
  'client-key-data': string,
  as: string,
  'as-uid': string,
  'as-groups': list(string),
  'as-user-extra': map(list(string)),
  exec: execShape,
  'auth-provider': record({ name: string, config: map(string) }),
});
const contextShape = record({ cluster: string, user: string, namespace: string });
const fileShape = record({
  'current-context': string,
  clusters: list(record({ name: string, cluster: clusterShape })),
  users: list(record({ name: string, user: userShape })),
  contexts: list(record({ name: string, context: contextShape })),
});

export type ClusterEntry = Infer<typeof clusterShape>;
export type UserEntry = Infer<typeof userShape>;
export type ContextEntry = Infer<typeof contextShape>;
export type ExecEntry = Infer<typeof execShape>;

export interface Kubeconfig {
  /** The files it was read from; empty when there is none. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/**
 * The kubeconfig as kubectl reads it: the file of the flag alone, or the files of KUBECONFIG merged so that the first to
 * name something wins, or ~/.kube/config. Files of KUBECONFIG that do not exist are skipped.
 */
export async function loadKubeconfig(
  flag: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Kubeconfig> {
  if (flag !== undefined && flag !== '') {
    const only = await readConfig(flag);
    if (!only)
      throw new EnvironmentError(
        `the kubeconfig ${flag} does not exist`,
        'pass another --kubeconfig, or leave it out to use KUBECONFIG or ~/.kube/config',
      );
    return merge([only]);
  }
  const listed = (variables['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const home = variables['HOME'] ?? variables['USERPROFILE'] ?? homedir();
  const paths = listed.length > 0 ? [...new Set(listed)] : [join(home, '.kube', 'config')];
  const configs = await Promise.all(paths.map(readConfig));
  return merge(configs.filter((config) => config !== undefined));
}

function merge(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
    new Map([...maps].reverse().flatMap((entries) => [...entries]));
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.map((config) => config.currentContext).find((name) => name !== undefined && name !== ''),
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
  };
}

const readProblems: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this user',
};

async function readConfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const problem = readProblems[code ?? ''] ?? `cannot be read (${code ?? 'unknown error'})`;
    throw new EnvironmentError(`the kubeconfig ${path} ${problem}`, 'pass another --kubeconfig', { cause: error });
  }
  const content = clip(await parseConfig(path, text), fileShape);
  if (content === undefined && text.trim() !== '')
    throw new EnvironmentError(
      `the kubeconfig ${path} is not a kubeconfig`,
      'kubectl config view shows what kubectl reads from it',
    );
  const directory = dirname(resolve(path));
  return {
    files: [path],
    currentContext: content?.['current-context'],
    clusters: named(content?.clusters, (entry) => rebase(entry.cluster ?? {}, ['certificate-authority'], directory)),
    users: named(content?.users, (entry) => rebaseUser(entry.user ?? {}, directory)),
    contexts: named(content?.contexts, (entry) => entry.context ?? {}),
  };
}

async function parseConfig(path: string, text: string): Promise<unknown> {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^---[ \t]*\n/, '');
  try {
    return parsedJson(plain) ?? (await parseYaml(plain));
  } catch (error) {
    const where = error instanceof BrokenInput && error.line !== undefined ? ` at line ${error.line}` : '';
    throw new EnvironmentError(
      `the kubeconfig ${path} is not valid YAML${where}`,
      'repair it, or pass another --kubeconfig',
      { cause: error },
    );
  }
}

/** Undefined for text that is not JSON; a mapping of YAML may begin with a brace as well. */
function parsedJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function named<T extends { readonly name?: string }, V>(
  entries: readonly T[] | undefined,
  value: (entry: T) => V,
): Map<string, V> {
  // Within one file, too, the first of two equal names wins.
  return new Map(
    [...(entries ?? [])]
      .reverse()
      .flatMap((entry) => (entry.name === undefined ? [] : [[entry.name, value(entry)] as const])),
  );
}

/** Paths in a kubeconfig are relative to its directory. */
function rebase<T extends object>(entry: T, fields: readonly (keyof T)[], directory: string): T {
  const result = { ...entry };
  for (const field of fields) {
    const value = result[field];
    if (typeof value === 'string' && value !== '' && !isAbsolute(value))
      result[field] = join(directory, value) as T[keyof T];
  }
  return result;
}

function rebaseUser(user: UserEntry, directory: string): UserEntry {
  const rebased = rebase(user, ['client-certificate', 'client-key', 'tokenFile'], directory);
  const command = user.exec?.command;
  // A command without a slash is found through PATH.
  return command !== undefined && /[\\/]/.test(command)
    ? { ...rebased, exec: rebase(user.exec ?? {}, ['command'], directory) }
    : rebased;
}
