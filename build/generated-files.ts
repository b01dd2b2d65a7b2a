import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandClass } from '../src/cli/base-command.ts';
import { installationRoot } from '../src/cli/installation.ts';
import { commands as commandTable } from '../src/commands/index.ts';
import { rightsOf } from '../src/commands/rbac/rights.ts';

/**
 * Writes the files that are generated from the sources; with --check, only says which of them are out of date.
 * Run by `npm run manifest` and, with --check, by `npm test`.
 */
const generatedFiles: Readonly<Record<string, () => Promise<string>>> = {
  'oclif.manifest.json': describeCommands,
  'build/chart/files/rules.json': () => chartRules(rightsOf(['check'])),
  'build/chart/files/serve-rules.json': () => chartRules(rightsOf(['serve'], ['auth'])),
};

/** A role of the chart: what `kubectl csi rbac check` and `kubectl csi rbac serve --auth kubernetes` print. */
async function chartRules(rights: ReturnType<typeof rightsOf>): Promise<string> {
  const rules = rights.map(({ group, resource, verbs, namespaced }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs,
    namespaced,
  }));
  return `${JSON.stringify(rules, null, 2)}\n`;
}

/** The fields of oclif's manifest that help, completion and the splitting of a command line use. */
async function describeCommands(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(installationRoot(), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const commands: Record<string, unknown> = {};
  for (const [id, load] of Object.entries(commandTable)) commands[id] = describeCommand(id, (await load()).default);
  return `${JSON.stringify({ version, commands }, null, 2)}\n`;
}

function describeCommand(id: string, command: CommandClass): unknown {
  const { aliases, hiddenAliases, summary, description, usage, examples, strict, args, flags = {} } = command;
  const describe = (name: string, entry: object): object => ({
    name,
    ...Object.fromEntries(Object.entries(entry).filter(([, value]) => typeof value !== 'function')),
  });
  const describeAll = (entries: Readonly<Record<string, object>>): object =>
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, describe(name, entry)]));
  return {
    id,
    aliases,
    hiddenAliases,
    summary,
    description,
    usage,
    examples,
    strict,
    args: describeAll(args),
    flags: describeAll(flags),
  };
}

async function bringUpToDate(isCheck: boolean): Promise<void> {
  for (const [file, content] of Object.entries(generatedFiles)) {
    const path = join(installationRoot(), file);
    const wanted = await content();
    if ((await readFile(path, 'utf8').catch(() => '')) === wanted) continue;
    if (isCheck) {
      process.stderr.write(`${file} is out of date: run npm run manifest\n`);
      process.exitCode = 1;
    } else {
      await writeFile(path, wanted);
      process.stdout.write(`${file} written\n`);
    }
  }
}

await bringUpToDate(process.argv.includes('--check'));
