import { join } from 'node:path';
import type { Demo } from './demo.ts';
import type { Outcome } from './machine.ts';

export type Runner = (words: readonly string[]) => Promise<Outcome>;

const root = join(import.meta.dirname, '../..');
export const dump = join(root, 'test/truth/missing-class');
/** What every way of installation must say about the dump. */
export const verdict = /sc-missing \(certain\)/;

interface Question {
  readonly name: string;
  readonly words: readonly string[];
  readonly code: number;
  readonly says: RegExp;
}

/** What is asked of an executable on each platform: `place` turns a path of this machine into one that the program sees. */
export function smokeQuestions(demo: Demo, place: (path: string) => string = (path) => path): readonly Question[] {
  return [
    { name: 'version', words: ['--version'], code: 0, says: /^kubectl-csi \d+\.\d+\.\d+\n$/ },
    { name: 'explain', words: ['explain', 'sc-missing'], code: 0, says: /StorageClass that does not exist/ },
    { name: 'a dump', words: ['why', '-A', '--from', place(dump)], code: 1, says: verdict },
    {
      name: 'the embedded server',
      words: ['why', '-A', '--kubeconfig', place(demo.kubeconfig)],
      code: 1,
      says: /sc-missing/,
    },
  ];
}

export async function askAll(questions: readonly Question[], runner: Runner): Promise<void> {
  for (const { name, words, code, says } of questions) {
    const outcome = await runner(words);
    if (outcome.code !== code || !says.test(outcome.stdout))
      throw new Error(
        `${name}: exit code ${outcome.code} instead of ${code}, or not the expected words:\n${outcome.stdout.slice(0, 800)}${outcome.stderr.slice(0, 800)}`,
      );
  }
}
