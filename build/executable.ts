import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { injectBlob, seaAssets, seaConfig } from './sea.ts';

/** Makes one executable for this platform: the Node that runs this, with the bundle, its compiled code and the cause pages inside. */
const output = process.argv[2] ?? join('exe', process.platform === 'win32' ? 'kubectl-csi.exe' : 'kubectl-csi');
const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-exe-'));

try {
  const blob = join(directory, 'blob');
  const config = join(directory, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({ ...seaConfig(seaAssets({ withCompiledCode: true })), output: blob, useCodeCache: true }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(dirname(output), { recursive: true });
  copyFileSync(process.execPath, output);
  chmodSync(output, 0o755);
  await injectBlob(output, readFileSync(blob), process.platform === 'darwin');
  // macOS starts only signed programs, and the injection has broken the signature.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output]);
  process.stdout.write(`${output}: ${Math.round(statSync(output).size / 1e6)} MB\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
