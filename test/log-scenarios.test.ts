import { describe, expect, it } from 'vitest';
import { rulesOfStage } from '../src/core/causes/index.ts';
import { diagnose } from '../src/core/engine/diagnose.ts';
import type { Diagnosis } from '../src/core/engine/diagnose.ts';
import { logConsultant } from '../src/core/engine/logs/consult-logs.ts';
import type { ContainerLog } from '../src/core/kube/container-log.ts';
import type { Snapshot } from '../src/core/kube/snapshot.ts';
import type { Confidence, ReportItem } from '../src/core/report/report.ts';
import { loadLogScenarios } from './kit/log-scenario.ts';
import type { LogScenario } from './kit/log-scenario.ts';

const scenarios = loadLogScenarios(new RegExp(process.env['SCENARIO'] ?? ''));
const ownLines = new Set(['Registration', 'leader election']);
const surer: Readonly<Record<Confidence, number>> = { possible: 0, likely: 1, certain: 2 };

describe.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('log scenario %s', (_id, scenario) => {
  const { file, snapshot } = scenario;
  const { cause, confidence, mentions = [], container, rpc } = file.expect;

  it('is left open, or less sure, without the logs', () => {
    const item = judge(scenario, without(snapshot), false);
    expect(item.status).not.toBe('healthy');
    const sameCause = item.cause === cause && surer[confidenceOf(item)] >= surer[confidence ?? 'certain'];
    expect(sameCause, `${item.cause} (${confidenceOf(item)}) needs no log`).toBe(false);
  });

  it('is explained by one line, which is quoted', () => {
    const item = judge(scenario, snapshot, true);
    expect({ status: item.status, cause: item.cause }).toEqual({ status: 'blocked', cause });
    const finding = item.findings.find(({ role }) => role === 'cause');
    const quoted = finding?.evidence.find(({ path }) => path?.startsWith('log['));
    expect(quoted).toMatchObject({ object: { kind: 'Pod', namespace: 'storage' }, at: expect.stringMatching(/Z$/) });
    expect(quoted?.path).toContain(`log[${container}]`);
    const said = JSON.stringify([finding?.summary, finding?.evidence]);
    for (const word of mentions) expect(said).toContain(word);
    expect(item.logs?.effect).not.toBe('none');
    expect(item.logs?.firstError?.container).toBe(container);
    if (rpc !== undefined) expect(item.logs?.firstError?.rpc).toBe(rpc);
    if (confidence !== undefined) expect(finding?.confidence).toBe(confidence);
  });

  it('is never healthy when the logs are refused, and says so', () => {
    const denied = (log: ContainerLog): ContainerLog => ({ ...log, state: 'denied', message: 'forbidden', lines: [] });
    const item = judge(scenario, { ...snapshot, logs: (snapshot.logs ?? []).map(denied) }, true);
    // Each scenario has its own status without logs: what objects and events alone show.
    expect(['blocked', 'unknown', 'waiting']).toContain(item.status);
    expect(item.unread.filter(({ resource }) => resource === 'pods/log').map(({ reason }) => reason)).toContain(
      'forbidden',
    );
  });

  it('asks for every log that it then uses', () => {
    const { logNeeds } = ask(scenario, without(snapshot), true);
    const asked = logNeeds.map(
      ({ namespace, pod, container: name, previous }) => `${namespace}/${pod}/${name} ${previous}`,
    );
    for (const log of snapshot.logs ?? [])
      expect(asked).toContain(`${log.namespace}/${log.pod}/${log.container} ${log.previous}`);
  });

  // These lines are about the component itself: they name no object.
  it.skipIf(rpc !== undefined && ownLines.has(rpc))('is not explained by the lines of another object', () => {
    const ofOthers = (log: ContainerLog): ContainerLog => ({ ...log, lines: log.lines.map(aboutAnother) });
    const item = judge(scenario, { ...snapshot, logs: (snapshot.logs ?? []).map(ofOthers) }, true);
    expect(item.findings.flatMap(({ evidence }) => evidence).filter(({ path }) => path?.startsWith('log['))).toEqual(
      [],
    );
    expect(item.logs?.firstError).toBeUndefined();
  });

  it('is not explained by lines from before the stage opened', () => {
    const ancient = (line: string): string => line.replace(/^\d{4}-\d\d-\d\dT\S+/, '2026-01-01T00:00:00Z');
    const logs = (snapshot.logs ?? []).map((log) => ({ ...log, lines: log.lines.map(ancient) }));
    const item = judge(scenario, { ...snapshot, logs }, true);
    const since = item.stages.find(({ stage }) => stage === item.stage)?.since;
    if (since !== undefined) expect(item.logs?.firstError).toBeUndefined();
  });
});

/** The same lines about objects whose names begin as those of the target do. */
function aboutAnother(line: string): string {
  return line
    .replaceAll(
      /([0-9a-f]{8}-[0-9a-f]{4}-4\d{3}-8\d{3}-[0-9a-f]{12}|uid-[\w-]+|vol-\w+|snapcontent-[\w-]+|csi-[0-9a-f]{64}|snap-1)/g,
      '$1-b',
    )
    .replaceAll(/"(pvc-old|shop\/data|shop\/healthy)"/g, '"$1-b"')
    .replaceAll('Name:"data"', 'Name:"data-b"');
}

function without({ logs: _, ...rest }: Snapshot): Snapshot {
  return rest;
}

function ask({ base }: LogScenario, snapshot: Snapshot, isConsulted: boolean): Diagnosis {
  const consult = isConsulted ? logConsultant({ mode: 'auto', isAsked: true }) : undefined;
  return diagnose(snapshot, { targets: [base.target] }, rulesOfStage, consult);
}

function judge(scenario: LogScenario, snapshot: Snapshot, isConsulted: boolean): ReportItem {
  const [item] = ask(scenario, snapshot, isConsulted).report.items;
  if (!item) throw new Error(`no item for ${scenario.base.file.target}`);
  return item;
}

function confidenceOf(item: ReportItem): Confidence {
  return item.cause === 'blocked-unexplained'
    ? 'possible'
    : (item.findings.find(({ role }) => role === 'cause')?.confidence ?? 'possible');
}
