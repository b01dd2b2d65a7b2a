import { readdirSync } from 'node:fs';
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
