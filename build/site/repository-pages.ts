import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { repository } from '../release/project.ts';
import { root } from './cause-facts.ts';

/** Pages outside of `docs`, and where they are on the site. */
const elsewhere: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
};

/** Every page of the repository that is for people, by its path there, with its path on the site. */
export function repositoryPages(): ReadonlyMap<string, string> {
  const docs = filesBelow('docs').filter((file) => file.endsWith('.md') && !file.startsWith('causes/'));
  return new Map([
    ...Object.entries(elsewhere),
    ...docs.map((file) => [`docs/${file}`, file.replace(/README\.md$/, 'index.md')] as const),
  ]);
}

/** Files next to the pages that the site serves as they are: schemas, pictures, examples. */
export function repositoryAssets(): ReadonlyMap<string, string> {
  const files = filesBelow('docs').filter((file) => !file.endsWith('.md'));
  return new Map(files.map((file) => [`docs/${file}`, file]));
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(join(root, folder, file)).isFile())
    .sort();
}

const pages = repositoryPages();
const assets = repositoryAssets();

/** A page of the repository with links that work on the site. */
export function readRepositoryPage(path: string, causes: ReadonlySet<string>): string {
  const markdown = readFileSync(join(root, path), 'utf8');
  return linkCauses(rewriteLinks(markdown, path, pages.get(path) ?? path), pages.get(path) ?? path, causes);
}

/** Replaces what `change` returns a text for, outside of code blocks. */
function outsideBlocks(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^\n]*\n[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}

/** Links between files of the repository become links between pages of the site, files that it serves, or addresses of the Git host. */
function rewriteLinks(markdown: string, from: string, at: string): string {
  return outsideBlocks(markdown, (text) =>
    text.replaceAll(/(\]\()([^)\s]+)(\))/g, (whole, open: string, link: string, close: string) =>
      /^(?:[a-z]+:|#)/.test(link) ? whole : `${open}${siteLink(link, from, at)}${close}`,
    ),
  );
}

function siteLink(link: string, from: string, at: string): string {
  const [file = '', anchor] = link.split('#');
  const target = posix.join(dirname(from), file).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const cause = /^docs\/causes\/([\w-]+)\.md$/.exec(target)?.[1];
  if (cause !== undefined) return relative(at, `causes/${cause}.md`) + hash;
  if (target === 'docs/causes') return relative(at, 'causes/index.md');
  const page = pages.get(target);
  if (page !== undefined) return relative(at, page) + hash;
  if (assets.has(target)) return `/${assets.get(target) ?? ''}`;
  if (!existsSync(join(root, target))) throw new Error(`${from} links to ${link}, which does not exist`);
  return `${repository}/blob/main/${target}${hash}`;
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** The id of a cause in a sentence leads to its page. */
export function linkCauses(markdown: string, at: string, causes: ReadonlySet<string>): string {
  return outsideBlocks(markdown, (text) =>
    text
      .split('\n')
      .map((line) =>
        line.startsWith('#')
          ? line
          : line.replaceAll(/(?<![[`\w])`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`(?![\]`])/g, (whole, id: string) =>
              causes.has(id) && at !== `causes/${id}.md` ? `[\`${id}\`](${relative(at, `causes/${id}.md`)})` : whole,
            ),
      )
      .join('\n'),
  );
}
