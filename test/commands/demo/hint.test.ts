import { expect, it } from 'vitest';
import { runProgram } from '../../kit/run-program.ts';

/** The commands of a text that follow a prompt, as words. None of them needs quotes. */
function promptedCommands(text: string): string[][] {
  return [...text.matchAll(/^ +\$ kubectl csi (.+)$/gm)].map(([, words = '']) => words.split(' '));
}

it('demo --once ends with commands that work without a cluster', async () => {
  const { stdout, stderr } = await runProgram(['demo', '--once']);
  const [details, ...rest] = promptedCommands(stdout);
  expect(rest).toEqual([]);
  expect(promptedCommands(stderr)).toEqual([['demo']]);
  const full = await runProgram(details ?? []);
  expect(full.exitCode).toBe(0);
  expect(full.stdout).toContain('\nEvidence\n');
  expect(full.stdout).toContain('\nFix\n');
});

it('the hint of a running demo asks the demo, whatever the current context is', async () => {
  let answer: Promise<{ exitCode: number | null; stdout: string }> | undefined;
  const { stdout, stderr } = await runProgram(['demo'], {
    onOutput: (soFar, complaint, kill) => {
      if (answer !== undefined || !complaint.includes('*.sock')) return;
      answer = runProgram(promptedCommands(soFar)[0] ?? []);
      void answer.then(() => kill('SIGINT'));
    },
  });
  const { exitCode, stdout: said } = (await answer) ?? { exitCode: undefined, stdout: '' };
  expect(exitCode, stdout + stderr).toBe(1);
  expect(said).toContain('\nCause: ');
});
