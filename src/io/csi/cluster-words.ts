import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { ProbeFailure, ProbeItem, ProbeRoute, ProbeStage } from '../../core/report/probe-report.ts';
import type { Fix } from '../../core/report/report.ts';
import { guardFix } from '../../core/report/guard-fix.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import { verdictOf } from './failure-words.ts';
import type { Verdict } from './failure-words.ts';
import type { Problem } from './problem.ts';

/** The result of one way to a driver. */
export interface RouteResult {
  readonly route: ProbeRoute;
  /** Absent if the way led to no answer about the driver. */
  readonly told?: Verdict & Partial<ProbeItem>;
  /** What would open the way, or find out more. */
  readonly next?: readonly Fix[];
  /** Why there is no answer, if that is a failure with a name. */
  readonly failure?: ProbeFailure;
}

/** How to follow a failure up from outside the node. */
export function fixesInPod(place: DriverPlace, failure: ProbeFailure, local: readonly Fix[]): Fix[] {
  const { logs, previous, remove } = commandsFor(place);
  if (/^(socket-missing|socket-stale|closed-at-once|connection-dropped|no-connection)$/.test(failure))
    return [...(place.hasEnded ? [previous] : []), logs, remove];
  if (/^(backlog-full|handshake-hang|rpc-hang|stream-refused)$/.test(failure)) return [logs, remove];
  if (/^(not-ready|failed-precondition|driver-error|probe-unimplemented)$/.test(failure))
    return [...local.filter((fix) => fix.command === undefined && !/^read the log/.test(fix.text)), logs];
  return local.filter((fix) => fix.command === undefined);
}

function commandsFor({ namespace = 'default', pod = '', container }: DriverPlace): {
  readonly logs: Fix;
  readonly previous: Fix;
  readonly remove: Fix;
} {
  const which = `-n ${shellWord(namespace)} logs ${shellWord(pod)}${container === undefined ? '' : ` -c ${shellWord(container)}`}`;
  const fixes = {
    logs: { text: 'read the log of the driver', command: `kubectl ${which} --tail=50`, risk: 'safe' as const },
    previous: {
      text: 'read what it said before it ended',
      command: `kubectl ${which} --previous --tail=50`,
      risk: 'safe' as const,
    },
    remove: {
      text: 'let the pod start anew; mounts that run through its process (FUSE) break',
      command: `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(pod)}`,
      risk: 'disruptive' as const,
    },
  };
  return { logs: guardFix(fixes.logs), previous: guardFix(fixes.previous), remove: guardFix(fixes.remove) };
}

/** The verdict on a problem that was seen inside a pod. */
export function verdictInPod(problem: Problem, place: DriverPlace): Verdict {
  const verdict = verdictOf(problem, { type: 'unix', path: place.socket ?? place.hostSocket ?? '/' });
  return { ...verdict, fix: fixesInPod(place, problem.failure, verdict.fix) };
}

/** Failures that only occur on the way through a cluster. */
export function noConnection(place: DriverPlace, summary: string): Verdict {
  return {
    status: 'unreachable',
    failure: 'no-connection',
    stage: 'connect',
    summary,
    fix: fixesInPod(place, 'no-connection', []),
  };
}

const stages: Readonly<Partial<Record<ProbeFailure, ProbeStage>>> = {
  'container-not-running': 'connect',
  'not-registered': 'semantic',
};
export const stageOf = (failure: ProbeFailure): ProbeStage => stages[failure] ?? 'connect';
