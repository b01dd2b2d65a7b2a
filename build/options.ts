import type { BuildOptions } from 'esbuild';

/** What the builds of the program, of the screen and of the first file have in common. */
export const commonOptions = {
  outdir: 'dist',
  bundle: true,
  minify: true,
  write: false,
  legalComments: 'none',
  platform: 'node',
  target: 'node22.19',
  jsx: 'automatic',
  metafile: true,
  // React and Ink have slower code for their own developers behind these.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  logLevel: 'warning',
  // The package's Node build is CommonJS, which loses its named exports when it is bundled and imported on use.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
} as const satisfies BuildOptions;

/** Which file of a library `alias` and `define` above must have chosen, and which not: both are rewrites of library code too. */
export const chosenFiles = {
  program: [{ rewrite: 'alias of yaml', chosen: /node_modules\/yaml\/browser\//, not: /node_modules\/yaml\/dist\// }],
  screen: [
    {
      rewrite: 'production build of React',
      chosen: /node_modules\/react\/cjs\/react\.production\.js$/,
      not: /node_modules\/react(-reconciler)?\/cjs\/.*\.development\.js$/,
    },
  ],
} as const;

interface ChosenFile {
  readonly rewrite: string;
  readonly chosen: RegExp;
  readonly not: RegExp;
}

export function checkChosenFiles(inputs: readonly string[], expected: readonly ChosenFile[]): void {
  for (const { rewrite, chosen, not } of expected) {
    if (!inputs.some((input) => chosen.test(input)))
      throw new Error(`The rewrite "${rewrite}" in build/options.ts no longer works: no file matches ${chosen}`);
    const wrong = inputs.find((input) => not.test(input));
    if (wrong !== undefined)
      throw new Error(`The rewrite "${rewrite}" in build/options.ts no longer works: ${wrong} is in the bundle`);
  }
}
