import { stages } from '../../src/commands/causes/stages.ts';
import type { CauseFacts } from './cause-facts.ts';

const summary =
  'kubectl csi explains why storage is stuck in a Kubernetes cluster: the root cause, the evidence and the fix, in one read-only command.';

/** The title of a page: its first heading, without code marks. */
export function titleOfPage(markdown: string): string {
  return (/^# (.+?)(?: \{#[\w-]+\})?$/m.exec(markdown)?.[1] ?? '').replaceAll(/^`+ ?| ?`+$/g, '');
}

/** llms.txt: what the site is about and where its pages are as Markdown. */
export function renderOverview(pages: ReadonlyMap<string, string>, causes: readonly CauseFacts[]): string {
  const docs = [...pages].filter(([path]) => !/^(?:causes|reference)\/|^(?:index|paste)\.md$/.test(path));
  const reference = [...pages].filter(([path]) => path.startsWith('reference/'));
  const list = (entries: readonly (readonly [string, string])[]): string =>
    entries.map(([path, page]) => `- [${titleOfPage(page)}](${path})\n`).join('');
  return [
    `# kubectl csi\n\n> ${summary}\n\n`,
    'Every page is also available as Markdown, under the addresses below. All of them in one file: [llms-full.txt](llms-full.txt)\n\n',
    "The causes of an error text: `kubectl csi explain 'ERROR TEXT'`. The causes in a cluster: `kubectl csi why -A -o json`.\n\n",
    `## Documentation\n\n${list(docs)}\n## Reference\n\n${list(reference)}\n`,
    ...[...stages, undefined].map((stage) => causesOf(stage, causes)),
  ].join('');
}

function causesOf(stage: string | undefined, causes: readonly CauseFacts[]): string {
  const inStage = causes.filter(({ stages: [first] }) => first === stage);
  const lines = inStage.map(({ id, title, isMessage, sentence }) => {
    const message = isMessage ? ` Message: ${title}` : '';
    return `- [${id}](causes/${id}.md): ${sentence}${message}\n`;
  });
  return `## Causes: ${stage === undefined ? 'any stage' : `stage ${stage}`}\n\n${lines.join('')}\n`;
}

/** llms-full.txt: all pages, one after the other. */
export function renderFullText(pages: readonly (readonly [string, string])[]): string {
  const texts = pages.map(([path, page]) => `<!-- ${path} -->\n\n${page.replace(/^---\n[^]*?\n---\n/, '').trim()}\n`);
  return `${texts.join('\n')}`;
}
