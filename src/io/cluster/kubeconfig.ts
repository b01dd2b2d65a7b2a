import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { BrokenInput } from '../files/broken-input.ts';
import { readContent } from './kubeconfig-content.ts';
import { parseKubeconfigYaml } from './kubeconfig-yaml.ts';
import type { ClusterEntry, ContextEntry, UserEntry } from './kubeconfig-content.ts';

export interface Kubeconfig {
  /** The files it was read from; empty when there is none. */
  readonly files: readonly string[];
  /** The files that KUBECONFIG names and that do not exist. */
  readonly missing: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/**
 * The kubeconfig as kubectl reads it: the file of the flag alone, or the files of KUBECONFIG merged so that the first
 * to name something wins, or ~/.kube/config. Files of KUBECONFIG that do not exist are skipped.
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
        'Pass another --kubeconfig, or remove it to use KUBECONFIG or ~/.kube/config',
      );
    return merge([only]);
  }
  const listed = variables['KUBECONFIG'] ?? '';
  const home = variables['HOME'] ?? variables['USERPROFILE'] ?? homedir();
  const paths = listed === '' ? [join(home, '.kube', 'config')] : listed.split(delimiter);
  const named = [...new Set(paths)].filter((path) => path !== '');
  const configs = await Promise.all(named.map(readConfig));
  const missing = listed === '' ? [] : named.filter((_, at) => configs[at] === undefined);
  return merge(
    configs.filter((config) => config !== undefined),
    missing,
  );
}

function merge(configs: readonly Kubeconfig[], missing: readonly string[] = []): Kubeconfig {
  const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
    new Map([...maps].reverse().flatMap((entries) => [...entries]));
  return {
    files: configs.flatMap((config) => config.files),
    missing,
    currentContext: configs.map((config) => config.currentContext).find((name) => name !== undefined && name !== ''),
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
  };
}

const readProblems: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  EACCES: 'cannot be read: permission denied',
  ENOTDIR: 'cannot be read: part of its path is a file, not a directory',
};

async function readConfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const problem = readProblems[code ?? ''] ?? `cannot be read (${code ?? 'unknown error'})`;
    throw new EnvironmentError(`the kubeconfig ${path} ${problem}`, 'Pass another --kubeconfig', { cause: error });
  }
  const content = readContent(path, await parseConfig(path, text));
  const directory = dirname(resolve(path));
  return {
    files: [path],
    missing: [],
    currentContext: content['current-context'],
    clusters: named(path, 'cluster', content.clusters, (entry) =>
      rebase(entry.cluster ?? {}, ['certificate-authority'], directory),
    ),
    users: named(path, 'user', content.users, (entry) => rebaseUser(entry.user ?? {}, directory)),
    contexts: named(path, 'context', content.contexts, (entry) => entry.context ?? {}),
  };
}

async function parseConfig(path: string, text: string): Promise<unknown> {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^---[ \t]*\n/, '');
  try {
    return parsedJson(plain) ?? (await parseKubeconfigYaml(plain));
  } catch (error) {
    const where = error instanceof BrokenInput && error.line !== undefined ? ` at line ${error.line}` : '';
    throw new EnvironmentError(
      `the kubeconfig ${path} is not valid YAML${where}`,
      'Fix it, or pass another --kubeconfig',
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
  path: string,
  what: string,
  entries: readonly T[] | undefined,
  value: (entry: T) => V,
): Map<string, V> {
  const result = new Map<string, V>();
  for (const entry of entries ?? []) {
    const name = entry.name ?? '';
    if (result.has(name))
      throw new EnvironmentError(
        `the kubeconfig ${path} has two ${what}s named ${JSON.stringify(name)}`,
        'Delete or rename one of them; kubectl reads neither',
      );
    result.set(name, value(entry));
  }
  return result;
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
