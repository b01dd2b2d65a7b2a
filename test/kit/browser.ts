import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';

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
  });
  try {
    return await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
