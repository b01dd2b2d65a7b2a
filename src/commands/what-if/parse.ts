import type { NodeChoice, Operation } from '../../core/engine/rehearse/what-if/operation.ts';
import { deletableKinds, scalableKinds } from '../../core/engine/rehearse/what-if/operation-kinds.ts';
import { UserError } from '../../core/kube/errors.ts';
import { parseServerVersion } from '../../core/kube/version.ts';
import type { Manifest } from '../../core/report/preflight.ts';
import { inNamespace, named, parseTargets } from '../../cli/targets.ts';
import type { TargetGrammar } from '../../cli/targets.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { unknownName } from '../../cli/near-names.ts';

const verbs = ['drain', 'lose', 'delete', 'scale', 'apply', 'upgrade'] as const;
type Verb = (typeof verbs)[number];

/** What the flags add to the words. */
export interface Particulars {
  readonly namespace: string;
  readonly replicas: readonly string[];
  readonly manifests: readonly Manifest[];
}

/** `drain a b + delete pvc/x`: operations are separated by a word that is only a plus sign. */
export async function parseOperations(words: readonly string[], particulars: Particulars): Promise<Operation[]> {
  if (words.length === 0) throw new UserError('no operation was given', 'For example: kubectl csi what-if drain NODE');
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === '+') groups.push([]);
    else groups.at(-1)?.push(word);
  }
  const replicas = [...particulars.replicas];
  const operations: Operation[] = [];
  for (const [verb, ...rest] of groups) {
    if (verb === undefined) throw new UserError('there is nothing on one side of "+"', 'Write OPERATION + OPERATION');
    const known = verbs.find((candidate) => candidate === verb);
    if (!known) throw await unknownName('operation', verb, verbs, `The operations are ${verbs.join(', ')}`);
    operations.push(await parseOperation(known, rest, replicas, particulars));
  }
  refuseLeftOvers(operations, particulars);
  return operations;
}

async function parseOperation(
  verb: Verb,
  words: readonly string[],
  replicas: string[],
  { namespace, manifests }: Particulars,
): Promise<Operation> {
  const text = [verb, ...words].join(' ');
  switch (verb) {
    case 'drain':
    case 'lose':
      return { verb, text, nodes: parseNodes(verb, words) };
    case 'delete': {
      const grammar = { kinds: deletableKinds, ofType: (type: string) => `write ${type}/NAME` };
      needWords(verb, words, 'delete pvc/NAME');
      if (!words.join(' ').includes('/') && words.length === 1)
        throw new UserError(`"${words[0] ?? ''}" is not TYPE/NAME`, 'For example: kubectl csi what-if delete pvc/data');
      return { verb, text, targets: await parsePlaced(words, grammar, namespace) };
    }
    case 'scale':
      return parseScale(text, words, replicas, namespace);
    case 'apply':
      if (words.length > 0)
        throw new UserError(`"${words[0] ?? ''}" is not a flag`, `Pass manifests with -f ${words[0] ?? ''}`);
      if (manifests.length === 0) throw new UserError('no manifest was given', 'Pass files or directories with -f');
      return { verb, text, manifests };
    default:
      return { verb, text, version: parseVersion(words) };
  }
}

function needWords(verb: Verb, words: readonly string[], example: string): void {
  if (words.length === 0)
    throw new UserError(`"${verb}" needs something to act on`, `For example: kubectl csi what-if ${example}`);
}

/** `NAME`, `node/NAME`, `zone=VALUE`, `LABEL=VALUE`. */
function parseNodes(verb: 'drain' | 'lose', words: readonly string[]): NodeChoice[] {
  needWords(verb, words, verb === 'drain' ? 'drain NODE' : 'lose zone=ZONE');
  return words.map((word): NodeChoice => {
    const label = /^([^=]+)={1,2}(.*)$/.exec(word);
    if (label) {
      const [, key = '', value = ''] = label;
      if (value === '') throw new UserError(`"${word}" has no value`, 'Write LABEL=VALUE');
      return { key, value };
    }
    const [, type, name = ''] = /^(?:([a-z]+)\/)?(.*)$/.exec(word) ?? [];
    if (type !== undefined && !['node', 'nodes', 'no'].includes(type))
      throw new UserError(`"${verb}" acts on nodes, not on ${type}`, `Write node/NAME or LABEL=VALUE`);
    return { name: named('Node', name).name };
  });
}

/** `TYPE/NAMESPACE/NAME` too, because one -n cannot serve operations in several namespaces. */
async function parsePlaced(words: readonly string[], grammar: TargetGrammar, namespace: string): Promise<TargetRef[]> {
  if (!words.some((word) => word.split('/').length === 3))
    return inNamespace(await parseTargets(words, grammar), namespace);
  const targets = words.map(async (word) => {
    const [type = '', ...rest] = word.split('/');
    const [place = namespace, name = ''] = rest.length === 2 ? rest : [namespace, ...rest];
    if (rest.length > 2 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(place))
      throw new UserError(`"${word}" is not TYPE/NAMESPACE/NAME`, 'For example pvc/shop/data');
    return inNamespace(await parseTargets([`${type}/${name}`], grammar), place);
  });
  return (await Promise.all(targets)).flat();
}

async function parseScale(
  text: string,
  words: readonly string[],
  replicas: string[],
  namespace: string,
): Promise<Operation> {
  needWords('scale', words, 'scale deploy/NAME --replicas=0');
  const [target, ...more] = await parsePlaced(words, { kinds: scalableKinds }, namespace);
  if (!target || more.length > 0) throw new UserError('"scale" takes one workload', 'Add others with +');
  const value = replicas.length > 1 ? replicas.shift() : replicas[0];
  if (value === undefined)
    throw new UserError('"scale" needs --replicas', `For example: kubectl csi what-if ${text} --replicas=0`);
  if (!/^\d{1,6}$/.test(value)) throw new UserError(`"${value}" is not a number of replicas`, 'Write --replicas=N');
  return { verb: 'scale', text: `${text} --replicas=${value}`, target, replicas: Number(value) };
}

function parseVersion(words: readonly string[]): { readonly major: number; readonly minor: number } {
  needWords('upgrade', words, 'upgrade 1.37');
  const [word = '', ...more] = words;
  const version = /^v?\d+\.\d+/.test(word) ? parseServerVersion(word.startsWith('v') ? word : `v${word}`) : undefined;
  if (!version || more.length > 0 || version.major !== 1)
    throw new UserError(`"${words.join(' ')}" is not a Kubernetes version`, 'Write for example upgrade 1.37');
  return version;
}

/** A flag that belongs to no operation would be ignored, and the answer would be about something else. */
function refuseLeftOvers(operations: readonly Operation[], { replicas, manifests }: Particulars): void {
  const has = (verb: Verb): boolean => operations.some((operation) => operation.verb === verb);
  if (replicas.length > 0 && !has('scale'))
    throw new UserError('--replicas belongs to "scale"', 'Add: scale TYPE/NAME');
  if (manifests.length > 0 && !has('apply')) throw new UserError('-f belongs to "apply"', 'Add: apply');
  if (operations.filter(({ verb }) => verb === 'apply').length > 1)
    throw new UserError('"apply" was given twice', 'Pass all files of one apply with -f');
}
