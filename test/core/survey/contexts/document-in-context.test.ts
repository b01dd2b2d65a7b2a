import { describe, expect, it } from 'vitest';
import { askCheck } from '../../../../src/core/survey/checks/ask-check.ts';
import { askTrace } from '../../../../src/core/survey/trace/ask-trace.ts';
import { documentInContext } from '../../../../src/core/survey/contexts/document-in-context.ts';
import { loadScenarios } from '../../../kit/scenario.ts';

const flags = "--kubeconfig 'my lab/config' --context prod";
const choice = { kubeconfig: 'my lab/config', context: 'prod' };

/** All texts of a document, with the names of the fields that lead to them. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => textsOf(field, `${path}.${name}`));
}

const documents = loadScenarios().flatMap(({ id, snapshot, target }) => {
  const { survey, status, stuck } = askCheck(snapshot, { breadth: 'everything' });
  return [stuck, survey, status, askTrace(snapshot, target).trace ?? {}].map((document) => {
    const placed = documentInContext(document, choice);
    return { id, document, placed, texts: textsOf(placed) };
  });
});

describe('the document of a cluster that flags chose', () => {
  /** kubectl at the beginning, behind an operator of the shell, or in a sentence; pages of causes are of no cluster. */
  const written = /(?<=^|[|;&(]\s*|\n|[a-z,:] )kubectl (?!csi (?:explain|causes)\b)(?:csi )?[a-z-]+ .*/g;

  it('names it in each command, wherever the document has one', () => {
    const without = new Set<string>();
    let commands = 0;
    for (const { id, texts } of documents)
      for (const [path, text] of texts)
        for (const [command] of text.matchAll(written)) {
          commands += 1;
          if (!command.includes(flags)) without.add(`${id} ${path}: ${command}`);
        }
    expect([...without]).toEqual([]);
    expect(commands).toBeGreaterThan(500);
  });

  it('names it once, and not again when it is placed a second time', () => {
    const commands = new Set<string>();
    for (const { id, texts } of documents)
      for (const [path, text] of texts) {
        if (text.includes(`${flags} ${flags}`)) expect.fail(`${id} ${path}: ${text}`);
        if (/\.commands?(?:\.\d+)?$/.test(path)) commands.add(text);
      }
    for (const text of commands) expect(documentInContext({ command: text }, choice).command).toBe(text);
  });

  it('differs in nothing else', () => {
    for (const { id, document, placed } of documents)
      expect(
        JSON.stringify(placed).replaceAll(/ --kubeconfig 'my lab\/config' --(?:kube-)?context prod/g, ''),
        id,
      ).toBe(JSON.stringify(document));
  });
});

describe('one command', () => {
  const placed = (command: string, chosen: Parameters<typeof documentInContext>[1]): string =>
    documentInContext({ command }, chosen).command;

  it.each([
    [{ kubeconfig: 'config' }, 'kubectl --kubeconfig config get pv', 'helm --kubeconfig config list'],
    [{ context: 'a b' }, "kubectl --context 'a b' get pv", "helm --kube-context 'a b' list"],
    [{ context: '-x' }, "kubectl --context='-x' get pv", "helm --kube-context='-x' list"],
    [{ cluster: 'c', user: 'u' }, 'kubectl --cluster c --user u get pv', 'helm list'],
    [
      { server: 'https://10.0.0.1' },
      'kubectl --server https://10.0.0.1 get pv',
      'helm --kube-apiserver https://10.0.0.1 list',
    ],
  ])('reaches the cluster of %o', (chosen, kubectl, helm) => {
    expect(placed('kubectl get pv', chosen)).toBe(kubectl);
    expect(placed('helm list', chosen)).toBe(helm);
  });

  it('stays as it is where flags chose nothing', () => {
    const document = { command: 'kubectl get pv', fix: [] };
    expect(documentInContext(document, {})).toBe(document);
    expect(documentInContext(document, { context: '', kubeconfig: '' })).toBe(document);
  });
});

it('keeps the names of files that commands write, and places the sentence of a fix', () => {
  const fix = [
    { text: 'Edit a.yaml, which kubectl get pv shows (kubectl csi explain x).', commands: ['kubectl get pv > a.yaml'] },
  ];
  expect(documentInContext({ deep: [{ fix }] }, { context: 'prod' })).toEqual({
    deep: [
      {
        fix: [
          {
            text: 'Edit a.yaml, which kubectl --context prod get pv shows (kubectl csi explain x).',
            commands: ['kubectl --context prod get pv > a.yaml'],
          },
        ],
      },
    ],
  });
});
