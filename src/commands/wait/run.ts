import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { noNamespaceError } from '../../cli/question.ts';
import { renderDiagnosis, renderDocument } from '../../cli/render.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { Diagnosis } from '../../core/engine/diagnose.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { WaitState } from '../../core/report/wait.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import { complain, print, screenOf } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { askWait, seedsOf } from './answer.ts';
import type { WaitAnswer, WaitQuestion } from './answer.ts';
import { explanationOf, unreachedOf, waitReportOf } from './ending.ts';
import type { WaitEnding } from './ending.ts';
import type { WaitLedger } from './ledger.ts';
import { planWait } from './plan.ts';
import type { WaitFlags, WaitPlan } from './plan.ts';
import { waitUntilSettled } from './run/loop.ts';
import type { WaitPort } from './run/loop.ts';
import { WaitProgress } from './run/progress.ts';
import { asSentence } from '../../core/kube/sentence.ts';
import { renderEnding, renderReached } from './text.ts';
import { watchedOf } from './watched.ts';

/** `wait` from its words and flags to its exit code. */
export async function runWait(words: readonly string[], flags: WaitFlags): Promise<ExitCode> {
  const plan = await planWait(words, flags);
  const source = await openSource(flags);
  const progress = new WaitProgress(
    { withNamespace: flags['all-namespaces'], graceMs: plan.graceMs },
    screenOf('never', process.env, process.stderr).ascii,
  );
  try {
    const ending = await waitUntilSettled(plan, await portOf(source, plan, flags, progress));
    progress.erase();
    return ending === undefined
      ? (interruptedExitCode() ?? exitCodes.interrupted)
      : await conclude(source, ending, flags);
  } finally {
    progress.erase();
    await source.close();
  }
}

async function portOf(
  source: ClusterSource,
  plan: WaitPlan,
  flags: WaitFlags,
  progress: WaitProgress,
): Promise<WaitPort> {
  const { subject } = plan;
  const isStreamed = flags.output === 'text' || flags.output === 'name';
  let printedNearNames = false;
  return {
    look: await lookerOf(source, plan, flags),
    ...(source.isLive && {
      watch: (onChange, signal) => source.watch(watchedOf(subject, namespaceOf(source, flags)), onChange, signal),
    }),
    async onReached(states) {
      if (states.length === 0 || !isStreamed) return;
      progress.erase();
      await print(states.map((state) => renderReached(state, flags.output === 'text')).join(''));
    },
    async onPending(pending, ledger, answer) {
      if (answer.unlisted !== undefined) return progress.showMessage(answer.unlisted.message);
      if (pending.length === 0 && subject.type === 'chosen')
        return progress.showMessage(
          `there is no ${nounOf(subject)}${whereOf(source, flags, subject.kind)} yet; waiting for one to appear`,
        );
      await progress.show(pending, ledger.reached.length, answer.takenAt);
      if (printedNearNames || !pending.some(({ prospect }) => prospect === 'absent')) return;
      printedNearNames = true;
      await printNearNames(source, pending, flags, progress);
    },
    onSilence: (message) => progress.showMessage(`${message}; retrying until the timeout`),
  };
}

function namespaceOf(source: ClusterSource, flags: WaitFlags): string | undefined {
  return flags['all-namespaces'] ? undefined : flags.namespace || source.namespace;
}

function whereOf(source: ClusterSource, flags: WaitFlags, kind: Kind): string {
  const namespace = resourceOf(kind).namespaced ? namespaceOf(source, flags) : undefined;
  return namespace === undefined ? '' : ` in namespace ${namespace}`;
}

function nounOf({ kind, labelSelector }: { readonly kind: Kind; readonly labelSelector: string | undefined }): string {
  return `${kind.toLowerCase()}${labelSelector ? ` with ${labelSelector}` : ''}`;
}

