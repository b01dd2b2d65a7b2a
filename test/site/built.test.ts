import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { composeSite } from '../../build/site/pages.ts';
import { distFolder, whyNoSite } from './site-server.ts';

const title = whyNoSite === undefined ? 'the built site' : `the built site (skipped: ${whyNoSite})`;

const decode = (text: string): string =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

describe.skipIf(whyNoSite !== undefined)(title, () => {
  const html = new Map<string, string>();
  /** Where the site is under its host (SITE_BASE). */
  let base = '/';
  beforeAll(() => {
    const files = readdirSync(distFolder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.html'),
    );
    for (const file of files) html.set(file, readFileSync(join(distFolder, file), 'utf8'));
    base = /href="([^"]*)favicon\.svg"/.exec(html.get('index.html') ?? '')?.[1] ?? '/';
  });

  it('has every page of this checkout; otherwise run npm run docs again', () => {
    const wanted = [...composeSite().pages.keys()].map((path) => path.replace(/\.md$/, '.html'));
    expect([...html.keys()].filter((path) => path !== '404.html').sort()).toEqual(wanted.sort());
  });

  it('has no link, script, style or picture that leads nowhere', () => {
    const anchors = new Map(
      [...html].map(([path, page]) => [
        path,
        new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => decode(id ?? ''))),
      ]),
    );
    const problems = new Set<string>();
    for (const [path, page] of html)
      for (const [, link = ''] of page.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
        if (/^(?:[a-z]+:|\/\/)/.test(link)) continue;
        const { pathname, hash } = new URL(decode(link), `http://site${base}${path}`);
        const file = decodeURIComponent(pathname.slice(base.length)) + (pathname.endsWith('/') ? 'index.html' : '');
        if (!pathname.startsWith(base) || !existsSync(join(distFolder, file))) problems.add(`${path}: ${link}`);
        else if (hash !== '' && anchors.has(file) && !anchors.get(file)?.has(decodeURIComponent(hash.slice(1))))
          problems.add(`${path}: ${link} (no such heading)`);
      }
    expect([...problems]).toEqual([]);
  });

  it('loads nothing from elsewhere, and says so to the browser', () => {
    for (const [path, page] of html) {
      expect(
        [...page.matchAll(/<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?\/\//g)].map(([tag]) => tag),
        path,
      ).toEqual([]);
      expect(page, path).toContain("default-src 'self'");
    }
  });

  it('is light: what a page needs at first is small, and the matcher, the titles and the search come later', () => {
    for (const path of ['index.html', 'causes/sc-missing.html', 'install.html']) {
      const page = html.get(path) ?? '';
      const first = [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
        ([, file = '']) => file.slice(base.length),
      );
      const bytes = first.reduce((sum, file) => sum + statSync(join(distFolder, file)).size, page.length);
      expect(
        first.filter((file) => /worker|causes\.data|localSearch/.test(file)),
        path,
      ).toEqual([]);
      expect(bytes, path).toBeLessThan(420_000);
    }
  });

  it('titles the page of a cause with the message, for search engines and bookmarks', () => {
    const page = html.get('causes/sc-missing.html') ?? '';
    expect(page).toContain('<title>storageclass.storage.k8s.io &quot;gold&quot; not found | kubectl csi</title>');
    expect(page).toContain('<meta name="description" content="The claim names a StorageClass that does not exist.">');
  });

  it('serves schemas, pictures and examples as they are in the repository', () => {
    for (const file of ['report.schema.json', 'images/demo.svg', 'ci/github-action.yaml', 'ci/deploy-and-wait.sh'])
      expect(
        readFileSync(join(distFolder, file)).equals(readFileSync(join(distFolder, '../../docs', file))),
        file,
      ).toBe(true);
  });
});
