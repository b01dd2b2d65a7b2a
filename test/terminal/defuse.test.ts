import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defuse } from '../../src/terminal/defuse.ts';
import { renderJson, renderYaml } from '../../src/terminal/structured.ts';

/** As the runner of GitHub reads a line (ActionCommand.TryParseV2 and TryParse). */
function isCommand(line: string): boolean {
  const text = line.trimStart();
  if (text.startsWith('::') && text.indexOf('::', 2) > 2) return true;
  return /##(?:vso|teamcity)?\[[^\]]*\]?/.test(line);
}

const attacks = [
  '::error::x',
  'a\n::error file=a,line=1::x',
  'a\r\n  \t::set-output name=x::y',
  'a\r::add-mask::b',
  '\u00a0::stop-commands::z',
  'said ##[set-env name=PATH]/tmp',
  '##vso[task.setvariable variable=x]y',
  'x ##teamcity[message text=1]',
];

describe('a message of a driver', () => {
  it.each(attacks)('%j is no command of a CI system', (text) => {
    expect(text.split(/[\r\n]/).some(isCommand)).toBe(true);
    expect(
      defuse(text)
        .split(/[\r\n]/)
        .filter(isCommand),
    ).toEqual([]);
  });

  it.each(['::1 is an address', 'fe80::1::', 'std::string', '# title', '[::]:8080', 'a ::error:: b', '## title'])(
    '%j stays as it is',
    (text) => expect(defuse(text)).toBe(text),
  );

  it.each(attacks)('%j keeps its data in JSON and YAML, and is no command there', async (text) => {
    const json = renderJson({ text });
    const yaml = await renderYaml({ text });
    expect(JSON.parse(json)).toEqual({ text });
    expect(parse(yaml)).toEqual({ text });
    expect([...json.split('\n'), ...yaml.split('\n')].filter(isCommand)).toEqual([]);
    expect([defuse(json), defuse(yaml)]).toEqual([json, yaml]);
  });
});
