import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { commandsOf } from '../src/core/report/fix-commands.ts';
import type { Fix, ReportItem } from '../src/core/report/report.ts';
import type { Snapshot } from '../src/core/kube/snapshot.ts';
import { damage, generator, isPendingClaim } from './kit/damage.ts';
import { noiseObjects } from './kit/noise.ts';
import { loadScenarios, snapshotOf } from './kit/scenario.ts';
import type { ExpectedFix, Scenario } from './kit/scenario.ts';

const scenarios = loadScenarios(new RegExp(process.env['SCENARIO'] ?? ''));

describe.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('scenario %s', (_id, scenario) => {
  const { file, target, snapshot } = scenario;
  const expectedCause = file.expect.cause === undefined ? scenario.cause : file.expect.cause;

  it('names its own cause', () => {
    const item = judge(scenario, snapshot);
    expect({ status: item.status, cause: causeOf(scenario, item) }).toEqual({
      status: file.expect.status,
      cause: expectedCause,
    });
    if (file.expect.stage) expect(item.stage).toBe(file.expect.stage);
    const finding = item.findings.find(({ cause }) => cause === expectedCause);
    if (expectedCause !== null) expect(finding?.evidence.length ?? 0).toBeGreaterThan(0);
    const said = JSON.stringify([finding?.summary, finding?.evidence]);
    for (const word of file.expect.mentions ?? []) expect(said).toContain(word);
    for (const wrong of file.expect.not ?? []) expect(item.findings.map(({ cause }) => cause)).not.toContain(wrong);
    expectFixes(finding?.fix ?? [], file.expect.fix ?? []);
  });

  it('holds without events', () => {
    const silent: Snapshot = { ...snapshot, objects: snapshot.objects.filter(({ kind }) => kind !== 'Event') };
    const item = judge(scenario, silent);
    if (file.eventsOnly) {
      if (file.expect.status === 'blocked') expect(item.status).not.toBe('healthy');
    } else
      expect({ status: item.status, cause: causeOf(scenario, item) }).toEqual({
        status: file.expect.status,
        cause: expectedCause,
      });
  });

  it('is never called healthy by one who may not look', () => {
    if (file.expect.status !== 'blocked') return;
    const kinds = new Set(snapshot.objects.map(({ kind }) => kind));
    for (const kind of kinds) {
      if (file.denied?.includes(kind)) continue;
      const blind = snapshotOf(snapshot.objects, {
        denied: [...(file.denied ?? []), kind],
        ...(file.unread && { unread: file.unread }),
        ...(file.unserved && { unserved: file.unserved }),
        ...(file.serverVersion && { serverVersion: file.serverVersion }),
        ...(file.usage && { usage: file.usage }),
      });
      const { report, notFound } = diagnose(blind, { targets: [target] });
      expect({ kind, notFound }).toEqual({ kind, notFound: [] });
      expect({ kind, status: report.items[0]?.status }).not.toEqual({ kind, status: 'healthy' });
      expect({ kind, status: report.items[0]?.status }).not.toEqual({ kind, status: 'waiting' });
    }
  });

  it('does not depend on the order of the objects', () => {
    const { report } = diagnose(snapshot, { targets: [target] });
    for (const seed of [1, 2]) {
      const { report: again } = diagnose(
        { ...snapshot, objects: shuffle(snapshot.objects, seed) },
        { targets: [target] },
      );
      // The comparison of expect, which tells what differs, takes longer than the diagnosis.
      if (!isDeepStrictEqual(again, report)) expect(again).toEqual(report);
    }
  });

  it('is the same beside a healthy neighbour, who is not blamed', () => {
    const noisy: Snapshot = { ...snapshot, objects: [...snapshot.objects, ...noiseObjects()] };
    const item = judge(scenario, noisy);
    expect({ status: item.status, cause: causeOf(scenario, item) }).toEqual({
      status: file.expect.status,
      cause: expectedCause,
    });
    const everything = diagnose(noisy, {}).report.items.filter(
      ({ target: { namespace } }) => namespace === 'neighbour',
    );
    expect(everything).toEqual([]);
  });

  it('never throws on damaged objects, nor calls a pending claim healthy', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const damaged = damage(snapshot, seed);
        const { report } = diagnose(damaged, { targets: [target] });
        if (isPendingClaim(damaged, target) && report.items[0]) expect(report.items[0].status).not.toBe('healthy');
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 8), seed: 7 },
    );
  });
});

function expectFixes(fixes: readonly Fix[], expected: readonly ExpectedFix[]): void {
  for (const [index, { text = '', commands = [], risk }] of expected.entries()) {
    const fix = fixes[index];
    expect(fix && { commands: commandsOf(fix), risk: fix.risk }, `fix ${index + 1}`).toEqual({ commands, risk });
    expect(fix?.text).toContain(text);
  }
}

function judge(scenario: Scenario, snapshot: Snapshot): ReportItem {
  const { report } = diagnose(snapshot, { targets: [scenario.target] });
  const [item] = report.items;
  if (!item) throw new Error(`no item for ${scenario.file.target}`);
  return item;
}

/** For a scenario about advice the finding need only be there; otherwise it must be the cause. */
function causeOf(scenario: Scenario, item: ReportItem): string | null {
  if (scenario.file.expect.role === 'advice')
    return item.findings.find(({ cause, role }) => cause === scenario.cause && role === 'advice')?.cause ?? null;
  return item.cause ?? null;
}

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const random = generator(seed);
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
