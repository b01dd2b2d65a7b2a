import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { ProbeFailure, ProbeItem, ProbeRoute, ProbeStage } from '../../core/report/probe-report.ts';
import type { Fix } from '../../core/report/report.ts';
import { guardFix } from '../../core/report/guard-fix.ts';
import { asSentence } from '../../core/kube/sentence.ts';
import { ageText } from '../../core/kube/time.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import { verdictOf } from './failure-words.ts';
import type { Verdict } from './failure-words.ts';
import type { Problem } from './problem.ts';

/** The result of one way to a driver. */
export interface RouteResult {
  readonly route: ProbeRoute;
  /** Absent if the way led to no answer about the driver. */
  readonly told?: Verdict & Partial<ProbeItem>;
  /** What would open the way, or show more. */
  readonly next?: readonly Fix[];
  /** Why there is no answer, if that is a failure with a name. */
  readonly failure?: ProbeFailure;
}

/** How to follow a failure up from outside the node. */
function fixesInPod(place: DriverPlace, failure: ProbeFailure, local: readonly Fix[]): Fix[] {
  const { logs, previous, remove } = commandsFor(place);
  if (/^(socket-missing|socket-stale|closed-at-once|connection-dropped|no-connection)$/.test(failure))
    return [...(place.hasEnded ? [previous] : []), logs, remove];
  if (/^(backlog-full|handshake-hang|rpc-hang|stream-refused)$/.test(failure)) return [logs, remove];
  if (/^(not-ready|failed-precondition|driver-error|probe-unimplemented)$/.test(failure))
    return [...local.filter((fix) => fix.command === undefined && !/^Read the log/.test(fix.text)), logs];
  return local.filter((fix) => fix.command === undefined);
}

function commandsFor({ namespace = 'default', pod = '', container }: DriverPlace): {
  readonly logs: Fix;
  readonly previous: Fix;
  readonly remove: Fix;
} {
  const which = `-n ${shellWord(namespace)} logs ${shellWord(pod)}${container === undefined ? '' : ` -c ${shellWord(container)}`}`;
  const fixes = {
    logs: { text: 'Read the log of the driver.', command: `kubectl ${which} --tail=50`, risk: 'safe' as const },
    previous: {
      text: 'Read the log of the previous run.',
      command: `kubectl ${which} --previous --tail=50`,
      risk: 'safe' as const,
    },
    remove: {
      text: 'Delete the pod so that it restarts. FUSE mounts that its process serves break.',
      command: `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(pod)}`,
      risk: 'disruptive' as const,
    },
  };
  return { logs: guardFix(fixes.logs), previous: guardFix(fixes.previous), remove: guardFix(fixes.remove) };
}

/** The words for a driver that was queried through its pod. */
export function inPod(
  place: DriverPlace,
  { failure, fix }: Pick<ProbeItem, 'failure' | 'fix'>,
): Partial<Pick<ProbeItem, 'summary'>> & Pick<ProbeItem, 'fix'> {
  if (failure === undefined) return { fix: [] };
  return failure === 'not-ready' && isOverdue(place) ? neverReady(place) : { fix: fixesInPod(place, failure, fix) };
}

/** The verdict on a problem that was seen inside a pod. */
export function verdictInPod(problem: Problem, place: DriverPlace): Verdict {
  const verdict = verdictOf(problem, { type: 'unix', path: place.socket ?? place.hostSocket ?? '/' });
  if (problem.failure === 'not-ready' && isOverdue(place)) return { ...verdict, ...neverReady(place) };
  return { ...verdict, fix: fixesInPod(place, problem.failure, verdict.fix) };
}

/** Drivers finish their start within minutes: kubelets and sidecars call them from the beginning. */
const startUpMs = 10 * 60_000;

function isOverdue({ runningMs = 0 }: DriverPlace): boolean {
  return runningMs > startUpMs;
}

/** A driver that has been running for long without becoming ready does not become so by waiting. */
function neverReady(place: DriverPlace): Pick<Verdict, 'summary' | 'fix'> {
  const { logs, remove } = commandsFor(place);
  return {
    summary:
      `The driver has been running for ${ageText(0, place.runningMs ?? 0)} and is still not ready: ` +
      'it answers Probe with ready=false.',
    fix: [{ ...logs, text: 'Read the log of the driver: it shows what it is waiting for.' }, remove],
  };
}

/** Failures that only occur on the way through a cluster. */
export function noConnection(place: DriverPlace, summary: string): Verdict {
  return {
    status: 'unreachable',
    failure: 'no-connection',
    stage: 'connect',
    summary: asSentence(summary),
    fix: fixesInPod(place, 'no-connection', []),
  };
}

const stages: Readonly<Partial<Record<ProbeFailure, ProbeStage>>> = {
  'container-not-running': 'connect',
  'not-registered': 'semantic',
};
export const stageOf = (failure: ProbeFailure): ProbeStage => stages[failure] ?? 'connect';
