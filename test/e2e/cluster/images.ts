import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mustRun } from './command.ts';

export const shellImage = 'kubectl-csi.test/shell:1';
export const pauseImage = 'kubectl-csi.test/pause:1';

/** Something to run, beside a static busybox: nothing can be pulled here, and nothing has to be. */
export interface Image {
  /** All the names it is known by. */
  readonly names: readonly string[];
  /** Programs of this machine for /bin, each with the libraries it needs, by the name they get there. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Other files, by their place in the image. */
  readonly files?: Readonly<Record<string, string>>;
  /** The programs of busybox that it has. */
  readonly applets?: readonly string[];
}

const usualApplets = ['sh', 'sleep', 'ls', 'cat', 'wget', 'nc', 'rm', 'ps', 'kill', 'touch'];

/** The two files that an image of one layer consists of. */
export interface ImageParts {
  /** The directory that holds them. */
  readonly work: string;
  readonly layer: string;
  readonly config: string;
}

/** An image of one layer, as docker save would write it. */
export async function makeImageArchive(directory: string, image: Image): Promise<string> {
  const { work } = await makeImageParts(directory, image);
  writeFileSync(
    join(work, 'manifest.json'),
    JSON.stringify([{ Config: 'config.json', RepoTags: image.names, Layers: ['layer.tar'] }]),
  );
  const archive = join(directory, `${basename(work)}.tar`);
  await mustRun('tar', ['-C', work, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar']);
  rmSync(work, { recursive: true });
  return archive;
}

export async function makeImageParts(
  directory: string,
  { programs = {}, files = {}, applets = usualApplets }: Omit<Image, 'names'>,
): Promise<ImageParts> {
  mkdirSync(directory, { recursive: true });
  const work = mkdtempSync(join(directory, 'image-'));
  const root = join(work, 'root');
  const add = (source: string, place: string, mode?: number): void => {
    mkdirSync(dirname(join(root, place)), { recursive: true });
    copyFileSync(realpathSync(source), join(root, place));
    if (mode !== undefined) chmodSync(join(root, place), mode);
  };
  mkdirSync(join(root, 'tmp'), { recursive: true });
  add('/bin/busybox', 'bin/busybox', 0o755);
  for (const applet of applets) symlinkSync('busybox', join(root, 'bin', applet));
  for (const [name, source] of Object.entries(programs)) {
    add(source, join('bin', name), 0o755);
    for (const library of await librariesOf(source)) add(library, library);
  }
  for (const [place, source] of Object.entries(files)) add(source, place);
  const layer = join(work, 'layer.tar');
  await mustRun('tar', ['-C', root, '--owner=0', '--group=0', '-cf', layer, '.']);
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const config = join(work, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
      config: { Entrypoint: ['/bin/sleep', '1000000'], Env: ['PATH=/bin'] },
    }),
  );
  return { work, layer, config };
}

/** What the loader would load; a static program needs nothing. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const listed = await mustRun('ldd', [program]).catch(() => '');
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path ?? '');
}
