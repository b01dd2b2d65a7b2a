import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome } from './kubeconfig-outcomes.ts';

/** What kubectl did with each case, so that `npm test` needs no kubectl. Written by `RECORD=1 npm run attack`. */
export interface KubectlRecord {
  readonly version: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

const path = new URL('../io/cluster/kubeconfig-outcomes.jsonl', import.meta.url);

export function readRecord(): KubectlRecord {
  const [first = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return {
    version: (JSON.parse(first) as { readonly kubectl: string }).kubectl,
    outcomes: new Map(lines.map((line) => JSON.parse(line) as [string, Outcome])),
  };
}

export function writeRecord({ version, outcomes }: KubectlRecord): void {
  const lines = [{ kubectl: version }, ...outcomes].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(path, lines.join(''));
}
