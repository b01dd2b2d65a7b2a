import type { DriverPlace, HealthListener } from '../../core/report/driver-endpoints.ts';
import { noConnection, verdictInPod } from './cluster-words.ts';
import type { RouteResult } from './cluster-words.ts';
import type { Verdict } from './failure-words.ts';
import { secondsText } from './deadline.ts';
import { remarkOnPatience } from './identity.ts';
import type { Problem } from './problem.ts';
import { rightsOf, rightText } from './ways.ts';
import type { NoWay, PodAnswer, PodName } from './pod-conversation.ts';
import type { Right, Ways } from './ways.ts';

/**
 * The livenessprobe listens only after the driver has reported its name; for so long after its start a closed port
 * means nothing.
 */
const settledMs = 15_000;
const healthPath = '/healthz';

/** Asks the livenessprobe next to the driver, through the API server's proxy or else through a port-forward. */
export async function askHealth(place: DriverPlace, pod: PodName, ways: Ways, timeoutMs: number): Promise<RouteResult> {
  const { health, callers } = place;
  // It answers only when its own timeout for the driver is over.
  const limit = Math.max(
    timeoutMs,
    ...callers.filter(({ caller }) => caller === 'the livenessprobe').map(({ milliseconds }) => milliseconds + 2000),
  );
  if (health === undefined) return impossible('the pod has no livenessprobe container');
  if (!health.isRunning) return impossible(`the livenessprobe container ${health.container} is not running`);
  const tried: { readonly way: string; readonly end: NoWay }[] = [];
  const lacking: Right[] = [];
  for (const way of health.isLocal ? (['forward'] as const) : (['proxy', 'forward'] as const)) {
    const right = await ways.lacks(rightsOf[way], pod.namespace);
    if (right !== undefined) {
      lacking.push(right);
      continue;
    }
    const answer =
      way === 'proxy'
        ? await ways.proxyGet(pod, health.port, healthPath, limit)
        : await ways.forwardGet(pod, health.port, healthPath, limit);
    if (answer.type === 'answer')
      return answered(
        place,
        answer,
        `port ${health.port} ${way === 'proxy' ? 'through the API server' : 'by port-forward'}`,
      );
    if (answer.reason === 'forbidden') lacking.push(rightsOf[way][0]);
    else tried.push({ way: way === 'proxy' ? 'through the API server' : 'by port-forward', end: answer });
  }
  return withoutAnswer(place, health, pod, tried, lacking);
}

const impossible = (note: string): RouteResult => ({ route: { via: 'healthz', outcome: 'impossible', note } });

function withoutAnswer(
  place: DriverPlace,
  health: HealthListener,
  { namespace }: PodName,
  tried: readonly { readonly way: string; readonly end: NoWay }[],
  lacking: readonly Right[],
): RouteResult {
  const closed = tried.find(({ end }) => end.reason === 'closed');
  if (closed !== undefined) {
    const note = `nothing listens on port ${health.port}`;
    // A listener on the pod's loopback address is closed to the API server only, so the port-forward decides.
    if (
      health.runningMs === undefined ||
      health.runningMs < settledMs ||
      (closed.way !== 'by port-forward' && lacking.length > 0)
    )
      return { route: { via: 'healthz', outcome: 'failed', note } };
    const summary =
      `the livenessprobe (container ${health.container}) runs but does not listen on port ${health.port}: ` +
      'it is waiting for the driver, which has never answered';
    return { route: { via: 'healthz', outcome: 'answered', note }, told: noConnection(place, summary) };
  }
  const [first] = tried;
  if (first !== undefined)
    return {
      route: {
        via: 'healthz',
        outcome: 'failed',
        note: tried.map(({ way, end }) => `${way}: ${end.message}`).join('; '),
      },
    };
  const rights = lacking.map((right) => rightText(right, namespace));
  return {
    route: { via: 'healthz', outcome: 'forbidden', note: `you may not ${rights.join(', nor ')}` },
    next: [
      {
        text: `Request the right to ${rights[0] ?? 'do so'}. The health of the driver can then be read.`,
        risk: 'safe',
      },
    ],
  };
}

function answered(place: DriverPlace, answer: PodAnswer, way: string): RouteResult {
  const told = judgeHealth(place, answer);
  if (told === undefined)
    return {
      route: {
        via: 'healthz',
        outcome: 'failed',
        note: `${way}: the program that answers is not a livenessprobe (status ${answer.status})`,
      },
    };
  const latencyMs = Math.round(answer.milliseconds * 10) / 10;
  return {
    route: {
      via: 'healthz',
      outcome: 'answered',
      note: `${way}: ${answer.body.trim().split('\n', 1)[0]?.slice(0, 200) || `status ${answer.status}`}`,
    },
    told: { ...told, latencyMs, notes: told.status === 'ready' ? remarkOnPatience(latencyMs, place.callers) : [] },
  };
}

/** The texts of livenessprobe v2.19 (and before): nothing else distinguishes its answers. */
function judgeHealth(place: DriverPlace, { status, body, milliseconds }: PodAnswer): Verdict | undefined {
  const words = body.trim();
  if (status === 200)
    return {
      status: 'ready',
      summary: `the driver is ready: its livenessprobe answered in ${secondsText(milliseconds)}`,
      fix: [],
    };
  if (status !== 500 && status !== 503) return undefined;
  if (/responded but is not ready/.test(words)) return verdictInPod({ failure: 'not-ready' }, place);
  const failed = /^rpc error: code = (\w+) desc = (.*)$/s.exec(words);
  if (failed !== null) return verdictInPod(problemOf(failed[1] ?? '', failed[2] ?? ''), place);
  if (/context deadline exceeded/.test(words))
    return noConnection(
      place,
      'the livenessprobe of the driver cannot connect to its socket: the socket is missing, a leftover, or the driver hangs',
    );
  return verdictInPod({ failure: 'driver-error', message: words.slice(0, 300) }, place);
}

function problemOf(code: string, message: string): Problem {
  const name = code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  if (name === 'FAILED_PRECONDITION') return { failure: 'failed-precondition', code: name, message };
  if (name === 'UNIMPLEMENTED') return { failure: 'probe-unimplemented', code: name };
  if (name === 'DEADLINE_EXCEEDED') return { failure: 'rpc-hang', code: name, method: 'Probe' };
  if (name === 'UNAVAILABLE' && /connection error|transport|EOF|error reading/.test(message))
    return { failure: 'connection-dropped', method: 'Probe', detail: message };
  return { failure: 'driver-error', code: name, method: 'Probe', message };
}
