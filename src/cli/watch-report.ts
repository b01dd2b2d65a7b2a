import type { Diagnosis } from '../engine/diagnose.ts';
import { exitCodeOf } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { interruptedExitCode, interruption } from './interruption.ts';
import type { ClusterSource } from './open-source.ts';
import { print } from './output.ts';
import { notFoundError } from './question.ts';
import type { Question } from './question.ts';
import { renderReport } from './render.ts';
import type { ReportFormat, ReportLook } from './render.ts';

/** Changes come in flocks: a pod that starts is changed a dozen times in a second. */
const quietMs = 500;
/** Nodes, leases and volumes are not watched, and time alone makes a wait too long: look again now and then. */
const lookAgainMs = 15_000;

/** Prints the report, and again whenever its verdicts change, until Ctrl-C or until nobody reads it. */
export async function watchReport(source: ClusterSource, question: Question, look: ReportLook): Promise<ExitCode> {
  const readerGone = new AbortController();
  process.stdout.on('error', () => readerGone.abort());
  const signal = AbortSignal.any([interruption(), readerGone.signal]);
  const bell = createBell(signal);
  // The watch itself may fail later on (a right is taken away); then only the regular look is left.
  const watching = source.watch({ kinds: ['PersistentVolumeClaim', 'Pod'], namespace: question.everywhere ? undefined : question.namespace || source.namespace }, bell.ring, signal).catch(() => undefined);
  let shown: string | undefined;
  let diagnosis: Diagnosis | undefined;
  while (!signal.aborted) {
    diagnosis = await source.diagnose(question);
    const missing = notFoundError(diagnosis);
    if (missing !== undefined && shown === undefined) throw missing;
    const verdicts = JSON.stringify([diagnosis.report.items, diagnosis.notFound]);
    if (verdicts !== shown) {
      await print(separator(look.output, shown === undefined, diagnosis.report.takenAt) + (await renderReport(diagnosis.report, look)));
      shown = verdicts;
    }
    await bell.next();
  }
  await watching;
  return interruptedExitCode() ?? (diagnosis === undefined ? 0 : exitCodeOf(diagnosis.report));
}

function separator(output: ReportFormat, isFirst: boolean, at: string): string {
  if (output === 'yaml') return '---\n';
  if (isFirst || output === 'json' || output === 'name') return '';
  return `\n${at}\n\n`;
}

/** Rings once for many changes that come close together, and by itself after a while. */
function createBell(signal: AbortSignal): { ring: () => void; next: () => Promise<void> } {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    next: async () => {
      await new Promise<void>((resolve) => {
        if (rung || signal.aborted) return resolve();
        const timer = setTimeout(resolve, lookAgainMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
      });
      wake = undefined;
      if (rung && !signal.aborted) await quiet(signal);
      rung = false;
    },
  };
}

function quiet(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, quietMs);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
