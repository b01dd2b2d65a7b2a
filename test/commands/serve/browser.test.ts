import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoBackend } from '../../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { chromiumPath, violationsOn, widthOf, withBrowser } from '../../kit/browser.ts';
import { serveHere } from '../../kit/serve.ts';
import type { Served } from '../../kit/serve.ts';

const missing = chromiumPath === undefined;
const title = missing ? 'a served page in a browser (skipped: no Chromium is installed)' : 'a served page in a browser';
/** SCREENSHOTS=directory keeps pictures of the pages, to look at. */
const pictures = process.env['SCREENSHOTS'];

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(
  flags: Parameters<typeof serveHere>[0] = {},
): Promise<{ readonly server: ApiServer; readonly served: Served }> {
  const server = await startApiServer(demoSnapshot(new Date()), { controllers: { backend: demoBackend, stepMs: 20 } });
  opened.push(() => server.close());
  const served = await serveHere({ server: server.url, ...flags });
  opened.push(() => served.close());
  await served.until(({ freshness }) => expect(freshness.state).toBe('live'));
  return { server, served };
}

/** One server for the tests that only look at its pages. */
let shared: Promise<{ readonly server: ApiServer; readonly served: Served }> | undefined;
afterAll(async () => {
  const both = await shared;
  await both?.served.close();
  await both?.server.close();
});
async function usual(): Promise<Served> {
  shared ??= (async () => {
    const server = await startApiServer(demoSnapshot(new Date()), {
      controllers: { backend: demoBackend, stepMs: 20 },
    });
    return { server, served: await serveHere({ server: server.url }) };
  })();
  const { served } = await shared;
  await served.until(({ freshness }) => expect(freshness.state).toBe('live'));
  return served;
}

async function open(
  context: BrowserContext,
  url: string,
): Promise<{ readonly page: Page; readonly troubles: string[] }> {
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(url);
  return { page, troubles };
}

const waitFor = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 240_000, interval: 100 });
/** What the page begins with, as it is shown: a style may put words before it and hide its mark. */
const beginningOf = (page: Page): Promise<string> =>
  page.locator('.headline').evaluate((line: any) => {
    const { getComputedStyle } = globalThis as any;
    const isMarked = getComputedStyle(line.querySelector('.mark')).display !== 'none';
    return `${getComputedStyle(line, '::before').content as string} ${isMarked ? 'marked' : 'unmarked'}`;
  });
const statusOf = (page: Page): Promise<string | null> => page.locator('.live [role=status]').textContent();

