import type { Kind } from '../../core/kube/kinds.ts';
import type { Report } from '../../core/report/report.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { WaitableKind, WaitReport, WaitState } from '../../core/report/wait.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { renderEnding, renderReached } from './text.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource, Watched } from '../../cli/open-source.ts';
import { complain, print, screenOf } from '../../terminal/output.ts';
import { renderReport } from '../../cli/render.ts';
import { itemOfState } from './ledger.ts';
import type { WaitLedger } from './ledger.ts';
import { waitUntilSettled } from './loop.ts';
import type { WaitEnding } from './loop.ts';
import { planWait } from './plan.ts';
import type { WaitFlags, WaitPlan } from './plan.ts';
import { askWait, seedsOf } from './answer.ts';
import type { WaitQuestion } from './answer.ts';
import { WaitTeller } from './teller.ts';

/** `wait` from its words and flags to its exit code. */
export async function runWait(words: readonly string[], flags: WaitFlags): Promise<ExitCode> {
  const plan = await planWait(words, flags);
  const source = await openSource(flags);
  const teller = new WaitTeller(
    { withNamespace: flags['all-namespaces'], graceMs: plan.graceMs },
    screenOf('never', process.env, process.stderr).ascii,
  );
  const isStreamed = flags.output === 'text' || flags.output === 'name';
  const { subject } = plan;
  let nearTold = false;
  try {
    const look = await lookerOf(source, plan, flags);
    const ending = await waitUntilSettled(plan, {
      look,
      ...(source.isLive && {
        watch: (ring, signal) => source.watch(watchedOf(plan, namespaceOf(source, flags)), ring, signal),
      }),
      async onReached(states) {
        if (states.length === 0 || !isStreamed) return;
        teller.rest();
        await print(states.map((state) => renderReached(state, flags.output === 'text')).join(''));
      },
      async onPending(pending, ledger, answer) {
        if (answer.unlisted !== undefined) return teller.say(answer.unlisted.message);
        if (pending.length === 0 && subject.type === 'chosen')
          return teller.say(
            `there is no ${nounOf(subject)}${whereOf(source, flags, subject.kind)} yet: waits for one to appear`,
          );
        await teller.show(pending, ledger.reached.length, answer.takenAt);
        if (!nearTold && pending.some(({ prospect }) => prospect === 'absent')) {
          nearTold = true;
          await tellNear(source, pending, flags, teller);
        }
      },
      onSilence: (message) => teller.say(`${message}; asks again until the time is over`),
    });
    teller.rest();
    return ending === undefined ? (interruptedExitCode() ?? exitCodes.interrupted) : await conclude(ending, flags);
  } finally {
    teller.rest();
    await source.close();
  }
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
): Promise<(ledger: WaitLedger) => Promise<ReturnType<typeof askWait>>> {
  const dump = source.isLive ? undefined : await import('../../cli/dump-source.ts');
  // A dump has no namespace of its own: a name is searched for in all of it.
  const placeOf = (snapshot: Snapshot): string | undefined => {
    const place = namespaceOf(source, flags);
    return place === undefined && dump && subject.type === 'named'
      ? dump.namespaceOf(snapshot, {
          targets: subject.targets,
          namespace: undefined,
          everywhere: false,
          selector: undefined,
          breadth: 'everything',
        })
      : place;
  };
  return (ledger) => {
    const question: WaitQuestion = {
      subject,
      namespace: namespaceOf(source, flags),
      isDone: ledger.isReached,
      uids: ledger.uids,
    };
    return source.answer((snapshot) => askWait(snapshot, { ...question, namespace: placeOf(snapshot) }), {
      seeds: seedsOf(question).filter(({ kind, scope }) => !ledger.isReached({ kind, ...scope } as TargetRef)),
    });
  };
}

