import { readFile, readdir } from 'node:fs/promises';

/** The bundle contains code of other projects, so their licences come with it. */
export async function collectLicences(inputs: readonly string[]): Promise<string> {
  const directories = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...directories].sort().map(async (directory) => {
    const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : await readFile(`${directory}/${file}`, 'utf8');
    return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n----\n\n');
}
