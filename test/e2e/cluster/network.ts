import { runCommand, mustRun } from './command.ts';

/** A bridge of our own: its address is the node's, since the kubelet refuses loopback, and no packet ever leaves the machine by it. */
export const bridge = 'csie2e0';
export const nodeAddress = '10.231.77.1';
const subnet = '10.231.77.0/24';

/** Only one run at a time gets here, so that a bridge that is there was left behind. */
export async function makeBridge(): Promise<void> {
  await removeBridge();
  await mustRun('ip', ['link', 'add', bridge, 'type', 'bridge']);
  await mustRun('ip', ['address', 'add', `${nodeAddress}/24`, 'dev', bridge]);
  await mustRun('ip', ['link', 'set', bridge, 'up']);
}

export async function removeBridge(): Promise<void> {
  await runCommand('ip', ['link', 'delete', bridge]);
}

export function networkConfiguration(directory: string): string {
  return JSON.stringify({
    cniVersion: '1.0.0', name: 'e2e',
    plugins: [{ type: 'bridge', bridge, isGateway: false, ipMasq: false, ipam: { type: 'host-local', dataDir: directory, ranges: [[{ subnet, rangeStart: '10.231.77.10', rangeEnd: '10.231.77.250' }]] } }],
  });
}
