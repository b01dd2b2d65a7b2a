import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { mergeObjects } from '../../src/core/kube/merge-objects.ts';
import { resourceNamed, resources } from '../../src/core/kube/resources.ts';
import type { Risk, Stage, Status } from '../../src/core/report/report.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { Observation, RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import type { UsageSurvey } from '../../src/core/kube/volume-usage.ts';

/** The clock of every scenario. */
export const scenarioNow = '2026-03-01T12:00:00Z';

/** A fix as a scenario expects it. */
export interface ExpectedFix {
  /** A telling part of the text. */
  readonly text?: string;
  /** Every command, exactly; none where the fix has none. */
  readonly commands?: readonly string[];
  readonly risk: Risk;
}

/** What a scenario file holds beside its objects. */
interface ScenarioFile {
  /** TYPE/NAME, in namespace shop unless `namespace` says otherwise. */
  readonly target: string;
  readonly namespace?: string;
  readonly expect: {
    /** Defaults to the file's name up to `--`. */
    readonly cause?: string | null;
    readonly status: Status;
    readonly stage?: Stage;
    /** Words that the cause's summary or evidence must hold. */
    readonly mentions?: readonly string[];
    /** Causes that may stand nowhere among the findings. */
    readonly not?: readonly string[];
    /** The first fixes of the cause, in order. */
    readonly fix?: readonly ExpectedFix[];
    /** `advice`: the cause is a warning on a target that is otherwise as `status` says. */
    readonly role?: 'cause' | 'advice';
  };
  /** Only an event tells this cause from others: without events the target must still not be healthy. */
  readonly eventsOnly?: boolean;
  readonly serverVersion?: string;
  /** Objects of the shared healthy cluster to leave out: Kind/name or Kind/namespace/name. */
  readonly without?: readonly string[];
  /** New objects, or changes (JSON merge patch) to those of the shared healthy cluster with the same kind, namespace and name. */
  readonly objects?: readonly Loose[];
  /** Kinds of which nothing could be read. */
  readonly denied?: readonly string[];
  /** Kinds that the dump does not hold. */
  readonly unread?: readonly string[];
  /** Kinds that the server does not know. */
  readonly unserved?: readonly string[];
  /** How full volumes were measured to be. */
  readonly usage?: UsageSurvey;
}

export interface Scenario {
  readonly id: string;
  readonly cause: string;
  readonly file: ScenarioFile;
  readonly target: TargetRef;
  readonly snapshot: Snapshot;
}

interface Loose {
  kind: string;
  metadata: { name: string; namespace?: string; uid?: string; [field: string]: unknown };
  [field: string]: unknown;
}

const directory = join(import.meta.dirname, '../scenarios');

export function loadScenarios(wanted = /(?:)/): Scenario[] {
  const all = readdirSync(directory)
    .filter((file) => file.endsWith('.yaml') && file !== 'base.yaml')
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort();
  const ids = all.filter((id) => wanted.test(id));
  const shelf = process.env['KUBECTL_CSI_TEST_SCENARIOS'];
  if (shelf === undefined || ids.length < 100) return ids.map(loadScenario);
  kept ??= readShared(join(shelf, 'all.json'), all);
  // A snapshot of its own for each who asks: what is computed from one is kept as long as it.
  return kept.filter(({ id }) => wanted.test(id)).map((one) => ({ ...one, snapshot: { ...one.snapshot } }));
}

/** For the next test file of this process. */
let kept: readonly Scenario[] | undefined;

/** Parsing a thousand files of YAML takes seconds: the first test file of a run does it for all, and others wait for it. */
function readShared(path: string, ids: readonly string[]): readonly Scenario[] {
  if (!isFirst(`${path}.begun`)) waitFor(path);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Scenario[];
  const loaded = ids.map(loadScenario);
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(loaded));
  renameSync(`${path}.${process.pid}`, path);
  return loaded;
}

function isFirst(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Long enough for a busy machine; whoever waited in vain does the work itself. */
function waitFor(path: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + 240_000; !existsSync(path) && Date.now() < end;) Atomics.wait(pause, 0, 0, 50);
}

export function loadScenario(id: string): Scenario {
  const file = parse(readFileSync(join(directory, `${id}.yaml`), 'utf8')) as ScenarioFile;
  const [type = '', name = ''] = file.target.split('/');
  const resource = resourceNamed(type);
  if (!resource) throw new Error(`scenario ${id}: unknown type in target ${file.target}`);
  const namespace = file.namespace ?? 'shop';
  const target: TargetRef = { kind: resource.kind, ...(resource.namespaced && { namespace }), name };
  const cause = id.split('--')[0] ?? id;
  return { id, cause, file, target, snapshot: snapshotOf(buildObjects(file), file) };
}

/** The healthy cluster that every scenario starts from. */
export function baseObjects(): RawObject[] {
  return buildObjects({ target: '', expect: { status: 'healthy' } });
}

