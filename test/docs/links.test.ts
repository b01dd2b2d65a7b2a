import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, readPage, root } from './pages.ts';

/** The relative links and pictures of a page. */
function linksOf(page: string): string[] {
  const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

describe('links', () => {
  const all = pages.flatMap((page) => linksOf(readPage(page)).map((link) => [page, link] as const));
  it('are found', () => {
    expect(all.length).toBeGreaterThan(50);
  });
  it.each(all)('of %s lead somewhere: %s', (page, link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : join(dirname(page), file);
    expect(existsSync(join(root, target)), `${target} does not exist`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(readPage(target))).toContain(anchor);
  });
});
