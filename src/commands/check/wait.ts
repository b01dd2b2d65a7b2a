import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import type { ObjectRef } from '../../core/report/report.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { lastingCauses } from '../../core/causes/lib/lasting-causes.ts';
import { interruption } from '../../cli/interruption.ts';
import type { ClusterSource, Watched } from '../../cli/open-source.ts';
import { complain } from '../../terminal/output.ts';
import { createBell } from '../../cli/watch-loop.ts';

/** It stays as it is until somebody writes something else. */
function isProven({ id, confidence, severity, outcome }: JudgedFinding): boolean {
  return outcome === 'new' && severity === 'blocking' && confidence === 'certain' && lastingCauses.has(id);
}

/** What may still come right by itself. */
function pendingOf({ findings }: CheckReport): JudgedFinding[] {
  return findings.filter(
    (finding) => finding.outcome === 'new' && (finding.isInProgress === true || finding.severity === 'blocking'),
  );
}

/** Looks again until all is well, or something is proven stuck, or the time is over. */
export async function checkUntilSettled<Look extends { readonly report: CheckReport }>(
  source: ClusterSource,
  watched: Watched,
  waitMs: number,
  look: () => Promise<Look>,
): Promise<Look> {
  const signal = interruption();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), waitMs);
  const ended = AbortSignal.any([signal, over.signal]);
  const bell = createBell(ended);
  const watching = source.watch(watched, bell.ring, ended).catch(() => undefined);
  let told = '';
  try {
    for (;;) {
      const seen = await look();
      const pending = pendingOf(seen.report);
      if (ended.aborted || pending.length === 0 || pending.some(isProven)) return seen;
      const line = waitingFor(pending);
      if (line !== told) await complain((await import('../../terminal/sanitise.ts')).sanitise(line));
      told = line;
      await bell.next();
    }
  } finally {
    clearTimeout(timer);
    over.abort();
    await watching;
  }
}

const enough = 3;

function waitingFor(pending: readonly JudgedFinding[]): string {
  const names = [...new Set(pending.map(({ object, id }) => `${nameOf(object)} (${id})`))];
  return `waiting for ${names.slice(0, enough).join(', ')}${names.length > enough ? ` and ${names.length - enough} more` : ''}`;
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${shortNameOf(kind)}/${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
