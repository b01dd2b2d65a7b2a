import { interruption } from '../../../cli/interruption.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import type { Watched } from '../../../cli/question.ts';
import { lookUntil, watchOf } from '../../../cli/watch-loop.ts';
import type { Turn } from '../../../cli/watch-loop.ts';
import type { CheckReport } from '../../../core/report/check.ts';
import { complain } from '../../../terminal/output.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { isProvenStuck, pendingOf, waitingWords } from '../pending.ts';

/** Looks again until nothing is pending, until something is proven stuck, or until the time is over. */
export async function checkUntilSettled<Look extends { readonly report: CheckReport }>(
  source: ClusterSource,
  watched: Watched,
  waitMs: number,
  look: () => Promise<Look>,
): Promise<Look> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), waitMs);
  const signal = AbortSignal.any([interruption(), over.signal]);
  let told = '';
  try {
    return await lookUntil(
      async (): Promise<Turn<Look>> => {
        const seen = await look();
        const pending = pendingOf(seen.report);
        if (signal.aborted || pending.length === 0 || pending.some(isProvenStuck)) return { result: seen };
        const line = waitingWords(pending);
        if (line !== told) await complain(sanitise(line));
        told = line;
        return {};
      },
      { watch: watchOf(source, watched), signal },
    );
  } finally {
    clearTimeout(timer);
  }
}
