import { everywhereAndClaims, failure, html, isClaims, page, send, text } from './fault.ts';
import type { Fault } from './fault.ts';

const status = (code: number, reason: string, headers: Readonly<Record<string, string>> = {}, note = ''): Fault => ({
  name: `status ${code}${note}`,
  answer: (request) => send(request, code, failure(code, reason, `${reason} on purpose`), headers),
});
const webPage = (code: number): Fault => ({
  name: `status ${code} as a web page`,
  answer: (request) => send(request, code, page(`Error ${code}`), html),
});
const redirect = (code: number): Fault => ({
  name: `status ${code} to another host`,
  answer: (request) => send(request, code, '', { location: `${request.elsewhere}/steal?from=${request.path}` }),
});

/** Refusals, each with and without what a client could hold on to. */
export const statusFaults: readonly Fault[] = [
  ...everywhereAndClaims(webPage(404)),
  ...everywhereAndClaims({
    name: "status 404 of a load balancer's default backend",
    answer: (request) => send(request, 404, 'default backend - 404', text),
  }),
  ...everywhereAndClaims({
    name: 'status 404 of any server in Go',
    answer: (request) => send(request, 404, '404 page not found\n', text),
  }),
  ...everywhereAndClaims({
    name: "status 404 in the API server's words",
    answer: (request) =>
      send(request, 404, failure(404, 'NotFound', 'the server could not find the requested resource')),
  }),
  ...everywhereAndClaims(webPage(403)),
  ...everywhereAndClaims(status(403, 'Forbidden')),
  ...everywhereAndClaims(status(500, 'InternalError')),
  { ...status(401, 'Unauthorized'), hits: isClaims, name: 'status 401, claims' },
  status(400, 'BadRequest'),
  status(401, 'Unauthorized'),
  webPage(401),
  status(405, 'MethodNotAllowed'),
  status(406, 'NotAcceptable'),
  status(407, 'ProxyAuthenticationRequired', { 'proxy-authenticate': 'Basic realm="x"' }),
  status(408, 'RequestTimeout'),
  status(409, 'Conflict'),
  status(410, 'Expired'),
  status(413, 'RequestEntityTooLarge'),
  status(429, 'TooManyRequests'),
  status(429, 'TooManyRequests', { 'retry-after': '0' }, ' with Retry-After 0'),
  status(429, 'TooManyRequests', { 'retry-after': '3600' }, ' with Retry-After 3600'),
  status(429, 'TooManyRequests', { 'retry-after': 'Tue, 01 Jan 2030 00:00:00 GMT' }, ' with a date in Retry-After'),
  webPage(429),
  webPage(500),
  webPage(502),
  status(503, 'ServiceUnavailable'),
  status(503, 'ServiceUnavailable', { 'retry-after': '1' }, ' with Retry-After 1'),
  status(504, 'Timeout'),
  { name: 'status 204', answer: ({ response }) => void response.writeHead(204).end() },
  { name: 'status 206', answer: (request) => send(request, 206, '{"kind":"PersistentVolumeClaimList","items":[]}') },
  { name: 'status 299', answer: (request) => send(request, 299, '{}') },
  { name: 'status 599', answer: (request) => send(request, 599, '') },
  ...[301, 302, 307, 308].map(redirect),
  {
    name: 'status 500 that repeats the token',
    answer: (request) => send(request, 500, failure(500, 'InternalError', `header ${request.authorization} is odd`)),
  },
  {
    name: 'status 403 that repeats the token as text',
    answer: (request) => send(request, 403, `header ${request.authorization} is odd`, text),
  },
  {
    name: 'status 403 with control bytes',
    answer: (request) => send(request, 403, failure(403, 'Forbidden', '\u001B[2Jgone\u0007\r\u0000\u009B31m')),
  },
];
