import { diagnose } from '../../core/engine/diagnose.ts';
import type { Diagnosis } from '../../core/engine/diagnose.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { ReportItem } from '../../core/report/report.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Trace, TraceVerdict } from '../../core/report/trace.ts';
import { markBroken } from '../../core/survey/trace/broken-link.ts';
import { traceTarget } from '../../core/survey/trace/trace-target.ts';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { commandEnd, openSource, refuseSourceContradictions } from '../../cli/open-source.ts';
import type { ClusterSource, ConnectionValues, SourceValues } from '../../cli/open-source.ts';
import { print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { existenceOf, notFoundError, selectionOf } from '../../cli/question.ts';
import type { Question } from '../../cli/question.ts';
import { renderDocument } from '../../cli/render.ts';
import { tracedKinds } from '../../cli/target-kinds.ts';
import { parseTargets } from '../../cli/targets.ts';

export interface TraceFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly output: 'text' | 'wide' | 'json' | 'yaml';
  readonly watch: boolean;
  readonly color: string;
}

interface Traced {
  readonly trace: Trace | undefined;
  readonly diagnosis: Diagnosis;
  readonly needs: readonly Need[];
}

/** `trace` from its words and flags to its exit code. */
export async function runTrace(words: readonly string[], flags: TraceFlags): Promise<ExitCode> {
  const targets = await parseTargets(words, { kinds: tracedKinds });
  if (targets.length !== 1)
    throw new UserError(
      targets.length === 0
        ? 'nothing to trace was named'
        : `one thing is traced at a time, and ${targets.length} were named`,
      'write for example pvc/data',
    );
  refuseSourceContradictions(flags, flags.watch);
  const question: Question = {
    targets,
    namespace: flags.namespace,
    everywhere: false,
    selector: undefined,
    breadth: 'everything',
  };
  const source = await openSource(flags);
  try {
    if (flags.watch) {
      const { printOnChange, separator } = await import('../../cli/watch-loop.ts');
      return await printOnChange(
        source,
        { kinds: ['PersistentVolumeClaim', 'Pod'], namespace: flags.namespace || source.namespace },
        async (isFirst) => {
          const { trace, diagnosis } = await readTrace(source, question, flags);
          return {
            essence: essenceOf(trace),
            exitCode: exitCodeOf(diagnosis.report),
            render: async () => separator(flags.output, isFirst, trace.takenAt) + (await renderTrace(trace, flags)),
          };
        },
      );
    }
    const { trace, diagnosis } = await withProgress(`reading ${source.name}`, () => readTrace(source, question, flags));
    await print(await renderTrace(trace, flags));
    return exitCodeOf(diagnosis.report);
  } finally {
    await source.close();
  }
}

async function readTrace(
  source: ClusterSource,
  question: Question,
  flags: TraceFlags,
): Promise<Traced & { readonly trace: Trace }> {
  const dump = source.isLive ? undefined : await import('../../cli/dump-source.ts');
  const targetOf = (snapshot: Snapshot | undefined): TargetRef =>
    selectionOf(question, snapshot && dump ? dump.namespaceOf(snapshot, question) : source.namespace)
      .targets?.[0] as TargetRef;
  const seeds = source.isLive ? [existenceOf(targetOf(undefined))] : [];
  const traced = await source.answer((snapshot) => askTrace(snapshot, targetOf(snapshot), commandEnd(flags)), {
    seeds,
  });
  if (traced.trace !== undefined) return { ...traced, trace: traced.trace };
  // Near names are asked for only when they are wanted.
  throw (
    notFoundError(source.isLive ? await source.diagnose(question) : traced.diagnosis) ??
    new EnvironmentError('the object came or went while it was being read')
  );
}

/** The survey and the verdict beside it, from one snapshot; what either lacks is read before both are made again. */
export function askTrace(snapshot: Snapshot, target: TargetRef, end = ''): Traced {
  const diagnosis = diagnose(snapshot, { targets: [target] });
  const survey = traceTarget(snapshot, target);
  const needs = [
    ...new Map([...diagnosis.needs, ...survey.needs].map((need) => [scopeKey(need.kind, need.scope), need])).values(),
  ];
  const [item] = diagnosis.report.items;
  if (!item) return { trace: undefined, diagnosis, needs };
  const { chain, start, timeline, gaps, accounts, isWithoutEvents, unread } = survey;
  const trace: Trace = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Trace',
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    target: item.target,
    verdict: verdictOf(item, end),
    chain: markBroken(chain, item),
    ...(start && { start }),
    timeline,
    gaps,
    accounts,
    ...(isWithoutEvents && { isWithoutEvents }),
    unread: [
      ...new Map([...item.unread, ...unread].map((entry) => [`${entry.resource}/${entry.needed}`, entry])).values(),
    ],
  };
  return { trace, diagnosis, needs };
}

function verdictOf(item: ReportItem, end: string): TraceVerdict {
  const { target, status, phase, stage, cause, summary } = item;
  const since = item.stages.find(
    (row) => row.stage === stage && row.since !== undefined && row.state !== 'passed',
  )?.since;
  const confidence = item.findings.find(({ role }) => role === 'cause')?.confidence;
  const namespace = target.namespace === undefined ? '' : ` -n ${shellWord(target.namespace)}`;
  return {
    status,
    ...(phase !== undefined && { phase }),
    ...(stage !== undefined && { stage }),
    ...(parseTime(since) !== undefined && since !== undefined && { since }),
    ...(cause !== undefined && { cause }),
    ...(cause !== undefined && confidence !== undefined && { confidence }),
    summary,
    command: `kubectl csi why ${shortNameOf(target.kind)}/${shellWord(target.name)}${namespace}${end}`,
  };
}

/** Time alone makes spans and gaps longer: that is no change. */
function essenceOf({ verdict, chain, timeline }: Trace): string {
  return JSON.stringify([
    verdict.status,
    verdict.cause,
    chain.map(({ role, object, state }) => [role, object, state]),
    timeline.map(({ at, what }) => [at, what]),
  ]);
}

async function renderTrace(trace: Trace, flags: TraceFlags): Promise<string> {
  if (flags.output === 'text' || flags.output === 'wide') {
    const { renderTrace: render } = await import('./text.ts');
    return render(trace, {
      ...screenOf(flags.color as ColourChoice, process.env, process.stdout),
      wide: flags.output === 'wide',
    });
  }
  return renderDocument(trace, flags.output);
}
