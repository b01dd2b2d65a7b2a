import type { IncomingMessage } from 'node:http';
import { ApiFailure, badRequest } from './status.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly body: () => Promise<Buffer>;
}

export const json = (body: unknown, status = 200): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  contentType: 'application/json',
});

export function failureAnswer(failure: ApiFailure): Answer {
  return json(failure.status, failure.code);
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const limitBytes = 1 << 20;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw new ApiFailure(413, 'RequestEntityTooLarge', 'limit is 1048576');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The `limit` of a list; 0 means the whole list. */
export function readLimit(text: string): number {
  if (text === '') return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Math.max(0, Number(text));
}
