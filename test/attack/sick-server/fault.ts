import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Fields = Record<string, unknown>;

/** One request as a fault sees it. */
export interface SickRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
  /** The resource in the plural; empty for /version and discovery. */
  readonly resource: string;
  readonly isWatch: boolean;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** How many requests the server has had, this one included. */
  readonly count: number;
  /** What a sound server answers. */
  readonly sound: () => Promise<{ readonly status: number; readonly body: Buffer }>;
  /** The address of a server that must never be asked anything. */
  readonly elsewhere: string;
}

/** One way in which a server, or what is in front of it, misbehaves. */
export interface Fault {
  readonly name: string;
  /** Which requests it hits; all of them unless said otherwise. */
  readonly hits?: (request: SickRequest) => boolean;
  /** Answers the request, or leaves it open. */
  readonly answer: (request: SickRequest) => Promise<void> | void;
  /** The server recovers before the client gives up, so that the client may answer as if nothing had happened. */
  readonly isHarmless?: true;
  /** It says in the API server's own words that the claim does not exist: only what shows the claim elsewhere can doubt that. */
  readonly deniesNames?: true;
  /** Only a time limit ends it. */
  readonly isEndless?: true;
}

export const isClaims = ({ resource }: SickRequest): boolean => resource === 'persistentvolumeclaims';
export const isRead = ({ resource, isWatch }: SickRequest): boolean => resource !== '' && !isWatch;
export const isLaterPage = ({ query }: SickRequest): boolean => query.has('continue');

export function send(
  { response }: SickRequest,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

export const page = (title: string): string =>
  `<!doctype html>\n<html><head><title>${title}</title></head><body>${title}</body></html>\n`;

export const html = { 'content-type': 'text/html; charset=utf-8' };
export const text = { 'content-type': 'text/plain; charset=utf-8' };

export function failure(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, code });
}

/** The same fault on everything, on what is read, and on claims only. */
export function everywhereAndClaims(fault: Fault): Fault[] {
  return [
    { ...fault, name: `${fault.name}, everywhere` },
    { ...fault, name: `${fault.name}, claims`, hits: isClaims },
  ];
}
