import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neighboursOf, readCauses, root } from './cause-facts.ts';
import type { CauseFacts } from './cause-facts.ts';
import { renderCausePage } from './cause-page.ts';
import { renderIndexes } from './indexes.ts';
import { renderFullText, renderOverview } from './llms.ts';
import { renderReference } from './reference.ts';
import { linkCauses, readRepositoryPage, repositoryAssets, repositoryPages } from './repository-pages.ts';

export interface Site {
  /** Markdown by its path on the site. */
  readonly pages: ReadonlyMap<string, string>;
  /** Files that are served as they are. */
  readonly assets: ReadonlyMap<string, string | Buffer>;
  readonly causes: readonly CauseFacts[];
}

/** The whole site before VitePress renders it, from the files of the repository. */
export function composeSite(): Site {
  const causes = readCauses();
  const pages = new Map([
    ...ownPages,
    ...repositoryPart(causes),
    ...causePart(causes),
    ...renderIndexes(causes),
    ...renderReference(),
  ]);
  const copied = [...repositoryAssets()].map(([from, to]) => [to, readFileSync(join(root, from))] as const);
  const asMarkdown = [...pages].filter(([path]) => !ownPages.has(path));
  const assets = new Map<string, string | Buffer>([
    ...copied,
    ['favicon.svg', favicon],
    ['llms.txt', renderOverview(pages, causes)],
    ['llms-full.txt', renderFullText(asMarkdown)],
    ...asMarkdown,
  ]);
  return { pages, assets, causes };
}

function repositoryPart(causes: readonly CauseFacts[]): (readonly [string, string])[] {
  const ids = new Set(causes.map(({ id }) => id));
  return [...repositoryPages()].map(([from, to]) => [to, readRepositoryPage(from, ids)] as const);
}

function causePart(causes: readonly CauseFacts[]): (readonly [string, string])[] {
  const known = new Map(causes.map((cause) => [cause.id, cause]));
  const ids = new Set(known.keys());
  const neighbours = neighboursOf(causes);
  return causes.map((cause) => {
    const path = `causes/${cause.id}.md`;
    const page = renderCausePage(cause, known, neighbours.get(cause.id) ?? []);
    return [path, linkCauses(page, path, ids)] as const;
  });
}

const component = (name: string): string =>
  `<script setup>\nimport ${name} from '../../build/site/theme/${name}.vue'\n</script>\n\n<${name} />\n`;

/** Pages that are a component: the start page, and the paste box on its own. */
const ownPages: ReadonlyMap<string, string> = new Map([
  [
    'index.md',
    `---\nlayout: page\nsidebar: false\ntitle: Why is storage stuck in Kubernetes?\ntitleTemplate: kubectl csi\ndescription: kubectl csi names the root cause, shows the evidence and gives the fix. Paste an error to find its cause.\n---\n\n${component('Landing')}`,
  ],
  [
    'paste.md',
    `---\naside: false\ntitle: Find the cause of an error\ndescription: Paste an error, a log or the output of kubectl describe, and see what can have caused it.\n---\n\n# Find the cause of an error\n\n${component('PasteBox')}`,
  ],
]);

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 11h20M6 16h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/><path d="M18 19l6 6m0-6l-6 6" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>\n`;
