import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ContainerLog } from '../../src/core/kube/container-log.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import type { Confidence } from '../../src/core/report/report.ts';
import { ago, loadScenario, snapshotOf } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** A scenario of test/scenarios whose events have expired, and the logs that are left. */
interface LogScenarioFile {
  /** The scenario with the objects. */
  readonly from: string;
  readonly expect: {
    readonly cause: string;
    readonly confidence?: Confidence;
    /** Words that the cause's summary or evidence must hold. */
    readonly mentions?: readonly string[];
    /** The container whose line is quoted. */
    readonly container: string;
    readonly rpc?: string;
  };
  /** Changes to objects, such as a container that has restarted. */
  readonly restarted?: { readonly pod: string; readonly container: string };
  /** A sidecar that the shared cluster lacks. */
  readonly runs?: { readonly pod: string; readonly container: string };
  readonly logs: readonly {
    readonly pod: string;
    readonly container: string;
    readonly previous?: true;
    /** `12m {E}controller.go:974] text`: when it was written, and the line; see stampedLine. */
    readonly lines: readonly string[];
  }[];
}

export interface LogScenario {
  readonly id: string;
  readonly file: LogScenarioFile;
  readonly base: Scenario;
  /** With the logs, and without any event. */
  readonly snapshot: Snapshot;
}

const directory = join(import.meta.dirname, '../scenarios/logs');

export function loadLogScenarios(wanted = /(?:)/): LogScenario[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.replace(/\.yaml$/, ''))
    .filter((id) => wanted.test(id))
    .sort()
    .map(loadLogScenario);
}

function loadLogScenario(id: string): LogScenario {
  const file = parse(readFileSync(join(directory, `${id}.yaml`), 'utf8')) as LogScenarioFile;
  const base = loadScenario(file.from);
  const objects = base.snapshot.objects
    .filter(({ kind }) => kind !== 'Event')
    .map((object) => (object.metadata.name === file.runs?.pod ? withContainer(object, file.runs.container) : object))
    .map((object) =>
      object.metadata.name === file.restarted?.pod ? restart(object, file.restarted.container) : object,
    );
  const logs = file.logs.map((log): ContainerLog => {
    const { pod, container, previous, lines } = log;
    return {
      namespace: 'storage',
      pod,
      container,
      ...(previous === true && { previous }),
      state: 'complete',
      lines: lines.flatMap(stampedLine),
    };
  });
  return { id, file, base, snapshot: { ...snapshotOf(objects, base.file), logs } };
}

function withContainer<T extends object>(object: T, name: string): T {
  const { spec, status } = object as unknown as {
    spec: { containers: readonly object[] };
    status: { containerStatuses: readonly object[] };
  };
  const containers = [...spec.containers, { name, image: `example.org/${name}:v8.3.0`, args: ['--leader-election'] }];
  const running = { name, ready: true, restartCount: 0, state: { running: { startedAt: ago('30d') } } };
  return {
    ...object,
    spec: { ...spec, containers },
    status: { ...status, containerStatuses: [...status.containerStatuses, running] },
  };
}

function restart<T extends object>(object: T, container: string): T {
  const { status } = object as unknown as { status: { containerStatuses: readonly { readonly name: string }[] } };
  const containerStatuses = status.containerStatuses.map((each) =>
    each.name === container
      ? { ...each, restartCount: 1, lastState: { terminated: { exitCode: 2, finishedAt: ago('3m') } } }
      : each,
  );
  return { ...object, status: { ...status, containerStatuses } };
}

/** `{E}` is the header of klog, `{iso}` and `{epoch}` the time in JSON; the kubelet puts the time in front of each line. */
function stampedLine(written: string): string[] {
  const [, age = '', text = ''] = /^(\w+) ([^]*)$/.exec(written) ?? [];
  const at = ago(age);
  const klog = `${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 19)}.123456       1 `;
  return text
    .replaceAll(/\{([EIW])\}/g, (_, level: string) => `${level}${klog}`)
    .replaceAll('{iso}', at)
    .replaceAll('{epoch}', String(Date.parse(at) / 1000))
    .split('\n')
    .map((line) => `${at.replace('Z', '.123456789Z')} ${line}`);
}
