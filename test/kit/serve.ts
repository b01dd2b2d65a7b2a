import { request as ask } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { vi } from 'vitest';
import { sharingCompiledCode } from './compiled-code.ts';
import { startService } from '../../src/commands/serve/run/service.ts';
import type { Service, ServiceFlags } from '../../src/commands/serve/run/service.ts';
import type { Pace } from '../../src/commands/serve/pace.ts';
import type { Picture } from '../../src/commands/serve/picture.ts';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Served {
  readonly service: Service;
  readonly url: string;
  readonly pictures: Picture[];
  get(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answered>;
  json(path: string): Promise<any>;
  until(check: (picture: Picture) => void): Promise<void>;
  close(): Promise<void>;
}

const usual: ServiceFlags = {
  port: '0',
  'notify-after': '0',
  'max-pages': '64',
  'all-namespaces': false,
  'object-labels': false,
};

/** Nobody waits here as long as at a page. */
const pace: Pace = { pauseMs: 200, lookMs: 50, renewMs: 300, quietMs: 120_000 };

/** What `serve` runs, in this process, on a free port. */
export async function serveHere(flags: Partial<ServiceFlags>, own: Partial<Pace> = {}): Promise<Served> {
  const all = { ...usual, ...(flags.from === undefined && { kubeconfig: '/dev/null' }), ...flags };
  const service = await sharingCompiledCode(() => startService(all as ServiceFlags, { ...pace, ...own }));
  const pictures: Picture[] = [];
  service.subscribe((picture) => void pictures.push(picture));
  const url = `http://${service.addresses[0]}`;
  const get: Served['get'] = (path, headers = {}, method = 'GET') => fetchRaw(`${url}${path}`, headers, method);
  return {
    service,
    url,
    pictures,
    get,
    json: async (path) => JSON.parse((await get(path)).text),
    until: (check) =>
      vi.waitFor(
        () => {
          const last = pictures.at(-1);
          if (last === undefined) throw new Error('there is no picture yet');
          check(last);
        },
        { timeout: 240_000, interval: 20 },
      ),
    close: () => service.close(),
  };
}

/** fetch sets headers of its own, such as Host. */
export function fetchRaw(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = ask(url, { headers, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
