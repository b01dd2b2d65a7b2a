import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { archiveDate } from './archives.ts';
import { programName } from './project.ts';
import { sha256, writeTar } from './tar.ts';
import type { ArchiveFile } from './tar.ts';

/** As in the Dockerfile: not root, and known to no other image. */
const user = '65532:65532';

/**
 * An image with only the program and the libraries that it is linked with, those of this machine, without a registry or a daemon. It is
 * what our tests run; the one for users is built from the Dockerfile, with libraries that are kept up to date.
 * It is an OCI layout that docker, podman, skopeo and containerd load.
 */
export function packImage(executable: string, version: string): Buffer {
  const files = [executable, ...librariesOf(executable)].map((path) => ({
    name: path === executable ? `usr/local/bin/${programName}` : path.slice(1),
    content: readFileSync(realpathSync(path)),
    isExecutable: true,
  }));
  const layer = writeTar([...directoriesOf(files), ...files], archiveDate());
  const config = Buffer.from(
    JSON.stringify({
      created: archiveDate().toISOString(),
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: {
        User: user,
        Env: ['PATH=/usr/local/bin'],
        Entrypoint: [`/usr/local/bin/${programName}`],
        Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': 'Apache-2.0' },
      },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...descriptorOf(config) },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...descriptorOf(layer) }],
    }),
  );
  const name = `docker.io/library/${programName}:${version}`;
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        ...descriptorOf(manifest),
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': version },
      },
    ],
  };
  // docker load of older versions reads this instead of the index.
  const saved = [
    { Config: blobName(config), RepoTags: [`${programName}:${version}`], Layers: [blobName(layer)] },
  ] as const;
  return writeTar(
    [
      { name: 'oci-layout', content: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
      { name: 'index.json', content: Buffer.from(JSON.stringify(index)) },
      { name: 'manifest.json', content: Buffer.from(JSON.stringify(saved)) },
      ...[config, layer, manifest].map((content) => ({ name: blobName(content), content })),
    ],
    archiveDate(),
  );
}

/** What the loader loads, the loader itself included. */
function librariesOf(executable: string): readonly string[] {
  const listed = execFileSync('ldd', [executable], { encoding: 'utf8' });
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path ?? '');
}

/** Every directory above these files, outermost first. */
function directoriesOf(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  const all = files.flatMap(({ name }) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
  });
  return [...new Set(all)].toSorted().map((name) => ({ name, content: Buffer.alloc(0) }));
}

const digestOf = (content: Buffer): string => `sha256:${sha256(content)}`;
const blobName = (content: Buffer): string => `blobs/sha256/${sha256(content)}`;
const descriptorOf = (content: Buffer) => ({ digest: digestOf(content), size: content.length });