export function snapshotOf(
  objects: readonly RawObject[],
  options: {
    readonly denied?: readonly string[];
    readonly unread?: readonly string[];
    readonly unserved?: readonly string[];
    readonly serverVersion?: string;
    readonly usage?: UsageSurvey;
  } = {},
): Snapshot {
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: scenarioNow,
    source: { type: 'files', name: 'scenario' },
    serverVersion: options.serverVersion ?? 'v1.34.0',
    ...(options.usage && { usage: options.usage }),
    objects: objects.filter(({ kind }) => !options.denied?.includes(kind) && !options.unread?.includes(kind)),
    observations: resources.map(({ kind }): Observation => {
      if (options.denied?.includes(kind)) return { kind, scope: {}, state: 'denied', message: `${kind} is forbidden` };
      if (options.unread?.includes(kind)) return { kind, scope: {}, state: 'unread' };
      return { kind, scope: {}, state: options.unserved?.includes(kind) ? 'absentApi' : 'complete' };
    }),
  };
}

function buildObjects(file: ScenarioFile): RawObject[] {
  const objects = new Map<string, Loose>();
  for (const object of structuredClone(healthyCluster())) objects.set(keyOf(object), object);
  for (const left of file.without ?? []) {
    const [kind, ...path] = left.split('/');
    const name = path.pop();
    const key = `${kind}/${path[0] ?? ''}/${name}`;
    if (!objects.delete(key)) throw new Error(`the healthy cluster has no ${left} to leave out`);
  }
  for (const [index, object] of (file.objects ?? []).entries()) {
    if (object.kind === 'Event') object.metadata ??= { name: `event-${index}` };
    const key = keyOf(object);
    const known = objects.get(key);
    objects.set(key, known ? (mergeObjects(known, object) as Loose) : object);
  }
  const list = [...objects.values()].map(withDefaults);
  return list.map((object) => (object.kind === 'Event' ? completeEvent(object, list) : object)) as RawObject[];
}

let parsedBase: readonly Loose[] | undefined;

/** Parsed once: every scenario starts from it, and changes a copy. */
function healthyCluster(): readonly Loose[] {
  parsedBase ??= parseAllDocuments(readFileSync(join(directory, 'base.yaml'), 'utf8')).flatMap(
    (document) => (document.toJS() as Loose[] | null) ?? [],
  );
  return parsedBase;
}

function keyOf(object: Loose): string {
  const resource = resources.find(({ kind }) => kind === object.kind);
  if (resource?.namespaced && object.metadata.namespace === undefined) object.metadata.namespace = 'shop';
  return `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function withDefaults(object: Loose): Loose {
  const { metadata } = object;
  metadata.uid ??= `uid-${object.kind}-${metadata.namespace ?? 'cluster'}-${metadata.name}`.toLowerCase();
  metadata.creationTimestamp ??= ago('14m');
  metadata.resourceVersion ??= '1000';
  const group = resources.find(({ kind }) => kind === object.kind);
  object.apiVersion ??= group?.group ? `${group.group}/${group.versions[0]}` : 'v1';
  if (object.kind === 'PersistentVolumeClaim') {
    object.spec = mergeObjects(
      { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
      object.spec ?? {},
    );
    object.status ??= { phase: 'Pending' };
  }
  if (object.kind === 'Pod') {
    object.spec = mergeObjects(
      { schedulerName: 'default-scheduler', containers: [{ name: 'main', image: 'example.org/app:1' }] },
      object.spec ?? {},
    );
    object.status ??= { phase: 'Pending' };
  }
  return expandAges(object) as Loose;
}

/** `ago 5m` in any field becomes a time before the clock of the scenarios. */
function expandAges(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('ago ') ? ago(value.slice(4)) : value;
  if (Array.isArray(value)) return value.map(expandAges);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandAges(item)]));
  return value;
}

export function ago(text: string): string {
  const match = /^(\d+)([smhd])$/.exec(text);
  if (!match) throw new Error(`not an age: ${text}`);
  const seconds = Number(match[1]) * { s: 1, m: 60, h: 3600, d: 86_400 }[match[2] as 's' | 'm' | 'h' | 'd'];
  return new Date(Date.parse(scenarioNow) - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** An event names its object as `about: Kind/name` or `Kind/namespace/name`; the rest is filled in as a controller would. */
function completeEvent(event: Loose, objects: readonly Loose[]): Loose {
  if (typeof event['about'] !== 'string') return event;
  const [kind, ...path] = event['about'].split('/');
  const name = path.pop() ?? '';
  const namespace = path[0] ?? (event.metadata.namespace as string | undefined);
  const object = objects.find(
    (candidate) =>
      candidate.kind === kind &&
      candidate.metadata.name === name &&
      (candidate.metadata.namespace ?? namespace) === namespace,
  );
  const { about: _about, from, ...rest } = event;
  return {
    type: 'Warning',
    count: 5,
    firstTimestamp: ago('10m'),
    lastTimestamp: ago('1m'),
    ...rest,
    source: { component: from ?? 'persistentvolume-controller' },
    involvedObject: { kind, namespace: object?.metadata.namespace, name, uid: object?.metadata.uid ?? 'gone' },
  } as unknown as Loose;
}
