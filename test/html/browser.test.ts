import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { chromiumPath, violationsOn, widthOf, withBrowser } from '../kit/browser.ts';
import { documentsOf, pagesOf, withHostileTexts } from '../kit/pages.ts';

const missing = chromiumPath === undefined;
const title = missing ? 'a page in a browser (skipped: no Chromium is installed)' : 'a page in a browser';

interface Opened {
  readonly page: Page;
  /** What the browser complained about, and what was requested besides the file. */
  readonly troubles: string[];
}

async function open(context: BrowserContext, file: string): Promise<Opened> {
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, troubles };
}

describe.skipIf(missing)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-html-'));
  const fileOf = (name: string): string => join(folder, `${name}.html`);
  let names: string[] = [];
  let hostile: string[] = [];

  beforeAll(() => {
    const snapshot = demoSnapshot(new Date('2026-05-06T07:08:09.123Z'));
    const blocked = diagnose(snapshot, { breadth: 'everything' }).report.items.find(
      ({ status, target }) => status === 'blocked' && target.kind === 'PersistentVolumeClaim',
    )!.target as TargetRef;
    const documents = documentsOf(snapshot, blocked);
    const pages = pagesOf(documents);
    const attacked = pagesOf(withHostileTexts(documents));
    for (const [name, page] of Object.entries(pages)) writeFileSync(fileOf(name), page);
    for (const [name, page] of Object.entries(attacked)) writeFileSync(fileOf(`hostile-${name}`), page);
    names = Object.keys(pages);
    hostile = Object.keys(attacked).map((name) => `hostile-${name}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  for (const [width, scheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)
    it(`is accessible and fits at ${width} pixels, ${scheme}`, () =>
      withBrowser({ viewport: { width, height: 900 }, colorScheme: scheme }, async (context) => {
        expect(names).toEqual(['one', 'all', 'status', 'check', 'preflight', 'whatIf', 'trace']);
        for (const name of names) {
          const { page, troubles } = await open(context, fileOf(name));
          expect(await widthOf(page), name).toBeLessThanOrEqual(width);
          expect(await violationsOn(page), name).toEqual([]);
          expect(troubles, name).toEqual([]);
          await page.close();
        }
      }));

  it('filters, folds and opens what a link names', () =>
    withBrowser({}, async (context) => {
      const { page, troubles } = await open(context, fileOf('all'));
      const shown = (): Promise<number> => page.locator('[data-item]:visible').count();
      const all = await shown();
      expect(all).toBeGreaterThan(2);
      const cause = (await page.locator('details h3').last().textContent())?.replace(/^\W+/, '').trim() ?? '';
      await page.fill('#filter', cause);
      expect(await shown()).toBeGreaterThan(0);
      expect(await shown()).toBeLessThan(all);
      expect(await page.locator('output').textContent()).toMatch(/^\d+ of \d+ entries shown$/);
      await page.fill('#filter', 'no such word anywhere');
      expect(await shown()).toBe(0);
      await page.press('#filter', 'Escape');
      expect(await shown()).toBe(all);
      await page.click('button[data-fold=close]');
      expect(await page.locator('details[open]').count()).toBe(0);
      await page.locator('table a[href="#c2"]').click();
      expect(await page.locator('details[open]').count()).toBe(1);
      await page.click('button[data-fold=open]');
      expect(await page.locator('details:not([open])').count()).toBe(0);
      await page.locator('.command button').first().click();
      // The clipboard answers later than a click returns, and the label is back two seconds after that.
      const label = await page.evaluate<string>(`new Promise((resolve) => {
        const button = document.querySelector('.command button');
        new MutationObserver(() => resolve(button.textContent)).observe(button, { childList: true });
        button.click();
      })`);
      expect(label).toMatch(/^(Copied|Selected)$/);
      expect(troubles).toEqual([]);
    }));

  it('is complete without scripts', () =>
    withBrowser({ javaScriptEnabled: false }, async (context) => {
      const { page, troubles } = await open(context, fileOf('all'));
      expect(await page.locator('.tools').isVisible()).toBe(false);
      expect(await page.locator('.command button').count()).toBe(0);
      await page.locator('details:not([open]) summary').first().click();
      expect(await page.locator('.journey').first().isVisible()).toBe(true);
      expect(troubles).toEqual([]);
    }));

  it('never runs or draws what a hostile cluster holds', () =>
    withBrowser({}, async (context) => {
      for (const name of hostile) {
        const { page, troubles } = await open(context, fileOf(name));
        const found = await page.evaluate(() => {
          const { document } = globalThis as any;
          const elements: any[] = [...document.querySelectorAll('*')];
          const isStrange = (element: any): boolean =>
            /h4x/i.test(element.tagName) || element.getAttributeNames().some((one: string) => /^on|h4x/i.test(one));
          return {
            ran: 'h4x' in globalThis,
            images: document.images.length,
            scripts: document.scripts.length,
            styles: document.querySelectorAll('style').length,
            strange: elements.filter(isStrange).length,
            isQuoted: document.body.textContent.includes('<img src=x onerror="window.h4x=1">'),
          };
        });
        expect(found, name).toEqual({ ran: false, images: 0, scripts: 1, styles: 1, strange: 0, isQuoted: true });
        expect(troubles, name).toEqual([]);
        await page.close();
      }
    }));

  it('runs no script but its own, even if one were in it', () =>
    withBrowser({}, async (context) => {
      const page = readFileSync(fileOf('all'), 'utf8').replace('</main>', '<script>window.h4x=1</script></main>');
      writeFileSync(fileOf('forged'), page);
      const { page: opened, troubles } = await open(context, fileOf('forged'));
      expect(await opened.evaluate(() => 'h4x' in globalThis)).toBe(false);
      expect(troubles.join('\n')).toContain('Content Security Policy');
    }));
});
