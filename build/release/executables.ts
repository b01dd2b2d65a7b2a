import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seaAssets, seaConfig } from '../sea.ts';
import { signAdHoc } from './ad-hoc-signature.ts';
import { readBinaryFormat, withoutCertificate } from './binary-format.ts';
import { hostNode, nodeBinary } from './node-binaries.ts';
import type { Platform } from './platforms.ts';
import { programName } from './project.ts';

const formats = { linux: 'ELF', darwin: 'Mach-O', windows: 'PE' } as const;

/**
 * Writes the executable of one platform: its Node with the bundle inside. Compiled code is left out: it fits only one
 * platform, and two builds would differ. The program compiles on its first run and keeps the code in the user's cache.
 */
export function buildExecutable(platform: Platform, output: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-release-'));
  try {
    const node = join(directory, 'node');
    prepareNode(platform, node);
    const config = join(directory, 'config.json');
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(
      config,
      JSON.stringify({ ...seaConfig(seaAssets({ withCompiledCode: false })), executable: node, output }),
    );
    execFileSync(hostNode(), ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (platform.os === 'darwin') writeFileSync(output, signAdHoc(readFileSync(output), programName));
    if (platform.os === 'windows') writeFileSync(output, withoutCertificate(readFileSync(output)));
    chmodSync(output, 0o755);
    checkFormat(platform, output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
