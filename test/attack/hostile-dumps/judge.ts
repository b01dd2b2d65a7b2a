import type { HostileDump } from './dumps.ts';

export interface Output {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is wrong with the answer to a hostile dump. */
export function problemsOf({ exit, says }: HostileDump, { exitCode, stdout, stderr }: Output): string[] {
  const all = `${stdout}\n${stderr}`;
  const errors = stderr.split('\n').filter((line) => line.startsWith('error:'));
  return [
    ...(exitCode !== null && exit.includes(exitCode) ? [] : [`exit code ${exitCode} instead of ${exit.join(' or ')}`]),
    ...(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(all) ? ['a control character'] : []),
    ...(/\n\s+at .*[:(]\d|this is a bug|node:internal|FATAL/.test(all) ? ['a stack trace or a bug'] : []),
    ...(/^\s*::[a-z-]+(?:\s.*?)?::|##\[/m.test(all) ? ['a workflow command'] : []),
    ...(says === undefined || says.test(all) ? [] : [`does not say ${String(says)}`]),
    ...((exitCode === 2 || exitCode === 4) && errors.length !== 1 ? [`${errors.length} error messages`] : []),
  ].map((problem) => `${problem}: ${JSON.stringify(all.slice(0, 300))}`);
}
