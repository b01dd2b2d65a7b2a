import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callCsi, statusText } from './csi-call.ts';
import type { CsiAnswer } from './csi-call.ts';
import { decodeMessage } from './wire.ts';

/**
 * Answers /healthz as the livenessprobe does, which cannot be had from the module proxy: it listens only after the driver has said
 * its name, asks Probe anew each time, and says the same words.
 */
const { values: flags } = parseArgs({
  options: {
    'csi-address': { type: 'string', default: '/csi/csi.sock' },
    'health-port': { type: 'string', default: '9808' },
    'http-endpoint': { type: 'string' },
    'probe-timeout': { type: 'string', default: '3s' },
  },
});
const socket = flags['csi-address'];
const timeout = Number.parseFloat(flags['probe-timeout']) * 1000;

while ((await callCsi(socket, 'Identity', 'GetPluginInfo', Buffer.alloc(0))).code !== 0) await sleep(1000);

const [, host = '', port = flags['health-port']] = /^(.*):(\d+)$/.exec(flags['http-endpoint'] ?? '') ?? [];
const server = createServer((request, response) => {
  if (request.url === '/healthz') void answer(response);
  else response.writeHead(404).end('404 page not found\n');
});
server.listen(Number(port), host || '0.0.0.0');

async function answer(response: ServerResponse): Promise<void> {
  const probed = await callCsi(socket, 'Identity', 'Probe', Buffer.alloc(0), timeout);
  const fault = faultOf(probed);
  response
    .writeHead(fault === undefined ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' })
    .end(fault ?? 'ok');
}

function faultOf(probed: CsiAnswer): string | undefined {
  if (probed.code === 0) return isReady(probed.body) ? undefined : 'driver responded but is not ready';
  return probed.connected ? statusText(probed) : 'context deadline exceeded';
}

/** An answer without the field `ready` means ready (csi.proto, ProbeResponse). */
function isReady(body: Buffer): boolean {
  const ready = decodeMessage(body).get(1)?.[0];
  return ready === undefined || typeof ready === 'number' || decodeMessage(ready).get(1)?.[0] === 1;
}