async function lookerOf(
  source: ClusterSource,
  { subject }: WaitPlan,
  flags: WaitFlags,
): Promise<(ledger: WaitLedger) => Promise<WaitAnswer>> {
  const dump = source.isLive ? undefined : await import('../../cli/dump-source.ts');
  const namespace = namespaceOf(source, flags);
  // A dump has no current namespace: a name is searched for in all of it.
  const namespaceIn = (snapshot: Snapshot): string | undefined => {
    if (namespace !== undefined || dump === undefined || subject.type !== 'named') return namespace;
    return dump.namespaceOf(snapshot, { ...everything, targets: subject.targets, namespace });
  };
  let isFirst = true;
  return async (ledger) => {
    const question: WaitQuestion = { subject, namespace, isDone: ledger.isReached, uids: ledger.uids };
    const answer = await source.answer(
      (snapshot) => askWait(snapshot, { ...question, namespace: namespaceIn(snapshot) }),
      { seeds: seedsOf(question).filter(({ kind, scope }) => !ledger.isReached({ kind, ...scope } as TargetRef)) },
    );
    // If a namespace disappears later, the awaited objects disappear with it, and the wait reports that.
    if (isFirst && answer.noNamespace !== undefined)
      throw noNamespaceError(namespace, answer.noNamespace, !flags.namespace);
    isFirst = false;
    return answer;
  };
}

const everything = { everywhere: false, selector: undefined, breadth: 'everything' } as const;

/** A name that does not exist may be a typing error, and the timeout is a long time to find out. */
async function printNearNames(
  source: ClusterSource,
  pending: readonly WaitState[],
  { namespace }: WaitFlags,
  progress: WaitProgress,
): Promise<void> {
  const targets = pending
    .filter(({ prospect }) => prospect === 'absent')
    .map(({ wish: { target } }) => ({ kind: target.kind, name: target.name }));
  const diagnosis = await source.diagnose({ ...everything, targets, namespace }).catch(() => undefined);
  for (const { target, near } of diagnosis?.notFound ?? [])
    if (near.length > 0)
      await progress.printLine(
        `${shortNameOf(target.kind)}/${target.name} does not exist. Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`,
      );
}

const exitCodeOf = {
  reached: exitCodes.ok,
  unreachable: exitCodes.blocked,
  timeout: exitCodes.blocked,
  inconclusive: exitCodes.inconclusive,
} as const;

async function conclude(source: ClusterSource, ending: WaitEnding, flags: WaitFlags): Promise<ExitCode> {
  const report = waitReportOf(ending);
  const { result } = report;
  if (isDocumentFormat(flags.output)) await print(await renderDocument(report, flags.output));
  else if (flags.output === 'text' && result !== 'reached') {
    const explanation = await explain(source, ending);
    // A target that does not exist and that nothing refers to has no explanation.
    if (explanation.report.items.length > 0)
      await print(
        await renderDiagnosis(explanation, { output: 'text', color: flags.color, named: true, chosen: flags }),
      );
  }
  if (result !== 'reached') {
    const { answer, isOnce, silence } = ending;
    const words = { withNamespace: flags['all-namespaces'], isOnce, silence };
    await complain(
      `error: ${asSentence(answer.unlisted ? sanitise(answer.unlisted.message) : renderEnding(report, words))}`,
    );
  }
  return exitCodeOf[result];
}

/** With the outcome of the fixes, as in `why`; a server that no longer answers cannot be queried for them. */
async function explain(source: ClusterSource, ending: WaitEnding): Promise<Diagnosis> {
  if (!source.isLive || ending.silence !== undefined) return explanationOf(ending);
  const [{ diagnose }, { foreseer }] = await Promise.all([
    import('../../core/engine/diagnose.ts'),
    import('../../cli/diagnosis/foresee-fixes.ts'),
  ]);
  const foresee = foreseer();
  const targets = unreachedOf(ending);
  const known = ending.answer.snapshot;
  return source
    .answer((snapshot) => foresee(diagnose(snapshot, { targets })), { known })
    .catch(() => explanationOf(ending));
}
