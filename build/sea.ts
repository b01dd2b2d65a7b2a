import { readdirSync } from 'node:fs';
// @ts-expect-error -- it brings no types
import { inject } from 'postject';
import { nodeFlags } from './node-flags.ts';

/** What Node's configuration of a single executable says, for every way in which we build one. */
export function seaConfig(assets: Readonly<Record<string, string>>): object {
  return {
    main: 'dist/executable.cjs',
    disableExperimentalSEAWarning: true,
    // Without --use-openssl-ca, which the launcher leaves out where the environment chooses other authorities: here nobody could.
    execArgv: nodeFlags,
    execArgvExtension: 'env',
    assets,
  };
}

/** The files inside the executable. Compiled code fits only one platform and one version of Node. */
export function seaAssets({ withCompiledCode }: { readonly withCompiledCode: boolean }): Record<string, string> {
  return {
    ...filesOf(
      'dist',
      withCompiledCode ? /\.pack$|^executable\.cjs$|^code\/(?:[^/]+\/){2}/ : /\.pack$|^executable\.cjs$/,
    ),
    ...filesOf('docs/causes', /\.md$/),
    'bin/kubectl_complete-csi': 'bin/kubectl_complete-csi',
  };
}

/** Sorted: the same files give the same executable. */
function filesOf(from: string, wanted: RegExp): Record<string, string> {
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return Object.fromEntries(
    names
      .filter((name) => wanted.test(name))
      .toSorted()
      .map((name) => [`${from}/${name}`, `${from}/${name}`]),
  );
}

/** Puts what Node's --experimental-sea-config wrote into a copy of the same version of Node. */
export async function injectBlob(executable: string, blob: Buffer, isMachO: boolean): Promise<void> {
  await inject(executable, 'NODE_SEA_BLOB', blob, {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(isMachO && { machoSegmentName: 'NODE_SEA' }),
  });
}
