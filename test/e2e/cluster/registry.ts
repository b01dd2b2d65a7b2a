import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeImageParts } from './images.ts';

/** The programs that printed commands call in a debug pod. */
const applets = [
  'sh',
  'sleep',
  'ls',
  'cat',
  'chroot',
  'mkdir',
  'mount',
  'umount',
  'rm',
  'ps',
  'kill',
  'nsenter',
  'stat',
];

interface Blob {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * Serves the image busybox on loopback, in the place of docker.io: `kubectl debug --image=busybox` always pulls, because an
 * image without a tag is the latest one.
 */
export class Registry {
  readonly #server: Server;
  readonly #blobs: ReadonlyMap<string, Blob>;

  private constructor(blobs: ReadonlyMap<string, Blob>) {
    this.#blobs = blobs;
    this.#server = createServer((request, response) => {
      const blob = this.#find(request.url ?? '');
      if (blob === undefined) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, {
        'content-type': blob.type,
        'content-length': blob.content.length,
        'docker-content-digest': digestOf(blob.content),
      });
      response.end(request.method === 'HEAD' ? undefined : blob.content);
    });
  }

  /** Starts it, and writes the configuration with which containerd finds it. */
  static async start(directory: string): Promise<Registry> {
    const { work, layer, config } = await makeImageParts(join(directory, 'image'), { applets });
    const parts = [
      { type: 'application/vnd.docker.container.image.v1+json', content: readFileSync(config) },
      { type: 'application/vnd.docker.image.rootfs.diff.tar', content: readFileSync(layer) },
    ] as const;
    rmSync(work, { recursive: true });
    const [configEntry, layerEntry] = parts.map(({ type, content }) => ({
      mediaType: type,
      size: content.length,
      digest: digestOf(content),
    }));
    const manifest = {
      type: 'application/vnd.docker.distribution.manifest.v2+json',
      content: Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
          config: configEntry,
          layers: [layerEntry],
        }),
      ),
    };
    const registry = new Registry(
      new Map<string, Blob>([
        ['latest', manifest],
        ...[...parts, manifest].map((blob): [string, Blob] => [digestOf(blob.content), blob]),
      ]),
    );
    await new Promise<void>((resolve, reject) => {
      registry.#server.on('error', reject);
      registry.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = `http://127.0.0.1:${(registry.#server.address() as AddressInfo).port}`;
    mkdirSync(join(directory, 'docker.io'), { recursive: true });
    writeFileSync(
      join(directory, 'docker.io/hosts.toml'),
      `server = "${address}"\n[host."${address}"]\n  capabilities = ["pull", "resolve"]\n`,
    );
    return registry;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** `/v2/library/busybox/manifests/latest`, and blobs and manifests by digest. */
  #find(url: string): Blob | undefined {
    const path = /^\/v2\/library\/busybox\/(?:manifests|blobs)\/([\w:]+)/.exec(url)?.[1];
    return path === undefined ? undefined : this.#blobs.get(path);
  }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
