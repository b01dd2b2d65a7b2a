import http from 'node:http';
import https from 'node:https';
import type { SecureContext } from 'node:tls';
import { readWhole } from '../answer-body.ts';
import { usagePatience } from './usage-request.ts';
import type { TextAnswer } from './usage-request.ts';

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly secureContext?: SecureContext;
}

/**
 * One GET of a server that is not the API server. Redirects are not followed: they could lead a credential elsewhere.
 */
export async function getText(address: URL, { headers = {}, secureContext }: GetOptions = {}): Promise<TextAnswer> {
  const isSecure = address.protocol === 'https:';
  try {
    const answer = await new Promise<{ readonly status: number; readonly body: Buffer }>((resolve, reject) => {
      const options = {
        headers: { accept: 'application/json', ...headers } as http.OutgoingHttpHeaders,
        timeout: usagePatience,
        agent: false,
        ...(isSecure && secureContext && { secureContext }),
      };
      const request = (isSecure ? https : http).get(address, options, (response) => {
        readWhole(response).then(resolve, reject);
      });
      const timer = setTimeout(() => request.destroy(new Error('no answer in time')), usagePatience);
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', reject);
      request.on('close', () => clearTimeout(timer));
    });
    return { type: 'answer', status: answer.status, body: answer.body.toString('utf8') };
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
