/**
 * Turns what the bundler writes, modules that import from each other, into bodies of functions (build/packs.ts). The bundler could do that
 * itself, but then every use of an import calls two functions that look up its current value. Here, imports are variables: what is
 * exported never changes after its module has run. That is a seventh of the CPU time of a short run.
 */
export interface BundledModule {
  readonly name: string;
  /** Not minified: names have to be recognised. */
  readonly text: string;
}

const importPattern = /^import (?:\{([^}]*)\} from )?"\.\/([^"]+)\.js";$/gm;
const exportPattern = /^export \{([^}]*)\};$/m;

export function asPartBodies(modules: readonly BundledModule[]): ReadonlyMap<string, string> {
  const exporting = new Set(modules.filter(({ text }) => exportPattern.test(text)).map(({ name }) => name));
  const imports = new Map(
    modules.map(({ name, text }) => [
      name,
      [...text.matchAll(importPattern)].flatMap(([, names, from = '']) => (names === undefined ? [] : [from])),
    ]),
  );
  refuseCycles(imports);
  return new Map(modules.map((module) => [module.name, asPartBody(module, exporting)]));
}

function asPartBody({ name, text }: BundledModule, exporting: ReadonlySet<string>): string {
  const exported = pairsOf(exportPattern.exec(text)?.[1] ?? '');
  for (const [local] of exported) refuseChange(name, local, text);
  const body = text
    .replaceAll(importPattern, (_line, names: string | undefined, from: string) => {
      if (names !== undefined)
        return `var { ${pairsOf(names)
          .map((pair) => pair.join(': '))
          .join(', ')} } = require("${from}");`;
      // The bundler lists all modules that others need, to keep their order. What exports something runs when that is imported.
      return exporting.has(from) ? '' : `require("${from}");`;
    })
    .replace(
      exportPattern,
      () => `module.exports = { ${exported.map(([local, as]) => `${as}: ${local}`).join(', ')} };`,
    )
    .replaceAll(/\brequire\("\.\/([^"]+)\.js"\)/g, 'require("$1")')
    .replaceAll(/\bimport\("\.\/([^"]+)\.js"\)/g, 'Promise.resolve().then(() => require("$1"))');
  const left = /^(?:import|export)\b(?!\().*$/m.exec(body);
  if (left !== null) throw new Error(`build/part-code.ts does not know how the bundler writes ${left[0]}`);
  return body;
}

/** `a as b, c` → [['a', 'b'], ['c', 'c']]. */
function pairsOf(names: string): (readonly [string, string])[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const [from = '', as = from] = name.split(' as ');
      return [from, as];
    });
}

/** A variable that is assigned after its module has run would be seen with its first value. */
function refuseChange(module: string, local: string, text: string): void {
  const name = local.replaceAll('$', '\\$');
  const assignment = new RegExp(
    `(?<!\\b(?:var|let|const) )(?<![\\w$.])${name} *(?:=(?![=>])|[-+*/%&|^]=|\\*\\*=|<<=|>>=|\\?\\?=|\\|\\|=|&&=|\\+\\+|--)|(?:\\+\\+|--)${name}(?![\\w$])`,
  );
  const found = assignment.exec(text) ?? new RegExp(`^(?:var|let) (?:[^=;]*, )?${name}(?:,[^=;]*)?;$`, 'm').exec(text);
  if (found !== null) throw new Error(`${module} exports ${local}, which changes: ${found[0]}`);
}

/** A module of a cycle would import what has not run yet. */
function refuseCycles(imports: ReadonlyMap<string, readonly string[]>): void {
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (finished.has(name)) return;
    if (path.includes(name)) throw new Error(`modules import each other: ${[...path, name].join(' → ')}`);
    for (const from of imports.get(name) ?? []) visit(from, [...path, name]);
    finished.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
}
