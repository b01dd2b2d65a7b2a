import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../../build/site/theme/examples.ts';
import { likelyOf, mostShown } from '../../src/commands/explain/likely.ts';
import { answerText } from '../../src/commands/explain/answer.ts';
import { chromiumPath, violationsOn, widthOf, withBrowser } from '../kit/browser.ts';
import { serveSite, whyNoSite } from './site-server.ts';
import type { SiteServer } from './site-server.ts';

const reason = whyNoSite ?? (chromiumPath === undefined ? 'no Chromium is installed' : undefined);
const title = reason === undefined ? 'the site in a browser' : `the site in a browser (skipped: ${reason})`;

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };

interface Opened {
  readonly page: Page;
  /** What the browser complained about. */
  readonly troubles: string[];
  readonly requests: { readonly url: string; readonly body: string | null }[];
}

describe.skipIf(reason !== undefined)(title, () => {
  let server: SiteServer;
  beforeAll(async () => {
    server = await serveSite();
  });
  afterAll(() => server.close());

  async function open(context: BrowserContext, path: string): Promise<Opened> {
    const page = await context.newPage();
    const troubles: string[] = [];
    const requests: { url: string; body: string | null }[] = [];
    page.on('console', (message) => troubles.push(`${path} ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => troubles.push(`${path} ${error.message}`));
    page.on('response', (response) => {
      if (response.status() >= 400) troubles.push(`${path} ${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() }));
    await page.goto(`${server.url}${path}`);
    await page.waitForLoadState('networkidle');
    return { page, troubles, requests };
  }

  const causesShown = (page: Page): Promise<string[]> => page.locator('.paste-results .paste-head a').allTextContents();

  for (const [viewport, scheme] of [
    [phone, 'light'],
    [phone, 'dark'],
    [desktop, 'light'],
    [desktop, 'dark'],
  ] as const)
    it(`is accessible and fits at ${viewport.width} pixels, ${scheme}`, () =>
      withBrowser({ viewport, colorScheme: scheme }, async (context) => {
        const paths = [
          '/',
          '/paste.html',
          '/install.html',
          '/tutorial.html',
          '/comparison.html',
          '/causes/sc-missing.html',
          '/causes/by-driver.html',
          '/reference/why.html',
          '/reference/report-json.html',
          '/overview.html',
        ];
        const problems: string[] = [];
        for (const path of paths) {
          const { page, troubles } = await open(context, path);
          if (path === '/paste.html') {
            await page.fill('#paste-text', examples[2]?.text ?? '');
            await page.waitForSelector('.paste-results ol');
          }
          const width = await widthOf(page);
          if (width > viewport.width) problems.push(`${path} is ${width} pixels wide`);
          // The policy of the page forbids other scripts, but not those of a debugger.
          const violations = await violationsOn(page);
          problems.push(...violations.map((violation) => `${path} ${violation}`), ...troubles);
          await page.close();
        }
        expect(problems).toEqual([]);
      }));

  it('answers what is pasted as the program does, and sends nothing of it', () =>
    withBrowser({ viewport: desktop }, async (context) => {
      const { page, troubles, requests } = await open(context, '/');
      expect(requests.map(({ url }) => url).filter((url) => /worker|causes\.data/.test(url))).toEqual([]);
      for (const { text } of examples) {
        const { items } = answerText(
          { type: 'argument', name: 'the text', text },
          { stages: new Map(), sentences: new Map() },
        );
        const expected = likelyOf(items)
          .slice(0, mostShown)
          .map(({ cause }) => cause);
        await page.fill('#paste-text', '');
        await page.waitForSelector('.paste-results ol', { state: 'detached' });
        await page.fill('#paste-text', text);
        await page.waitForSelector('.paste-results ol');
        expect(await causesShown(page)).toEqual(expected);
      }
      await page.fill('#paste-text', 'TOP-SECRET-WORD in a text that nothing knows');
      await page.waitForSelector('text=No known cause matches the text');
      expect(requests.filter(({ url }) => new URL(url).origin !== server.url)).toEqual([]);
      expect(requests.filter(({ url, body }) => body !== null || /TOP-SECRET|Multi-Attach/i.test(url))).toEqual([]);
      expect(troubles).toEqual([]);
    }));

  it('shows the words, what distinguishes the causes, and the command that decides', () =>
    withBrowser({ viewport: phone }, async (context) => {
      const { page } = await open(context, '/paste.html');
      await page.fill('#paste-text', 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) web-0');
      await page.click('text=Find the cause');
      await page.waitForSelector('.paste-results ol');
      const first = (await page.locator('.paste-results li').first().textContent()) ?? '';
      expect(first).toMatch(/attach-rwo-held-by-running-pod.*stage attach.*Words.*Multi-Attach error.*If.*\./);
      expect(await page.locator('.command').first().textContent()).toContain('kubectl csi why');
      await page.click('.paste-results li:first-child a');
      await page.waitForURL('**/causes/attach-rwo-held-by-running-pod.html');
      expect(await page.locator('h1').textContent()).toContain('Multi-Attach error');
    }));

  it('finds a cause by its message, with the keyboard alone', () =>
    withBrowser({ viewport: desktop }, async (context) => {
      const { page, troubles } = await open(context, '/install.html');
      await page.keyboard.press('/');
      await page.fill('.VPLocalSearchBox input', 'exceed max volume count');
      await page.waitForSelector('.VPLocalSearchBox .result');
      expect(await page.locator('.VPLocalSearchBox .result').first().textContent()).toContain(
        'exceed max volume count',
      );
      await page.keyboard.press('Enter');
      await page.waitForURL('**/causes/sched-max-volume-count.html**');
      expect(troubles).toEqual([]);
    }));

  it('leads from page to page, on a desktop and on a phone', async () => {
    await withBrowser({ viewport: desktop }, async (context) => {
      const { page, troubles } = await open(context, '/');
      await page.click('nav >> text=Causes');
      await page.waitForURL('**/causes/');
      await page.click('.VPSidebar >> text=By stage');
      await page.waitForURL('**/causes/by-stage.html');
      await page.locator('.vp-doc a', { hasText: 'sc-missing' }).first().click();
      await page.waitForURL('**/causes/sc-missing.html');
      expect(troubles).toEqual([]);
    });
    await withBrowser({ viewport: phone }, async (context) => {
      const { page, troubles } = await open(context, '/install.html');
      await page.click('text=Menu');
      await page.click('.VPSidebar >> text=By message');
      await page.waitForURL('**/causes/by-message.html');
      expect(troubles).toEqual([]);
    });
  });

  it('can be read and followed without scripts', () =>
    withBrowser({ viewport: phone, javaScriptEnabled: false }, async (context) => {
      const { page } = await open(context, '/');
      expect(await page.locator('.without-scripts').isVisible()).toBe(true);
      expect(await page.locator('.terminal .narrow').textContent()).toContain('Cause: provisioner-not-running');
      await page.click('.site-footer >> text=Causes by message');
      await page.waitForURL('**/causes/by-message.html');
      await page.locator('a', { hasText: 'storageclass.storage.k8s.io "gold" not found' }).click();
      expect(await page.locator('h1').textContent()).toContain('storageclass.storage.k8s.io "gold" not found');
      expect(await page.locator('text=How to fix').first().isVisible()).toBe(true);
    }));
});
