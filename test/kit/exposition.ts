/** One sample of the text format, strictly parsed. */
interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Parses an exposition more strictly than Prometheus does: HELP, then TYPE, then the samples of that family; no family and no series twice; escapes only as the format has
 * them. `openMetrics` also wants counters to be named without and sampled with `_total`, and `# EOF` at the very end.
 */
export function parseExposition(text: string, openMetrics = false): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const lines = text.slice(0, -1).split('\n');
  if (openMetrics && lines.pop() !== '# EOF') throw new Error('there is no # EOF at the end');
  const families = new Map<string, ParsedFamily & { samples: ParsedSample[] }>();
  const series = new Set<string>();
  let help: { readonly name: string; readonly text: string } | undefined;
  let family: (ParsedFamily & { samples: ParsedSample[] }) | undefined;
  for (const line of lines) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment?.[1] === 'HELP') {
      const [, , name = '', words = ''] = comment;
      if (/\\(?![\\n])/.test(words)) throw new Error(`a wrong escape in the help of ${name}`);
      help = { name, text: words };
    } else if (comment?.[1] === 'TYPE') {
      const [, , name = '', type = ''] = comment;
      if (help?.name !== name) throw new Error(`${name} has no HELP before its TYPE`);
      if (!metricName.test(name)) throw new Error(`${name} is no name of a metric`);
      if (families.has(name)) throw new Error(`${name} is there twice`);
      if (!['gauge', 'counter'].includes(type)) throw new Error(`${name} has the unknown type ${type}`);
      family = { name, type, help: help.text, samples: [] };
      families.set(name, family);
    } else {
      const sample = parseSample(line);
      if (family === undefined) throw new Error(`a sample without a family: ${line}`);
      const wanted = openMetrics && family.type === 'counter' ? `${family.name}_total` : family.name;
      if (sample.name !== wanted) throw new Error(`${sample.name} does not belong to ${family.name}`);
      if (family.type === 'counter' && !sample.name.endsWith('_total')) throw new Error(`${sample.name} is a counter`);
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (series.has(key)) throw new Error(`the series is there twice: ${line}`);
      series.add(key);
      family.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string): ParsedSample {
  const start = /^([a-zA-Z_:][a-zA-Z0-9_:]*)/.exec(line);
  if (start === null) throw new Error(`not a line of the format: ${line}`);
  const name = start[0];
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const pair = /^([^=]+)="((?:[^"\\\n]|\\["\\n])*)"(,?)/.exec(rest);
      if (pair === null) throw new Error(`wrong labels: ${line}`);
      const [all, label = '', value = '', comma] = pair;
      if (!labelName.test(label) || label in labels) throw new Error(`a wrong label ${label}: ${line}`);
      labels[label] = value.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
      rest = rest.slice(all.length);
      if (comma === '' && !rest.startsWith('}')) throw new Error(`wrong labels: ${line}`);
    }
    rest = rest.slice(1);
  }
  if (!/^ (?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/i.test(rest)) throw new Error(`a wrong value: ${line}`);
  return { name, labels, value: Number(rest) };
}
