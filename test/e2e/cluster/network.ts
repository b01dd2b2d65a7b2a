import { runCommand, mustRun } from './command.ts';

/** A bridge of our own: its address is the node's, since the kubelet refuses loopback, and no packet ever leaves the machine by it. */
export class Network {
  readonly bridge: string;
  readonly address: string;
  readonly #prefix: string;

  /** Clusters that run at the same time have different places. */
  constructor(place: number) {
    this.bridge = `csie2e${place}`;
    this.#prefix = `10.231.${100 + place}`;
    this.address = `${this.#prefix}.1`;
  }

  /** Nobody else has this place, so that a bridge that is there was left behind. */
  async make(): Promise<void> {
    await this.remove();
    await mustRun('ip', ['link', 'add', this.bridge, 'type', 'bridge']);
    await mustRun('ip', ['address', 'add', `${this.address}/24`, 'dev', this.bridge]);
    await mustRun('ip', ['link', 'set', this.bridge, 'up']);
  }

  async remove(): Promise<void> {
    await runCommand('ip', ['link', 'delete', this.bridge]);
  }

  configuration(directory: string): string {
    return JSON.stringify({
      cniVersion: '1.0.0',
      name: 'e2e',
      plugins: [
        {
          type: 'bridge',
          bridge: this.bridge,
          isGateway: false,
          ipMasq: false,
          ipam: {
            type: 'host-local',
            dataDir: directory,
            // The Service of the API server, where somebody answers for it.
            routes: [{ dst: '10.231.78.1/32', gw: this.address }],
            ranges: [
              [{ subnet: `${this.#prefix}.0/24`, rangeStart: `${this.#prefix}.10`, rangeEnd: `${this.#prefix}.250` }],
            ],
          },
        },
      ],
    });
  }
}
