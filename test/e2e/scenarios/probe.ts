import type { PoddedDriver } from '../storage/podded-driver.ts';

/** One way to ask a driver in a pod, in one state of it, and what the program must say. */
export interface ProbeScenario {
  readonly name: string;
  /** open: its health endpoint is reached by the API server. shy: by port-forward only. */
  readonly driver: 'open' | 'shy';
  readonly state: 'works' | 'dead' | 'frozen';
  /** Which way is taken; the socket is that of this machine, which is the node. */
  readonly way: 'socket' | 'healthz' | 'exec' | 'pod';
  readonly user?: 'admin' | 'viewer';
  readonly expected: {
    readonly exitCode: number;
    readonly via: string;
    readonly status: string;
    readonly failure?: string;
  };
}

const ready = (via: string): ProbeScenario['expected'] => ({ exitCode: 0, via, status: 'ready' });
const unreachable = (via: string, failure: string): ProbeScenario['expected'] => ({
  exitCode: 1,
  via,
  status: 'unreachable',
  failure,
});

/** Every way in every state. Only through the livenessprobe a dead driver and a frozen one look the same. */
export const probeScenarios: readonly ProbeScenario[] = [
  { name: 'probe-socket', driver: 'open', state: 'works', way: 'socket', expected: ready('socket') },
  { name: 'probe-healthz', driver: 'open', state: 'works', way: 'healthz', expected: ready('healthz') },
  { name: 'probe-port-forward', driver: 'shy', state: 'works', way: 'healthz', expected: ready('healthz') },
  { name: 'probe-exec', driver: 'open', state: 'works', way: 'exec', expected: ready('exec') },
  { name: 'probe-pod', driver: 'open', state: 'works', way: 'pod', expected: ready('pod') },
  {
    name: 'probe-exec-forbidden',
    driver: 'open',
    state: 'works',
    way: 'exec',
    user: 'viewer',
    expected: { exitCode: 3, via: 'objects', status: 'unknown', failure: 'exec-forbidden' },
  },
  {
    name: 'probe-socket-dead',
    driver: 'open',
    state: 'dead',
    way: 'socket',
    expected: unreachable('socket', 'socket-stale'),
  },
  {
    name: 'probe-healthz-dead',
    driver: 'open',
    state: 'dead',
    way: 'healthz',
    expected: unreachable('healthz', 'no-connection'),
  },
  {
    name: 'probe-port-forward-dead',
    driver: 'shy',
    state: 'dead',
    way: 'healthz',
    expected: unreachable('healthz', 'no-connection'),
  },
  {
    name: 'probe-exec-dead',
    driver: 'open',
    state: 'dead',
    way: 'exec',
    expected: unreachable('exec', 'socket-stale'),
  },
  { name: 'probe-pod-dead', driver: 'open', state: 'dead', way: 'pod', expected: unreachable('pod', 'socket-stale') },
  {
    name: 'probe-socket-frozen',
    driver: 'open',
    state: 'frozen',
    way: 'socket',
    expected: unreachable('socket', 'handshake-hang'),
  },
  {
    name: 'probe-healthz-frozen',
    driver: 'open',
    state: 'frozen',
    way: 'healthz',
    expected: unreachable('healthz', 'no-connection'),
  },
  {
    name: 'probe-exec-frozen',
    driver: 'open',
    state: 'frozen',
    way: 'exec',
    expected: unreachable('exec', 'handshake-hang'),
  },
  {
    name: 'probe-pod-frozen',
    driver: 'open',
    state: 'frozen',
    way: 'pod',
    expected: unreachable('pod', 'handshake-hang'),
  },
];

/** Brings the driver into its state. */
export async function bring(driver: PoddedDriver, state: ProbeScenario['state']): Promise<void> {
  if (state === 'dead') driver.kill();
  else if (state === 'frozen') driver.suspend();
}

export async function restore(driver: PoddedDriver, state: ProbeScenario['state']): Promise<void> {
  if (state === 'dead') await driver.revive();
  else if (state === 'frozen') driver.resume();
}
