import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const distFolder = fileURLToPath(new URL('../../site/dist/', import.meta.url));

/** Why the tests of the built site cannot run; undefined if they can. */
export const whyNoSite = existsSync(join(distFolder, 'index.html')) ? undefined : 'run npm run docs first';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.svg': 'image/svg+xml',
};

export interface SiteServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves the built site on loopback as a plain file server does. */
export async function serveSite(): Promise<SiteServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
      const file = join(distFolder, normalize(path.endsWith('/') ? `${path}index.html` : path));
      try {
        const content = await readFile(file);
        response.writeHead(200, { 'content-type': `${types[extname(file)] ?? 'text/plain'}; charset=utf-8` });
        response.end(content);
      } catch {
        response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' });
        response.end(await readFile(join(distFolder, '404.html')));
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}
