import { runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';
import { requestTimeout, stuck, token } from './clinic.ts';
import type { Bed } from './clinic.ts';
import type { Fault } from './fault.ts';

/** A command that reads the cluster. */
export interface SickCommand {
  readonly name: string;
  readonly words: (bed: Bed) => readonly string[];
  /** On a sound server the stuck claim makes it fail; the others only show it. */
  readonly judges: boolean;
}

const judging = (name: string, ...words: readonly string[]): SickCommand => ({
  name,
  words: () => [name.split(' ')[0] ?? name, ...words],
  judges: true,
});
const showing = (name: string, ...words: readonly string[]): SickCommand => ({
  ...judging(name, ...words),
  judges: false,
});

/** Every command that reads a cluster. */
export const commands: readonly SickCommand[] = [
  judging('why-pending'),
  judging('why-pending everywhere', '-A'),
  judging('why'),
  judging('why everywhere', '-A'),
  judging('why NAME', `pvc/${stuck.name}`),
  judging('status'),
  judging('check'),
  judging('check as metrics', '-o', 'prometheus'),
  judging('wait', `pvc/${stuck.name}`, '--for=bound', '--timeout=3s'),
  { name: 'preflight', words: ({ manifest }) => ['preflight', '-f', manifest], judges: true },
  showing('get', 'pvc'),
  showing('trace', `pvc/${stuck.name}`),
  showing('capture', '--dry-run'),
  showing('rbac', 'why', '--check'),
  showing('probe', '--all-nodes'),
];

/** Far beyond every limit: a run that is still there then has none. */
const giveUpMs = 60_000;

export interface Run extends Finished {
  /** It did not end, and was ended. */
  readonly wasEnded: boolean;
}

/** A server that recovers is given the time that a busy machine needs; only one that does not has to be given up soon. */
export async function run(bed: Bed, command: SickCommand, fault?: Fault): Promise<Run> {
  const limit = fault === undefined || fault.isHarmless === true ? '30s' : requestTimeout;
  const words = [...command.words(bed), '--kubeconfig', bed.kubeconfig, '--request-timeout', limit];
  // With pages of one object every list has a second page.
  const paged = command.name === 'rbac' ? words : [...words, '--chunk-size=1'];
  const finished = await runProgram(paged, { timeoutMs: giveUpMs });
  return { ...finished, wasEnded: finished.exitCode === null };
}

/** What does not hold about a run; empty if all does. `sound` is the same command on the server without a fault. */
export function complaintsOf(fault: Fault, command: SickCommand, ran: Run, sound: Run, bed: Bed): string[] {
  if (fault.deniesNames === true && command.words(bed).includes(`pvc/${stuck.name}`)) return [];
  const { exitCode, stdout, stderr } = ran;
  const output = stdout + stderr;
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  const isAsSound = exitCode === sound.exitCode && essenceOf(stdout) === essenceOf(sound.stdout);
  const writes = bed.server.requests.filter(
    (line) => !/^GET |^POST \/apis\/authorization\.k8s\.io\/v1\/selfsubject/.test(line),
  );
  const checks: readonly (readonly [isWrong: boolean, complaint: string])[] = [
    [ran.wasEnded, 'did not end'],
    [![0, 1, 3, 4].includes(exitCode ?? -1), `exit code ${exitCode}`],
    [exitCode === 0 && !isAsSound, 'exit code 0 with another answer than that of the sound server'],
    [exitCode === 0 && command.judges, 'exit code 0 although a claim is stuck'],
    [
      // Something else is blocked as well: then the claims have to be named as unread.
      exitCode === 1 &&
        sound.stdout.includes(stuck.name) &&
        !stdout.includes(stuck.name) &&
        !stdout.includes('persistentvolumeclaims'),
      'exit code 1 without the claim',
    ],
    [errors.length > 1 || (exitCode === 4 && errors.length !== 1), `${errors.length} error messages`],
    [exitCode !== 0 && output.trim() === '', 'says nothing'],
    [
      /\n\s+at .+:\d+|this is a bug|node:internal|\[object Object\]/.test(output),
      'shows the program instead of a message',
    ],
    // eslint-disable-next-line no-control-regex
    [/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(output), 'control bytes in the output'],
    [output.includes(token), 'the token is in the output'],
    [writes.length > 0, `asked for more than reading: ${writes[0]}`],
    [bed.server.stolen.length > 0, `followed a redirect: ${bed.server.stolen[0]}`],
    [
      command.name === 'check as metrics' && exitCode !== 1 && !/^kubectl_csi_up 0$/m.test(stdout),
      'kubectl_csi_up is not 0',
    ],
    [fault.isHarmless === true && exitCode !== sound.exitCode, `exit code ${exitCode} although the fault is harmless`],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, complaint]) => complaint);
}

/** Without ages, sizes and times, which differ between any two runs. */
function essenceOf(text: string): string {
  return text
    .replaceAll(/\b\d+(?:\.\d+)?\s?(?:ms|s|m|h|d|kB|MB|bytes)\b/g, '')
    .replaceAll(/\d{4}-?\d\d-?\d\dT[\d:.]+Z/g, '')
    .replaceAll(/\s+/g, ' ');
}
