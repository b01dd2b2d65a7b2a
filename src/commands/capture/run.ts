import type { Capture } from '../../io/capture/make-capture.ts';
import type { CaptureSummary } from '../../core/report/capture.ts';
import { summarise } from './summary.ts';
import { UserError } from '../../core/kube/errors.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { Selection } from '../../core/kube/selection.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import { readsDump, refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { complain, print, printBytes, screenOf } from '../../terminal/output.ts';
import { captureFileName } from '../../io/capture/capture-name.ts';
import { withProgress } from '../../terminal/progress.ts';
import { existenceOf, noNamespaceError, notFoundError } from '../../cli/question.ts';
import { inNamespace, judgedKinds, parseTargets } from '../../cli/targets.ts';
import type { NamedTarget } from '../../cli/targets.ts';

interface CaptureFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly output?: string | undefined;
  readonly force: boolean;
  readonly 'dry-run': boolean;
  readonly anonymize: boolean;
  readonly 'anonymize-key'?: string | undefined;
  readonly logs?: string | undefined;
  readonly color: string;
}

/** `capture` from its words and flags to its exit code. */
export async function runCapture(words: readonly string[], flags: CaptureFlags): Promise<ExitCode> {
  const targets = await parseTargets(words, { kinds: judgedKinds.everything });
  refuseContradictions(targets, flags);
  const { checkTarget, encodeCapture } = await import('../../io/capture/write-capture.ts');
  if (flags.output !== undefined && flags.output !== '-' && !flags['dry-run'])
    await checkTarget(flags.output, flags.force);
  const source = await openSource(flags);
  try {
    const snapshot = await withProgress(`reading ${source.name}`, async () =>
      addLogs(source, await readAll(source, targets, flags), targets, flags),
    );
    const capture = await prepare(snapshot, flags);
    const file = flags.output ?? usualName(source, snapshot, flags);
    const bytes = encodeCapture(capture.snapshot, !file.endsWith('.json'));
    const summary = summarise(capture, {
      source: source.name,
      scope: scopeOf(source, targets, flags),
      bytes: bytes.length,
      isAnonymous: flags.anonymize,
      ...(file !== '-' && { file }),
    });
    if (flags['dry-run']) await print(await renderSummary(summary, flags, process.stdout));
    else {
      const interrupted = await save(file, bytes, flags);
      if (interrupted !== undefined) return interrupted;
      await complain(await renderSummary(summary, flags, process.stderr));
    }
    return summary.unread.length > 0 ? exitCodes.inconclusive : exitCodes.ok;
  } finally {
    await source.close();
  }
}

