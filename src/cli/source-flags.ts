import { UserError } from '../core/kube/errors.ts';
import { shellWord } from '../core/kube/shell-word.ts';

/** The values of the flags that name a dump to read instead of a cluster. */
export interface SourceValues {
  readonly from?: string[] | undefined;
  readonly complete?: boolean;
  readonly at?: string | undefined;
}

export function readsDump({ from = [] }: SourceValues): boolean {
  return from.length > 0;
}

/** What to append to a command that shall read the same source again. */
export function commandEnd({ from = [] }: SourceValues): string {
  return from
    .filter((path) => path !== '-')
    .map((path) => ` --from ${shellWord(path)}`)
    .join('');
}

/** Refuses flags that contradict each other: a dump cannot be watched, and some flags only describe a dump. */
export function refuseSourceContradictions(flags: SourceValues, watch = false): void {
  const isDump = readsDump(flags);
  if (watch && isDump)
    throw new UserError('--watch cannot be combined with --from', 'A dump does not change: remove one of them');
  if (!isDump && flags.complete) throw new UserError('--complete needs --from', 'It declares that a dump is complete');
  if (!isDump && flags.at !== undefined) throw new UserError('--at needs --from', 'It sets the time of a dump');
}