/** What tells at once that something has changed; all else is looked at now and then. */
const watchedKinds: Readonly<Partial<Record<WaitableKind, readonly Kind[]>>> = {
  PersistentVolumeClaim: ['PersistentVolumeClaim', 'Pod'],
  Pod: ['Pod', 'PersistentVolumeClaim'],
};

function watchedOf({ subject }: WaitPlan, namespace: string | undefined): Watched {
  const targets = subject.type === 'named' ? subject.targets : [subject];
  const kinds = new Set<Kind>(
    targets.flatMap(({ kind, goal }) => [
      ...(watchedKinds[kind] ?? [kind]),
      ...(goal === 'attached' ? (['VolumeAttachment'] as const) : []),
    ]),
  );
  // Of what has no namespace there may be thousands: one that is named is watched alone.
  const alone = [...kinds].flatMap((kind) => {
    const named = subject.type === 'named' ? subject.targets.filter((target) => target.kind === kind) : [];
    const [only] = named;
    return only !== undefined && named.length === 1 && watchedKinds[only.kind] === undefined
      ? [[kind, only.name] as const]
      : [];
  });
  return { kinds: [...kinds], namespace, names: Object.fromEntries(alone) };
}

/** A name that nothing has may be a slip of the pen, and five minutes are a long time to find out. */
async function tellNear(
  source: ClusterSource,
  pending: readonly WaitState[],
  flags: WaitFlags,
  teller: WaitTeller,
): Promise<void> {
  const targets = pending
    .filter(({ prospect }) => prospect === 'absent')
    .map(({ wish: { target } }) => ({ kind: target.kind, name: target.name }));
  const diagnosis = await source
    .diagnose({ targets, namespace: flags.namespace, everywhere: false, selector: undefined, breadth: 'everything' })
    .catch(() => undefined);
  for (const { target, near } of diagnosis?.notFound ?? [])
    if (near.length > 0)
      await teller.note(
        `is ${shortNameOf(target.kind)}/${near.join(' or ')} meant by ${shortNameOf(target.kind)}/${target.name}?`,
      );
}

async function conclude(ending: WaitEnding, flags: WaitFlags): Promise<ExitCode> {
  const report = reportOf(ending);
  const { result } = report;
  if (flags.output === 'json' || flags.output === 'yaml') {
    const { renderJson, renderYaml } = await import('../../terminal/structured.ts');
    await print(flags.output === 'yaml' ? await renderYaml(report) : renderJson(report));
  } else if (flags.output === 'text' && result !== 'reached') {
    const explanation = explanationOf(ending);
    // Of what does not exist, and nobody expects, there is nothing to explain.
    if (explanation.items.length > 0)
      await print(await renderReport(explanation, { output: 'text', color: flags.color, named: true }));
  }
  if (result !== 'reached') {
    const {
      answer: { unlisted },
      isOnce,
      silence,
    } = ending;
    await complain(
      `error: ${unlisted ? sanitise(unlisted.message) : renderEnding(report, { withNamespace: flags['all-namespaces'], isOnce, silence })}`,
    );
  }
  return {
    reached: exitCodes.ok,
    unreachable: exitCodes.blocked,
    timeout: exitCodes.blocked,
    inconclusive: exitCodes.inconclusive,
  }[result];
}

function reportOf({ result, reached, pending, unreachable, answer, waitedMs }: WaitEnding): WaitReport {
  const items = [...reached, ...pending].map((state) => itemOfState(state, unreachable.includes(state)));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'WaitReport',
    takenAt: answer.takenAt,
    source: answer.source,
    result,
    waitedSeconds: Math.round(waitedMs / 1000),
    items,
    summary: { reached: reached.length, unreached: pending.length },
  };
}

/** The same text as `why` gives: of what will not come, or of all that has not come in time. */
function explanationOf({ unreachable, pending, answer }: WaitEnding): Report {
  const states = unreachable.length > 0 ? unreachable : pending;
  return answer.explain(states.map(({ wish }) => wish.target));
}
