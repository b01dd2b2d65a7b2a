import { explainStranger } from './failures.ts';
import type { EnvironmentError } from '../../core/kube/errors.ts';
import type { Target } from './target.ts';
import type { Answer } from './answer-body.ts';

/** A JSON answer; refused requests carry the server's Status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly message: string;
  /** For a 404 without a Status: whether it is the API server's own page, by its words or also by its headers. */
  readonly page?: 'plain' | 'proven';
}

/** An answer that no API server gives. */
export interface StrangeAnswer {
  readonly problem: EnvironmentError;
}

/** The content of the answer, if an API server can have sent it. */
export function readAnswer(answer: Answer, target: Target): JsonAnswer | StrangeAnswer {
  const body = parse(answer.body);
  const { status } = answer;
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && !isRedirect(status)) {
    const { message } = body as { readonly message?: unknown };
    return {
      status,
      body: body as JsonAnswer['body'],
      message: typeof message === 'string' ? message.slice(0, 500) : `the server answered with status ${status}`,
    };
  }
  if (status === 404 && isNotFoundPage(answer))
    return {
      status,
      body: {},
      message: 'the server does not know this resource',
      page: isFromApiServer(answer) ? 'proven' : 'plain',
    };
  // Webhooks and proxies that decide on access refuse without a Status.
  if (status === 403 && !isHtml(answer))
    return {
      status,
      body: {},
      message: answer.body.toString('utf8', 0, 300).trim() || 'the server answered with status 403',
    };
  return { problem: explainStranger(target, answer, body) };
}

/**
 * Whether an API server gave the answer: each of its objects, lists and refusals names its kind, and the version is a
 * plain object.
 */
export function isKubernetes({ body, page }: JsonAnswer): boolean {
  return (
    page === 'proven' ||
    (typeof body['kind'] === 'string' && typeof body['apiVersion'] === 'string') ||
    typeof body['gitVersion'] === 'string'
  );
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function isHtml({ headers, body }: Answer): boolean {
  return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body.toString('utf8', 0, 100));
}

/**
 * The answer for an API group that is not installed is the page of Go's http.NotFound. Other servers in Go send the
 * same one.
 */
function isNotFoundPage({ body }: Answer): boolean {
  return body.length < 100 && body.toString('utf8').trim() === '404 page not found';
}

/** The API server marks each of its answers with one of these (filters WithAuditInit and WithPriorityAndFairness). */
function isFromApiServer({ headers }: Answer): boolean {
  return headers['audit-id'] !== undefined || headers['x-kubernetes-pf-flowschema-uid'] !== undefined;
}
