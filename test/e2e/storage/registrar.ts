import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callCsi } from './csi-call.ts';
import { Registration } from './registration.ts';
import { decodeMessage } from './wire.ts';

/** The node-driver-registrar of a driver that runs in a pod. */
const { values: flags } = parseArgs({
  options: {
    'csi-address': { type: 'string', default: '/csi/csi.sock' },
    'kubelet-registration-path': { type: 'string', default: '' },
    'plugin-registration-path': { type: 'string', default: '/registration' },
  },
});
let answer = await callCsi(flags['csi-address'], 'Identity', 'GetPluginInfo', Buffer.alloc(0));
for (; answer.code !== 0; answer = await callCsi(flags['csi-address'], 'Identity', 'GetPluginInfo', Buffer.alloc(0)))
  await sleep(1000);
const driver = decodeMessage(answer.body).get(1)?.[0]?.toString() ?? '';
const registration = await Registration.listen(
  `${flags['plugin-registration-path']}/${driver}-reg.sock`,
  driver,
  flags['kubelet-registration-path'],
);
/** The reason of a refused registration is in this log and nowhere else; the container ends with it. */
registration.onStatus = (error) => {
  process.stdout.write(
    error === ''
      ? `${klogHeader('I')} Received NotifyRegistrationStatus call: plugin_registered:true\n`
      : `${klogHeader('E')} Registration process failed with error: ${error}, restarting registration container.\n`,
  );
  // The kubelet gets its answer first.
  if (error !== '') setTimeout(() => process.exit(1), 200);
};
function klogHeader(level: string): string {
  const now = new Date().toISOString();
  return `${level}${now.slice(5, 7)}${now.slice(8, 10)} ${now.slice(11, 23)}000       1 main.go:101]`;
}
process.on('SIGTERM', () => {
  void registration.close().then(() => process.exit(0));
});
