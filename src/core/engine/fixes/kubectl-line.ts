import { kubectlSwitches as switches } from '../../kube/kubectl-switches.ts';
import { resourceNamed, resourceOf } from '../../kube/resources.ts';
import type { ObjectRef } from '../../report/report.ts';

/** One call of kubectl, taken apart. */
export interface KubectlCall {
  /** One word, or two as in `rollout restart`. */
  readonly verb: string;
  readonly namespace?: string;
  /** Words that are neither flags nor the verb. */
  readonly words: readonly string[];
  /** Flags by their long name; a repeated one has several values. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** What follows `--`. */
  readonly behind: readonly string[];
}

const shortFlags: Readonly<Record<string, string>> = {
  n: 'namespace',
  A: 'all-namespaces',
  o: 'output',
  f: 'filename',
  p: 'patch',
  l: 'selector',
  c: 'container',
  w: 'watch',
  i: 'stdin',
  t: 'tty',
  k: 'kustomize',
};

const twoWordVerbs: Readonly<Record<string, ReadonlySet<string>>> = {
  rollout: new Set(['restart', 'status', 'undo', 'pause', 'resume', 'history']),
  auth: new Set(['can-i', 'whoami', 'reconcile']),
  apply: new Set(['view-last-applied', 'edit-last-applied', 'set-last-applied']),
  set: new Set(['image', 'env', 'resources', 'serviceaccount', 'selector', 'subject']),
  config: new Set(['get-contexts', 'view', 'current-context', 'use-context']),
  create: new Set([
    'secret',
    'configmap',
    'serviceaccount',
    'role',
    'rolebinding',
    'clusterrole',
    'clusterrolebinding',
    'namespace',
    'token',
    'quota',
    'job',
  ]),
  certificate: new Set(['approve', 'deny']),
};

/**
 * Takes a kubectl command line apart as kubectl does (pflag: flags and words in any order). Undefined for anything else
 * than kubectl.
 */
export function readKubectl(line: readonly string[]): KubectlCall | undefined {
  if (line[0] !== 'kubectl') return undefined;
  const flags = new Map<string, string[]>();
  const plain: string[] = [];
  const rest = line.slice(1);
  let behind: readonly string[] = [];
  while (rest.length > 0) {
    const word = rest.shift() as string;
    if (word === '--') {
      behind = rest.splice(0);
      break;
    }
    if (word.startsWith('-') && word !== '-') takeFlag(word, rest, flags);
    else plain.push(word);
  }
  const [first = '', second = '', ...others] = plain;
  const isTwo = twoWordVerbs[first]?.has(second) === true;
  const namespace = flags.get('namespace')?.at(-1);
  // Behind `--` there are names that may begin with a dash; only exec, debug and run start a program there.
  const named = ['exec', 'debug', 'run'].includes(first) ? [] : behind;
  return {
    verb: isTwo ? `${first} ${second}` : first,
    ...(namespace !== undefined && { namespace }),
    words: [...(isTwo || second === '' ? others : [second, ...others]), ...named],
    flags,
    behind,
  };
}

function takeFlag(word: string, rest: string[], flags: Map<string, string[]>): void {
  const equals = word.indexOf('=');
  const written = (equals === -1 ? word : word.slice(0, equals)).replace(/^--?/, '');
  const add = (name: string, value: string): void => void flags.set(name, [...(flags.get(name) ?? []), value]);
  if (!word.startsWith('--') && written.length > 1) {
    // `-it`: switches written together; `-nshop`: a value without a space.
    if ([...written].every((char) => switches.has(shortFlags[char] ?? '')))
      for (const char of written) add(shortFlags[char] ?? char, 'true');
    else add(shortFlags[written[0] ?? ''] ?? written[0] ?? '', written.slice(1));
    return;
  }
  const name = word.startsWith('--') ? written : (shortFlags[written] ?? written);
  if (equals !== -1) add(name, word.slice(equals + 1));
  else add(name, switches.has(name) ? 'true' : (rest.shift() ?? ''));
}

/**
 * The objects that a call names: `pvc data more`, `pvc/data deploy/web`. Types that are not known here are left out.
 */
export function objectsNamed(call: KubectlCall): readonly ObjectRef[] {
  const words = ['cordon', 'uncordon', 'drain'].includes(call.verb)
    ? call.words.map((name) => `node/${name}`)
    : call.words;
  const [type = '', ...names] = words;
  const pairs = type.includes('/')
    ? words.filter((word) => word.includes('/')).map((word) => splitOnce(word))
    : names.filter((name) => !/[=:]|-$/.test(name)).map((name): [string, string] => [type, name]);
  return pairs.flatMap(([typeName, name]) => refTo(typeName, name, call.namespace) ?? []);
}

function refTo(type: string, name: string, namespace: string | undefined): ObjectRef | undefined {
  const resource = resourceNamed(type);
  if (!resource) return undefined;
  return {
    kind: resource.kind,
    ...(resourceOf(resource.kind).namespaced && { namespace: namespace ?? 'default' }),
    name,
  };
}

function splitOnce(word: string): [string, string] {
  const slash = word.indexOf('/');
  return [word.slice(0, slash), word.slice(slash + 1)];
}