/** Writes the file; the exit code if that was interrupted. */
async function save(file: string, bytes: Buffer, { force }: CaptureFlags): Promise<ExitCode | undefined> {
  if (file === '-') {
    await printBytes(bytes);
    return undefined;
  }
  const { checkTarget, writeCapture } = await import('../../io/capture/write-capture.ts');
  const signal = interruption();
  await checkTarget(file, force);
  await writeCapture(file, bytes, { mayReplace: force, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return interruptedExitCode();
}

function usualName(source: ClusterSource, { takenAt }: Snapshot, flags: CaptureFlags): string {
  const { context, namespace, anonymize: isAnonymous } = flags;
  return captureFileName({ source, takenAt, context, namespace, isAnonymous });
}

async function readAll(source: ClusterSource, targets: readonly NamedTarget[], flags: CaptureFlags): Promise<Snapshot> {
  if (!source.isLive) return (await source.answer((snapshot) => ({ snapshot, needs: [] }))).snapshot;
  const { askAll, askNamed, listsOf } = await import('./answer.ts');
  const namespace = flags['all-namespaces'] ? undefined : flags.namespace || source.namespace;
  if (targets.length === 0) {
    const all = await source.answer((snapshot) => askAll(snapshot, namespace), { seeds: listsOf(namespace) });
    if (all.noNamespace !== undefined) throw noNamespaceError(namespace, all.noNamespace, !flags.namespace);
    return all.snapshot;
  }
  const refs = inNamespace(targets, namespace ?? 'default');
  const { snapshot, diagnosis } = await source.answer((known) => askNamed(known, refs), {
    seeds: refs.map(existenceOf),
  });
  if (diagnosis !== undefined && diagnosis.notFound.length > 0) {
    const question = {
      targets,
      namespace: flags.namespace,
      everywhere: false,
      selector: undefined,
      breadth: 'everything',
    } as const;
    const missing = notFoundError(await source.diagnose(question));
    if (missing !== undefined) throw missing;
  }
  return snapshot;
}

/** The logs that `why --logs` would read, so that the file answers as the cluster does. */
async function addLogs(
  source: ClusterSource,
  snapshot: Snapshot,
  targets: readonly NamedTarget[],
  flags: CaptureFlags,
): Promise<Snapshot> {
  const { logs } = flags;
  if (logs !== 'always' && logs !== 'auto') return snapshot;
  const namespace = flags['all-namespaces'] ? undefined : flags.namespace || source.namespace;
  const selection: Selection =
    targets.length > 0
      ? { targets: inNamespace(targets, namespace ?? 'default') }
      : { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  return (await source.readLogs(snapshot, selection, { mode: logs, isAsked: true })).snapshot;
}

async function prepare(snapshot: Snapshot, flags: CaptureFlags): Promise<Capture> {
  const { makeCapture } = await import('../../io/capture/make-capture.ts');
  const capture = makeCapture(snapshot);
  if (!flags.anonymize) return capture;
  const [{ anonymize }, { randomBytes }] = await Promise.all([
    import('../../io/capture/anonymize.ts'),
    import('node:crypto'),
  ]);
  return {
    ...capture,
    snapshot: anonymize(capture.snapshot, flags['anonymize-key'] ?? randomBytes(32).toString('hex')),
  };
}

function scopeOf(source: ClusterSource, targets: readonly NamedTarget[], flags: CaptureFlags): string {
  if (!source.isLive) return 'the whole dump';
  const place = flags['all-namespaces'] ? 'all namespaces' : `namespace ${flags.namespace || source.namespace}`;
  return targets.length === 0
    ? place
    : `${targets.map(({ kind, name }) => `${shortNameOf(kind)}/${name}`).join(', ')} in ${place}`;
}

async function renderSummary(
  summary: CaptureSummary,
  flags: CaptureFlags,
  stream: NodeJS.WriteStream,
): Promise<string> {
  const { renderCapture } = await import('./text.ts');
  return renderCapture(summary, {
    ...screenOf(flags.color, process.env, stream),
    isDryRun: flags['dry-run'],
  });
}

function refuseContradictions(targets: readonly NamedTarget[], flags: CaptureFlags): void {
  refuseSourceContradictions(flags);
  if (readsDump(flags) && (targets.length > 0 || flags.namespace || flags['all-namespaces']))
    throw new UserError('a dump is always captured as a whole', 'Remove the names, -n and -A');
  if (targets.length > 0 && flags['all-namespaces'])
    throw new UserError('a name cannot be combined with -A', 'Remove -A, or choose the namespace with -n');
  if (flags['anonymize-key'] !== undefined && !flags.anonymize)
    throw new UserError('--anonymize-key needs --anonymize');
  if (flags['anonymize-key'] === '')
    throw new UserError('--anonymize-key is empty', 'Use a few words that cannot be guessed');
  if (flags.output === '') throw new UserError('-o is empty', 'Write -o FILE, or -o - for standard output');
  if (flags.output === '-' && process.stdout.isTTY && !flags['dry-run'])
    throw new UserError(
      'a compressed file cannot be shown on a terminal',
      'Write it with -o FILE, or pipe it to another program',
    );
}
