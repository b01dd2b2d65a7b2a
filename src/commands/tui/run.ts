import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { ClusterFeed, Place, TuiPorts } from '../../tui/ports.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption } from '../../cli/interruption.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';

interface TuiFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly ascii: boolean;
  readonly color: string;
}

/** `tui` from its flags to its exit code. */
export async function runTuiCommand(flags: TuiFlags): Promise<ExitCode> {
  refuseContradictions(flags);
  refuseWithoutTerminal(process.stdin, process.stdout);
  const signal = interruption();
  const [{ startThread }, { runTui }] = await Promise.all([import('./thread.ts'), import('../../tui/root.ts')]);
  const ports = startThread(readingFlags(flags));
  const place: Place = {
    ...(flags.context !== undefined && { context: flags.context }),
    ...(!flags['all-namespaces'] && flags.namespace && { namespace: flags.namespace }),
  };
  const { colour, ascii } = screenOf(flags.color as ColourChoice, process.env, process.stdout);
  try {
    // A cluster that cannot be opened at all is an ordinary error, printed before the screen is drawn.
    const feed = await withProgress('reading', () => Promise.race([ports.open(place), untilAborted(signal)]), ascii);
    if (feed === undefined) return interruptedExitCode() ?? exitCodes.interrupted;
    const end = await runTui({
      ports: withOpened(ports, place, feed),
      place,
      look: { colour, ascii: ascii || flags.ascii },
      stdin: process.stdin,
      stdout: process.stdout,
      signal,
    });
    return interruptedExitCode() ?? (end === 'interrupted' ? exitCodes.interrupted : exitCodes.ok);
  } finally {
    await ports.end();
  }
}

function refuseContradictions(flags: TuiFlags): void {
  refuseSourceContradictions(flags);
  if (flags.from?.includes('-'))
    throw new UserError(
      '--from - cannot be used with tui, which reads keys from standard input',
      'Write the dump to a file first',
    );
}

/** A pipe has neither keys nor a screen, and a dumb terminal cannot be drawn on. */
function refuseWithoutTerminal(stdin: { readonly isTTY?: boolean }, stdout: { readonly isTTY?: boolean }): void {
  if (stdin.isTTY === true && stdout.isTTY === true && process.env['TERM'] !== 'dumb') return;
  throw new EnvironmentError('kubectl csi tui needs a terminal', 'Use kubectl csi status -w instead');
}

/** Only what the other thread needs to read. Its log (-v) goes to stderr, so not where the screen is. */
function readingFlags({
  namespace: _namespace,
  'all-namespaces': _everywhere,
  ascii: _ascii,
  color: _color,
  v,
  ...reading
}: TuiFlags): SourceValues & ConnectionValues {
  return { ...reading, ...(v !== undefined && process.stderr.isTTY !== true && { v }) };
}

/** The feed that is open already is used for the first place. */
function withOpened(ports: TuiPorts, place: Place, feed: ClusterFeed): TuiPorts {
  let opened: ClusterFeed | undefined = feed;
  return {
    ...ports,
    open: (wanted) => {
      const ready = wanted.context === place.context && wanted.namespace === place.namespace ? opened : undefined;
      opened = undefined;
      return ready === undefined ? ports.open(wanted) : Promise.resolve(ready);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
