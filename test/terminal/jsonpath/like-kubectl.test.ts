import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { renderJsonpath, renderJsonpathAsJson } from '../../../src/terminal/jsonpath/render-jsonpath.ts';

const isMissing = spawnSync('kubectl', ['version', '--client']).status !== 0;
const why = isMissing ? ' (skipped: kubectl is not on the PATH)' : '';

const document = {
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name: 'box' },
  doc: {
    items: [
      { cause: 'x', n: 1, f: 1.5, big: 12345678901, yes: true, none: null, l: [1, 2, 3], target: { name: 'a' } },
      { cause: 'y', n: 2, o: { k: 'v', a: [{ b: 1 }] }, target: { name: 'b' } },
      { cause: 'x', n: -3, deep: { cause: 'q', l: [] }, target: { name: 'c' } },
    ],
    empty: [],
    nothing: {},
    s: 'two\nlines',
    blank: '',
    'a.b': { 'c d': 'dotted' },
    snow: 'é☃',
  },
};

// Go visits the keys of an object in a random order, so no template depends on that order.
const templates = [
  '{.doc.items[*].cause}',
  '{.doc.items[*].target.name}',
  '{$.doc.s}{@.doc.s}',
  'a}b{.doc.s}c',
  '{.doc.items}',
  '{.doc.items[0]}|{.doc.items[1].o}|{.doc.empty}|{.doc.nothing}|{.doc.blank}|',
  '{.doc.items[0].f} {.doc.items[0].big} {.doc.items[0].yes} {.doc.items[0].none}',
  '{.doc.missing}{.doc.missing.further}{.doc.items[0].cause.further}{.doc.missing[0]}{.doc.missing[*].x}',
  '{.}{.doc.}{ .doc.s }',
  '{.doc.items[0].n}{.doc.items[-1].n}{.doc.items[-3].n}',
  '{.doc.items[1:].n}|{.doc.items[:2].n}|{.doc.items[-2:].n}|{.doc.items[0:3:2].n}|{.doc.items[::2].n}|{.doc.items[1:1].n}',
  '{.doc.items[].n}',
  '{.doc.items[0,2].n}',
  '{.doc.items[*].l[0,-1]}',
  "{.doc.items[*]['n','cause']}",
  "{.doc['items'][0]['target.name']}",
  '{.doc.a\\.b.c\\ d}',
  "{.doc['a\\.b']['c\\ d']}",
  '{.doc.nothing.*}{.doc.items[0].target.*}{.doc.items[0].l.*}',
  '{..cause}',
  '{.doc..n}',
  '{.doc.items[1]..b}{...f}',
  '{..l[0:1]}',
  '{.doc.items[1].o.a..}',
  '{.doc.items[?(@.cause=="x")].n}',
  "{.doc.items[?(@.cause=='x')].n}",
  '{.doc.items[?(@.cause!="x")].n}',
  '{.doc.items[?(@.n>0)].n}|{.doc.items[?(@.n>=2)].n}|{.doc.items[?(@.n<2)].n}|{.doc.items[?(@.n<=-3)].n}',
  '{.doc.items[?(@.f==1.5)].n}',
  '{.doc.items[?(@.o)].n}{.doc.items[?(@.none)].n}',
  '{.doc.items[?(@.missing=="x")].n}',
  '{.doc.items[?(@.yes==true)].n}',
  '{.doc.items[?(@.target.name=="b")].o.a[0].b}',
  '{.doc.items[?(@.cause=="(x)")].n}',
  '{.doc.items[?(@.l[0]==1)].n}',
  '{.doc.items[?(@.cause==@.cause)].n}',
  '{.doc.items[?(@.cause<"y")].n}',
  '{range .doc.items[*]}{.cause}{"\\n"}{end}',
  '{range .doc.items[*]}{.cause}',
  '{range .doc.items[*]}{.n}:{range .l[*]}{@},{end};{end}tail',
  '{range .doc.empty[*]}a{range @.x}b{end}c{end}d',
  '{range .doc.items[?(@.cause=="x")]}[{.n}, {.target.name}] {end}',
  '{range .doc.items[*]}{range .o.a[*]}{.b}{end}{end}{range .doc.items[*]}{.n}{end}',
  '{.doc.items[*].cause "x"}{"a" "b"}',
  '{"a\\tb\\x41\\u2603\\101"}{\'it\\\'s\'}{"say \\"no\\""}{"back\\\\ slash"}',
  '{3}{1.5}{true}{-2}',
  '{.doc.snow} ☃',
  '{.doc.items[5].x}',
  '{.doc.items[2:1]}',
  '{.doc.items[-4]}',
  '{.doc.s[0]}',
  '{.doc.items[?(@.cause==1)].n}',
  '{.doc.items[?(@.none==1)].n}',
  '{.doc.s[?(@.a)]}',
  '{.doc.items[?(@.a=="b" && @.c=="d")]}',
  '{.doc.items[?(@.a=="b"]}',
  '{.doc.items[?(@.cause==="b")]}',
  '{.doc',
  '{.doc[}',
  '{.doc["s"]}',
  '{.doc[s]}',
  '{doc}',
  '{end}',
  '{....n}',
  '{"open}',
  '{"\\q"}',
  '{.doc.s, .doc.s}',
  '{.doc\n.s}',
  '{.doc.items[0:3:0].n}',
];

const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-jsonpath-'));
const file = join(directory, 'box.json');
writeFileSync(file, JSON.stringify(document));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What kubectl prints, or "refused". Nothing is asked of a server: `--local` changes and prints the file's object. */
function kubectl(format: string): Promise<string> {
  const words = ['annotate', '--local', '-f', file, 'a=b', '-o', format];
  return new Promise((resolve) => {
    execFile('kubectl', words, { env: { ...process.env, KUBECONFIG: join(directory, 'none') } }, (error, stdout) =>
      resolve(error === null ? stdout : 'refused'),
    );
  });
}

function ours(render: (document: object, template: string) => string, template: string): string {
  const annotated = { ...document, metadata: { ...document.metadata, annotations: { a: 'b' } } };
  try {
    return render(annotated, template);
  } catch {
    return 'refused';
  }
}

describe(`jsonpath as the real kubectl has it${why}`, () => {
  it.skipIf(isMissing).each(templates)('%s', async (template) => {
    expect(ours(renderJsonpath, template)).toBe(await kubectl(`jsonpath=${template}`));
  });

  it.skipIf(isMissing).each(['{.doc.items[*].cause}', 'a{.doc.empty[*]}', '{.doc.items}{.doc.missing}'])(
    'as JSON: %s',
    async (template) => {
      expect(ours(renderJsonpathAsJson, template)).toBe(await kubectl(`jsonpath-as-json=${template}`));
    },
  );
});
