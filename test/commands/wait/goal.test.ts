import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WaitLedger } from '../../../src/commands/wait/ledger.ts';
import { askWait } from '../../../src/commands/wait/answer.ts';
import { goalsByKind } from '../../../src/core/report/wait.ts';
import type { Goal, Prospect, WaitableKind, WaitState } from '../../../src/core/report/wait.ts';
import { lastingCauses, waitsForRoom, waitsForSomeone } from '../../../src/core/causes/lib/lasting-causes.ts';
import { loadScenario, loadScenarios } from '../../kit/scenario.ts';
import type { Scenario } from '../../kit/scenario.ts';

function judge({ snapshot, target }: Scenario, goal: Goal): WaitState {
  const kind = target.kind as WaitableKind;
  const { states } = askWait(snapshot, {
    subject: { type: 'named', targets: [{ kind, name: target.name, goal }] },
    namespace: target.namespace,
    isDone: () => false,
    uids: new Map(),
  });
  return states[0] as WaitState;
}

describe('the prospect of a target', () => {
  it.each<[string, Goal, Prospect]>([
    ['sc-missing', 'bound', 'lasting'],
    ['provision-internal', 'bound', 'blocked'],
    ['provisioner-not-running', 'bound', 'blocked'],
    ['in-progress--provisioning', 'bound', 'waiting'],
    ['wffc-no-consumer', 'bound', 'someone'],
    ['pvc-create-denied-quota', 'bound', 'lasting'],
    ['wffc-pod-unschedulable-other', 'bound', 'waiting'],
    ['pod-pvc-missing', 'mounted', 'blocked'],
    ['mount-secret-missing', 'mounted', 'blocked'],
    ['attach-rwo-held-by-running-pod', 'attached', 'blocked'],
    ['snap-class-missing', 'ready', 'lasting'],
    ['resize-controller-infeasible', 'resized', 'lasting'],
    ['resize-fs-pending-no-pod', 'resized', 'someone'],
    ['pvc-terminating-in-use', 'deleted', 'blocked'],
    ['pv-released-retain', 'deleted', 'someone'],
  ])('%s, to be %s: %s', (id, goal, prospect) => {
    expect(judge(loadScenario(id), goal)).toMatchObject({ prospect });
  });

  it('is not spoilt by trouble that lies behind the goal', () => {
    // The claim of this pod is bound; only the mount fails.
    const scenario = loadScenario('mount-secret-missing');
    const { states } = askWait(scenario.snapshot, {
      subject: { type: 'chosen', kind: 'PersistentVolumeClaim', goal: 'bound', labelSelector: undefined },
      namespace: 'shop',
      isDone: () => false,
      uids: new Map(),
    });
    expect(states.length).toBeGreaterThan(0);
    expect(states.map(({ prospect }) => prospect)).toEqual(states.map(() => 'reached'));
  });

  it('is never "reached" for a target whose scenario blocks the very stage', () => {
    const last: Readonly<Record<string, Goal>> = {
      claim: 'bound',
      provision: 'bound',
      bind: 'bound',
      attach: 'attached',
      mount: 'mounted',
      expand: 'resized',
      snapshot: 'ready',
      delete: 'deleted',
    };
    // A driver that crashes has its own volumes: other pods lack theirs.
    const ownPods = /^driver-daemonset-pod-unhealthy--own-pod/;
    const wrong = loadScenarios().flatMap((scenario) => {
      const { status, stage } = scenario.file.expect;
      const goal = last[stage ?? ''];
      const own: readonly Goal[] = goalsByKind[scenario.target.kind as WaitableKind] ?? [];
      // An attachment may be stuck because it is attached, and should not be.
      if (
        status !== 'blocked' ||
        goal === undefined ||
        !own.includes(goal) ||
        scenario.target.kind === 'VolumeAttachment' ||
        ownPods.test(scenario.id)
      )
        return [];
      return judge(scenario, goal).prospect === 'reached' ? [`${scenario.id} ${goal}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('is told apart by causes that exist', () => {
    const pages = readdirSync(new URL('../../../docs/causes', import.meta.url)).map((file) =>
      file.replace(/\.md$/, ''),
    );
    expect([...lastingCauses, ...waitsForRoom, ...waitsForSomeone].filter((cause) => !pages.includes(cause))).toEqual(
      [],
    );
  });
});

describe('the ledger of a wait', () => {
  const state = (prospect: Prospect, cause?: string): WaitState => ({
    wish: { target: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' }, goal: 'bound' },
    prospect,
    summary: '',
    ...(cause !== undefined && { cause }),
  });
  const ledger = (isStrict = false): WaitLedger => new WaitLedger({ graceMs: 30_000, isStrict });
  const unreachable = (book: WaitLedger, next: WaitState, nowMs: number): number =>
    book.note([next], nowMs).unreachable.length;

  it('gives up at once on what lasts', () => {
    expect(unreachable(ledger(), state('lasting', 'sc-missing'), 0)).toBe(1);
  });

  it('gives up on trouble that does not pass in time', () => {
    const book = ledger();
    expect([0, 29_999, 30_000].map((now) => unreachable(book, state('blocked', 'a'), now))).toEqual([0, 0, 1]);
  });

  it('begins anew when the trouble was over for a while, or is another', () => {
    const book = ledger();
    unreachable(book, state('blocked', 'a'), 0);
    unreachable(book, state('waiting'), 20_000);
    expect(unreachable(book, state('blocked', 'a'), 31_000)).toBe(0);
    expect(unreachable(book, state('blocked', 'b'), 62_000)).toBe(0);
  });

  it('lets a look that could not tell change nothing', () => {
    const book = ledger();
    unreachable(book, state('blocked', 'a'), 0);
    unreachable(book, state('unknown'), 10_000);
    expect(unreachable(book, state('blocked', 'a'), 30_000)).toBe(1);
  });

  it('takes what waits for somebody for trouble only when strict', () => {
    for (const prospect of ['someone', 'absent'] as const) {
      const [mild, strict] = [ledger(), ledger(true)];
      for (const book of [mild, strict]) unreachable(book, state(prospect), 0);
      expect([mild, strict].map((book) => unreachable(book, state(prospect), 40_000))).toEqual([0, 1]);
    }
  });
});
