import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../kit/run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let inputsOf: ReadonlyMap<string, readonly string[]> = new Map();

beforeAll(async () => {
  const { outputs } = JSON.parse(await readFile(`${root}dist/meta.json`, 'utf8')) as { readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>> };
  inputsOf = new Map(Object.entries(outputs).map(([output, { inputs }]) => [output, Object.keys(inputs)]));
});

/** The source files behind every file of the bundle that a run really loads. */
function loadedBy(words: readonly string[], stdin = ''): string[] {
  const recorder = `const { registerHooks } = process.getBuiltinModule('module');
    registerHooks({ load(url, context, next) { if (url.startsWith('file:')) process.getBuiltinModule('fs').writeSync(3, url + '\\n'); return next(url, context); } });`;
  const result = spawnSync(programPath, words, { input: stdin, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}` } });
  const files = String(result.output[3]).trim().split('\n').map((url) => fileURLToPath(url).slice(root.length));
  expect(files, result.stderr).toContain('dist/main.js');
  return files.flatMap((file) => inputsOf.get(file) ?? []);
}

const claim = JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop' }, spec: {}, status: { phase: 'Pending' } });

describe('a command loads what it needs and no more', () => {
  it.each([[['--help']], [['--version']], [['why-pending', '--help']]])('%j loads neither the engine nor oclif nor any library', (words) => {
    const inputs = loadedBy(words);
    expect(inputs).toContain('src/cli/program.ts');
    expect(inputs.filter((input) => /node_modules|src\/(engine|graph|journey|causes|collect|report|sim)\//.test(input))).toEqual([]);
  });
  it('why-pending --from of JSON loads no cluster client, no YAML, no table and no embedded server', () => {
    const inputs = loadedBy(['why-pending', '--from', '-'], claim);
    expect(inputs).toContain('src/engine/diagnose.ts');
    expect(inputs.filter((input) => /node_modules\/(@kubernetes|@grpc|yaml|cli-table3)|src\/(collect\/cluster|sim|probe)\//.test(input))).toEqual([]);
  });
  it('probe loads neither the engine nor a cluster client nor the loader of proto files', () => {
    const inputs = loadedBy(['probe', '/nonexistent/csi.sock']);
    expect(inputs).toContain('src/probe/probe-endpoint.ts');
    expect(inputs.filter((input) => /node_modules\/(@kubernetes|@grpc\/proto-loader|protobufjs|yaml)|src\/(engine|causes|collect|sim)\//.test(input))).toEqual([]);
  });
  it('explain loads neither the engine nor a cluster client', () => {
    expect(loadedBy(['explain', 'sc-missing']).filter((input) => /@kubernetes|src\/(engine|collect|sim)\//.test(input))).toEqual([]);
  });
});

describe('the bundle', () => {
  it('carries the licence of every library in it', async () => {
    const licences = await readFile(`${root}dist/third-party-licences.txt`, 'utf8');
    for (const library of ['@oclif/core', '@grpc/grpc-js', 'yaml', 'cli-table3']) expect(licences).toMatch(new RegExp(`^${library} \\d`, 'm'));
  });
});