describe.skipIf(missing)(title, () => {
  for (const [width, scheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)
    it(`is accessible and fits at ${width} pixels, ${scheme}, live and lost`, async () => {
      const served = await usual();
      await withBrowser({ viewport: { width, height: 900 }, colorScheme: scheme }, async (context) => {
        for (const name of ['', 'status', 'check']) {
          const { page, troubles } = await open(context, `${served.url}/${name}`);
          await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
          await examine(page, width, `${name || 'why'}-${width}-${scheme}`);
          expect(troubles, name).toEqual([]);
          if (name === 'status') {
            await page.route('**/events', (route) => route.abort());
            await page.reload();
            await waitFor(async () => expect(await statusOf(page)).toBe('Connection lost'));
            expect(await page.locator('#lost').isVisible()).toBe(true);
            expect(await beginningOf(page)).toBe('"? Not known now. When last checked: " unmarked');
            await examine(page, width, `lost-${width}-${scheme}`);
          }
          await page.close();
        }
      });
    });

  it('updates itself, and keeps what is folded and filtered', async () => {
    const { server, served } = await start();
    await withBrowser({ viewport: { width: 1280, height: 900 } }, async (context) => {
      const { page, troubles } = await open(context, `${served.url}/`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      expect(await page.locator('text=Load again').isVisible()).toBe(false);
      const folded = (name: string) => page.locator('details', { has: page.locator(`h3:has-text("${name}")`) }).first();
      expect(await folded('provisioner-not-running').getAttribute('open')).not.toBeNull();
      await folded('provisioner-not-running').locator('summary').click();
      await folded('pvc-lost-pv-deleted').locator('summary').click();
      await page.fill('#filter', 'pvc');
      server.apply({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'newcomer', namespace: 'shop', uid: 'newcomer', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'no-such-class',
          resources: { requests: { storage: '1Gi' } },
        },
        status: { phase: 'Pending' },
      });
      await waitFor(async () => expect(await page.locator('main').textContent()).toContain('no-such-class'));
      expect(await folded('provisioner-not-running').getAttribute('open')).toBeNull();
      expect(await folded('pvc-lost-pv-deleted').getAttribute('open')).not.toBeNull();
      expect(await page.inputValue('#filter')).toBe('pvc');
      expect(await page.locator('.tools output').textContent()).toMatch(/^\d+ of \d+ entries shown$/);
      expect(await page.evaluate(() => (globalThis as any).document.activeElement.id as string)).toBe('filter');
      expect(await page.locator('.command').count()).toBe(await page.locator('.command button').count());
      server.remove('PersistentVolumeClaim', 'shop', 'newcomer');
      await waitFor(async () => expect(await page.locator('main').textContent()).not.toContain('no-such-class'));
      expect(troubles).toEqual([]);
    });
  });

  it('says that the cluster is away, and that the server is', async () => {
    const { server, served } = await start();
    await withBrowser({}, async (context) => {
      const { page } = await open(context, `${served.url}/`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      await server.close();
      await waitFor(async () =>
        expect(await page.locator('.headline').textContent()).toMatch(
          /Out of date: the cluster could not be read since/,
        ),
      );
      expect(await statusOf(page)).toBe('Out of date');
      await served.close();
      await waitFor(async () => expect(await statusOf(page)).toBe('Connection lost'));
      expect(await page.locator('#lost').isVisible()).toBe(true);
      expect(await page.locator('.clock').textContent()).toMatch(/^lost \d+s ago; last checked \d+s ago$/);
    });
  });

  it('is not live while it cannot be fetched, or nothing is heard of the server', async () => {
    const { server, served } = await start();
    await withBrowser({}, async (context) => {
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(`${served.url}/`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      const refused = { status: 500, contentType: 'application/json', body: '{}' };
      await page.route(`${served.url}/`, (route) => route.fulfill(refused));
      server.apply({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'newcomer', namespace: 'shop', uid: 'newcomer', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'no-such-class',
          resources: { requests: { storage: '1Gi' } },
        },
        status: { phase: 'Pending' },
      });
      await waitFor(async () => expect(await statusOf(page)).toBe('Not updated'));
      expect(await beginningOf(page)).toBe('"? Not known now. When last checked: " unmarked');
      expect(await page.locator('main').textContent()).not.toContain('no-such-class');
      await page.unroute(`${served.url}/`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      expect(await beginningOf(page)).toBe('none marked');
      expect(await page.locator('main').textContent()).toContain('no-such-class');
      // A connection that died without a word ends no stream.
      await page.clock.fastForward(60_000);
      expect(await statusOf(page)).toBe('Connection lost');
      await page.clock.runFor(5000);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
    });
  });

  it('works below a prefix, and moves between its pages', async () => {
    const { served } = await start({ 'base-path': '/tools/storage' });
    await withBrowser({}, async (context) => {
      const { page, troubles } = await open(context, `${served.url}/tools/storage`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      await page.click('text=Check');
      expect(page.url()).toBe(`${served.url}/tools/storage/check`);
      await waitFor(async () => expect(await statusOf(page)).toBe('Live'));
      await page.click('text=Stuck');
      expect(page.url()).toBe(`${served.url}/tools/storage/`);
      expect(troubles).toEqual([]);
    });
  });

  it('is complete without scripts, and can be loaded again', async () => {
    const served = await usual();
    await withBrowser({ javaScriptEnabled: false }, async (context) => {
      const { page, troubles } = await open(context, `${served.url}/`);
      expect(await page.locator('main').textContent()).toContain('sc-missing');
      await page.click('text=Load again');
      expect(await page.locator('main').textContent()).toContain('sc-missing');
      expect(troubles).toEqual([]);
    });
  });
});

async function examine(page: Page, width: number, name: string): Promise<void> {
  expect(await widthOf(page), name).toBeLessThanOrEqual(width);
  expect(await violationsOn(page), name).toEqual([]);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
