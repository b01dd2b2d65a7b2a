import { describe, expect, it } from 'vitest';
import { slugOf } from '../../build/site/config.ts';
import { candidatesOf } from '../../build/site/cause-title.ts';
import { sidebars } from '../../build/site/navigation.ts';
import { composeSite } from '../../build/site/pages.ts';
import { titleOfPage } from '../../build/site/llms.ts';
import { repositoryPages } from '../../build/site/repository-pages.ts';
import { manifest } from '../../src/cli/manifest.ts';
import { commandLines, problemsOf } from '../docs/command-lines.ts';
import { codeLines, inlineCode } from '../docs/pages.ts';

const { pages, assets, causes } = composeSite();
const known = new Map(causes.map((cause) => [cause.id, cause]));

/** Text without code, so that nothing in a command looks like a link. */
function prose(markdown: string): string {
  return markdown
    .replaceAll(/^```[^\n]*\n[^]*?^```$/gm, '')
    .replaceAll(/(`+)[^]*?\1/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

function linksOf(markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.replaceAll(/^```[^\n]*\n[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = '']) => heading,
  );
  return new Set(headings.map((heading) => /\{#([\w-]+)\}$/.exec(heading)?.[1] ?? slugOf(heading)));
}

/** Why a link of a page leads nowhere; undefined if it leads to a page, a heading or a file. */
function problemOf(from: string, link: string): string | undefined {
  const { pathname, hash } = new URL(link, `http://site/${from}`);
  const path = decodeURIComponent(pathname.slice(1));
  if (assets.has(path) && !path.endsWith('.md')) return undefined;
  const page = pages.get(path);
  if (page === undefined) return `${from} links to ${link}, and there is no such page`;
  if (hash === '' || anchorsOf(page).has(decodeURIComponent(hash.slice(1)))) return undefined;
  return `${from} links to ${link}, and there is no such heading`;
}

describe('the pages of the site', () => {
  it('link to pages, headings and files that exist', () => {
    const problems = [...pages].flatMap(([path, page]) => linksOf(page).flatMap((link) => problemOf(path, link) ?? []));
    expect(problems).toEqual([]);
    expect([...pages.values()].flatMap(linksOf).length).toBeGreaterThan(2000);
  });

  it('have command lines that parse', () => {
    const problems = [...pages]
      .filter(([path]) => /^(?:causes|reference)\//.test(path))
      .flatMap(([path, page]) =>
        [...codeLines(page), ...inlineCode(page)]
          .flatMap(commandLines)
          .flatMap((words) => problemsOf(words.join(' ')).map((problem) => `${path}: ${words.join(' ')}: ${problem}`)),
      )
      // A usage line names what to put there.
      .filter((problem) => !/[A-Z]{4}|\[/.test(problem));
    expect(problems).toEqual([]);
  });

  it('are all in a sidebar, apart from the causes', () => {
    const listed = new Set(
      Object.values(sidebars())
        .flat()
        .flatMap(({ items = [] }) => items.map(({ link = '' }) => link)),
    );
    const paths = [...pages.keys()].map((path) => `/${path.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`);
    const isCause = (path: string): boolean => known.has(path.replace('/causes/', ''));
    expect(paths.filter((path) => !listed.has(path) && !isCause(path))).toEqual(['/']);
    expect([...listed].filter((link) => !paths.includes(link))).toEqual([]);
  });

  it('include every page of the repository and every command', () => {
    expect([...repositoryPages().values()].filter((path) => !pages.has(path))).toEqual([]);
    const missing = Object.keys(manifest.commands).filter(
      (id) => !pages.has(`reference/${id.replaceAll(' ', '-')}.md`),
    );
    expect(missing).toEqual([]);
  });

  it('are listed for programs, with the Markdown behind each link', () => {
    const list = String(assets.get('llms.txt'));
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !assets.has(link))).toEqual([]);
    expect(causes.filter(({ id }) => !links.includes(`causes/${id}.md`))).toEqual([]);
    expect(String(assets.get('llms-full.txt'))).toContain('# Tutorial: ten minutes on a broken cluster');
  });
});

describe('the page of a cause', () => {
  it.each(causes.map(({ id }) => [id] as const))('%s has its title, facts and the shipped text', (id) => {
    const cause = known.get(id)!;
    const page = pages.get(`causes/${id}.md`) ?? '';
    expect(titleOfPage(page).replaceAll('&#', '')).not.toBe('');
    expect(page).toContain(`Cause \`${id}\``);
    expect(page).toContain(`Severity ${cause.severity === 'info' ? 'waiting or information' : cause.severity}`);
    for (const stage of cause.stages) expect(page).toContain(`[${stage}](./by-stage.md#${stage})`);
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).slice(0, 6)).toEqual([
      'What you see',
      'Why it happens',
      'How to confirm',
      'How to fix',
      'When it is harmless',
      'References',
    ]);
    // Everything that people are shown as a message is on the shipped page or reported by a scenario.
    if (cause.isMessage) expect(candidatesOf(cause)).toContain(cause.title);
  });

  it('has a title that no other page has', () => {
    const titles = causes.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it('is titled with a message wherever one leads to it', () => {
    expect(causes.filter(({ isMessage }) => isMessage).length).toBeGreaterThan(220);
    const title = (id: string): string => known.get(id)?.title ?? '';
    expect(title('sc-missing')).toBe('storageclass.storage.k8s.io "gold" not found');
    expect(title('sched-max-volume-count')).toBe('node(s) exceed max volume count');
    expect(title('pvc-lost-pv-deleted')).toBe('Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  });
});

describe('the indexes', () => {
  it.each(['by-message', 'by-stage'])('%s lists every cause', (name) => {
    const page = pages.get(`causes/${name}.md`) ?? '';
    expect(causes.filter(({ id }) => !page.includes(`](./${id}.md)`)).map(({ id }) => id)).toEqual([]);
  });

  it('by-driver names causes that exist, for every code and storage system', () => {
    const page = pages.get('causes/by-driver.md') ?? '';
    expect(page.match(/^## /gm)?.length).toBeGreaterThan(12);
    expect(page).toMatch(/\| `ResourceExhausted` \| \[provision-resource-exhausted\].*\[attach-rpc-limit\]/);
    expect([...page.matchAll(/\]\(\.\/([\w-]+)\.md\)/g)].filter(([, id = '']) => !known.has(id))).toEqual([]);
  });
});
