import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Metafile } from 'esbuild';

/**
 * What is loaded together is in one file, a pack: a table of functions, one for each part of the program, that are called when the part is
 * first needed (src/start.ts). The listed sources and all that they import make a pack; what several packs need is in
 * `shared`, everything else in `rest`. So a command reads two or three files, and V8 compiles only what it calls.
 */
const packRoots: Readonly<Record<string, readonly string[]>> = {
  main: ['src/main.ts', 'src/cli/help.ts'],
  explain: [
    'src/commands/explain/command.ts',
    'src/commands/explain/text.ts',
    'src/commands/causes/command.ts',
    'src/commands/causes/text.ts',
  ],
  // Apart from the engine, so that the first requests are sent before it is loaded.
  ask: [
    'src/commands/why-pending/command.ts',
    'src/commands/why/command.ts',
    'src/cli/cluster-source.ts',
    'src/cli/diagnosis/stuck-elsewhere.ts',
  ],
  judge: [
    'src/core/engine/diagnose.ts',
    'src/cli/dump-source.ts',
    'src/terminal/verdict/text.ts',
    ...causes(
      'claim/index',
      'bind/index',
      'mount/health/index',
      'expand/resize-denied-class',
      'delete/static-volume-policy',
    ),
  ],
  // Only for a cause with a fix that can be played through.
  fixes: ['src/core/engine/fixes/prove-fixes.ts', 'src/core/engine/fixes/fix-needs.ts'],
  // Only where a verdict is left open.
  logs: ['src/cli/diagnosis/consult-logs.ts', 'src/io/cluster/read-log.ts', 'src/io/cluster/pod-access.ts'],
  survey: [
    ...['status', 'check', 'get', 'trace'].map((name) => `src/commands/${name}/command.ts`),
    ...['status', 'check', 'trace'].map((name) => `src/commands/${name}/text.ts`),
    'src/commands/get/output.ts',
    'src/core/survey/rows/row-causes.ts',
  ],
  provision: causes('provision/index', 'schedule/index', 'schedule/wffc-bind-timeout'),
  mount: causes('attach/index', 'mount/index', 'expand/index'),
  delete: causes('delete/index', 'modify/index', 'snapshot/index'),
  probe: ['src/commands/probe/command.ts', 'src/io/csi/client.ts', 'src/commands/probe/text.ts'],
};

function causes(...files: readonly string[]): string[] {
  return files.map((file) => `src/core/causes/${file}.ts`);
}

/** Opened after the packs with which they share something: it is in those. */
const lastPacks: readonly string[] = ['logs', 'survey'];

/** What the rules of several stages share is put with the engine, which is loaded before them. */
const enginePacks: readonly string[] = ['judge', 'fixes', 'provision', 'mount', 'delete'];

/** What only one command uses, or a kubeconfig that is not written as kubectl writes it, by its files: other runs do not read it. */
const ownPacks: Readonly<Record<string, RegExp>> = {
  yaml: /^node_modules\/yaml\//,
  mcp: /^(?:src\/(?:commands\/)?mcp\/|docs\/\w[\w-]*\.schema\.json$|no-validator:|builtin:|node_modules\/(?:@modelcontextprotocol|zod|hono|@hono)\/)/,
};

/** A library of this size that no root imports, gets a pack of its own. */
const ownPackBytes = 400_000;

type Outputs = Metafile['outputs'];

/** Part of the program → the pack that it is in. */
export function assignPacks(outputs: Outputs): ReadonlyMap<string, string> {
  const packs = Object.entries(packRoots).map(([name, roots]) => ({
    name,
    outputs: new Set(roots.flatMap((root) => [...reachableOutputs(root, outputs)])),
  }));
  return new Map(
    Object.entries(outputs).map(([output, { bytes, inputs }]) => {
      const users = packs.filter((pack) => pack.outputs.has(output)).map(({ name }) => name);
      return [partName(output), users.length > 0 ? packOf(users) : packOfUnused(output, bytes, Object.keys(inputs))];
    }),
  );
}

function packOf(allUsers: readonly string[]): string {
  const earlier = allUsers.filter((user) => !lastPacks.includes(user));
  const users = earlier.length > 0 ? earlier : allUsers;
  const [first = ''] = users;
  if (users.includes('main')) return 'main';
  if (users.length === 1) return first;
  return users.every((user) => enginePacks.includes(user)) ? 'judge' : 'shared';
}

function packOfUnused(output: string, bytes: number, inputs: readonly string[]): string {
  const [own] =
    Object.entries(ownPacks).find(([, files]) => inputs.length > 0 && inputs.every((input) => files.test(input))) ?? [];
  if (own !== undefined) return own;
  return bytes > ownPackBytes ? partName(output).replace(/-\w+$/, '') : 'rest';
}

function reachableOutputs(root: string, outputs: Outputs): ReadonlySet<string> {
  const reachable = new Set<string>();
  const visit = (output: string): void => {
    if (reachable.has(output)) return;
    reachable.add(output);
    for (const { path, kind, external } of outputs[output]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) visit(path);
  };
  visit(entryOutput(root, outputs));
  return reachable;
}

export function entryOutput(source: string, outputs: Outputs): string {
  const entry = Object.keys(outputs).find((output) => outputs[output]?.entryPoint === source);
  if (entry === undefined) throw new Error(`${source} is not imported dynamically, so it cannot be the root of a pack`);
  return entry;
}

export function partName(output: string): string {
  return output.replace(/^dist\//, '').replace(/\.js$/, '');
}

/** What src/start.ts hands to each part. */
const partParameters = 'exports,require,module,__dirname,openPartAsync';

export function partOf(name: string, code: string): string {
  return `${JSON.stringify(name)}(${partParameters}){${code}}`;
}

/**
 * V8 keeps a text with one character beyond Latin-1 in two bytes a character, which takes twice as long to read and to hash. esbuild
 * escapes such characters everywhere but in regular expressions, where the escape means the same.
 */
export function escapeNonAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the packs and returns a fingerprint of their whole text. */
export async function writePacks(
  parts: ReadonlyMap<string, string>,
  packOfPart: ReadonlyMap<string, string>,
): Promise<string> {
  const fingerprint = createHash('sha256');
  for (const [pack, inside] of Map.groupBy(parts, ([name]) => packOfPart.get(name) as string)) {
    const text = `({${inside.map(([, code]) => escapeNonAscii(code)).join(',\n')}})`;
    fingerprint.update(text);
    await writeFile(`dist/${pack}.pack`, text);
  }
  return fingerprint.digest('hex').slice(0, 16);
}
