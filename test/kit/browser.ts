import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a Chromium is installed, if one is; nothing is downloaded. */
export const chromiumPath = [process.env['CHROMIUM'] ?? '', ...places].find((path) => path !== '' && existsSync(path));

/** Without background traffic, so that every request a test sees is the page's own. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Only for what hangs: pages are slow to load where many programs run. */
const patienceMs = 240_000;

/** Runs with a browser of its own, which has a fresh profile. */
export async function withBrowser<T>(
  options: BrowserContextOptions,
  run: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), 'kubectl-csi-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath: chromiumPath ?? '',
    headless: true,
    args: flags,
    timeout: patienceMs,
  });
  context.setDefaultTimeout(patienceMs);
  try {
    return await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds inaccessible on a page: the rule and the first element that violates it. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const run = (globalThis as any).axe.run as () => Promise<{ violations: any[] }>;
    return (await run()).violations.map(({ id, nodes }) => `${id}: ${nodes.length} times, first ${nodes[0].html}`);
  });
}

/** How wide the content of a page is, also where it does not fit. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth as number);
}
