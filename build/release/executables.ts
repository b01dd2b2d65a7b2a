import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { injectBlob, seaAssets, seaConfig } from '../sea.ts';
import { signAdHoc } from './ad-hoc-signature.ts';
import { readBinaryFormat, withoutCertificate } from './binary-format.ts';
import { builderNode, nodeBinary } from './node-binaries.ts';
import type { Platform } from './platforms.ts';
import { programName } from './project.ts';

const formats = { linux: 'ELF', darwin: 'Mach-O', windows: 'PE' } as const;

/** The first major version of Node that writes executables for other platforms without postject. */
const firstWithBuildSea = 26;

/**
 * Writes the executable of one platform: its Node with the bundle inside. Compiled code is left out: it fits only one
 * platform, and two builds would differ. The program compiles on its first run and keeps the code in the user's cache.
 */
export async function buildExecutable(platform: Platform, output: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-release-'));
  try {
    const node = join(directory, 'node');
    prepareNode(platform, node);
    mkdirSync(dirname(output), { recursive: true });
    await putTogether(platform, { directory, node, output });
    if (platform.os === 'darwin') writeFileSync(output, signAdHoc(readFileSync(output), programName));
    if (platform.os === 'windows') writeFileSync(output, withoutCertificate(readFileSync(output)));
    chmodSync(output, 0o755);
    checkFormat(platform, output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Place {
  readonly directory: string;
  readonly node: string;
  readonly output: string;
}

/** Node reads only blobs that a Node of the same version wrote, so each version has its builder. */
async function putTogether(platform: Platform, { directory, node, output }: Place): Promise<void> {
  const { version } = platform.node;
  const config = join(directory, 'config.json');
  const common = seaConfig(seaAssets({ withCompiledCode: false }));
  if (Number.parseInt(version, 10) >= firstWithBuildSea) {
    writeFileSync(config, JSON.stringify({ ...common, executable: node, output }));
    execFileSync(builderNode(version), ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    return;
  }
  const blob = join(directory, 'blob');
  writeFileSync(config, JSON.stringify({ ...common, output: blob }));
  execFileSync(builderNode(version), ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  copyFileSync(node, output);
  await injectBlob(output, readFileSync(blob), platform.os === 'darwin');
}

/**
 * Symbols that only a debugger reads are removed where we can run the result, which is on Linux. A macOS executable is left as it is: we
 * cannot run one, so we could not see what stripping broke. The one for Windows has none.
 */
function prepareNode(platform: Platform, output: string): void {
  const node = nodeBinary(platform);
  if (platform.os === 'linux') strip(node, output);
  else copyFileSync(node, output);
}

function strip(node: string, output: string): void {
  try {
    // Unlike GNU strip, llvm-strip handles every processor.
    execFileSync('llvm-strip', ['--strip-all', '-o', output, node], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error('llvm-strip failed. A release needs it (package llvm), because two builds must be the same.', {
      cause: error,
    });
  }
}

function checkFormat({ os, arch }: Platform, path: string): void {
  const found = readBinaryFormat(readFileSync(path));
  if (found.format !== formats[os] || found.arch !== arch)
    throw new Error(`${path} is ${found.format} for ${found.arch}, and not ${formats[os]} for ${arch}.`);
}
