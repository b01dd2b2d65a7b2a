import { readFileSync } from 'node:fs';

/** A library whose code is in the bundle. */
export interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

/** The libraries that esbuild really put into the bundle, from its own account of it. */
export function bundledLibraries(): readonly Library[] {
  const { outputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
    readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
  };
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const directories = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(directories)].toSorted().map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as Library;
    return { name, version, license };
  });
}
