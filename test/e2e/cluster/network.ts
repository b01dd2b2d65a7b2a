import { runCommand, mustRun } from './command.ts';

/** A bridge of our own: its address is the node's, since the kubelet refuses loopback, and no packet ever leaves the machine by it. */
export const bridge = 'csie2e0';
export const nodeAddress = '10.231.77.1';
const subnet = '10.231.77.0/24';

/** Another run's bridge is not ours to remove. */
let made = false;

export async function makeBridge(): Promise<void> {
  const { code } = await runCommand('ip', ['link', 'show', bridge]);
  if (code === 0) throw new Error(`the network bridge ${bridge} exists already: another run is under way, or one was cut off (ip link delete ${bridge})`);
  await mustRun('ip', ['link', 'add', bridge, 'type', 'bridge']);
  made = true;
  await mustRun('ip', ['address', 'add', `${nodeAddress}/24`, 'dev', bridge]);
  await mustRun('ip', ['link', 'set', bridge, 'up']);
}

export async function removeBridge(): Promise<void> {
  if (made) await runCommand('ip', ['link', 'delete', bridge]);
}

export function networkConfiguration(directory: string): string {
  return JSON.stringify({
    cniVersion: '1.0.0', name: 'e2e',
    plugins: [{ type: 'bridge', bridge, isGateway: false, ipMasq: false, ipam: { type: 'host-local', dataDir: directory, ranges: [[{ subnet, rangeStart: '10.231.77.10', rangeEnd: '10.231.77.250' }]] } }],
  });
}
