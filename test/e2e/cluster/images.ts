import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './command.ts';

export const shellImage = 'kubectl-csi.test/shell:1';
export const pauseImage = 'kubectl-csi.test/pause:1';

/** An image with nothing but a static busybox, under two names: nothing can be pulled here, and nothing has to be. */
export async function makeImageArchive(directory: string): Promise<string> {
  const root = join(directory, 'root');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'tmp'));
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  for (const applet of ['sh', 'sleep', 'ls', 'cat', 'wget', 'nc']) symlinkSync('busybox', join(root, 'bin', applet));
  const layer = join(directory, 'layer.tar');
  await mustRun('tar', ['-C', root, '--owner=0', '--group=0', '-cf', layer, '.']);
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const config = JSON.stringify({ architecture: process.arch === 'arm64' ? 'arm64' : 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] }, config: { Entrypoint: ['/bin/sleep', '1000000'], Env: ['PATH=/bin'] } });
  writeFileSync(join(directory, 'config.json'), config);
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify([{ Config: 'config.json', RepoTags: [shellImage, pauseImage], Layers: ['layer.tar'] }]));
  const archive = join(directory, 'image.tar');
  await mustRun('tar', ['-C', directory, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar']);
  return archive;
}
