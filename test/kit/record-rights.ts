import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { canonicalArguments, readFlags, splitArguments } from '../../src/cli/arguments.ts';
import { bareConfig } from '../../src/cli/program.ts';
import type { FlagShape } from '../../src/cli/arguments.ts';
import type { RecordedRights } from '../../src/commands/rbac/rights.ts';
import { commands } from '../../src/commands/index.ts';
import { resourceNamed } from '../../src/core/kube/resources.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer, RequestRecord } from '../../src/sim/api-server.ts';
import { startDemoDrivers } from '../../src/sim/demo/demo-drivers.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { loadDump } from '../sim/dump.ts';
import { loadScenarios } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { runProgram } from './run-program.ts';

/** A cluster to put a command to, and something in it to ask about. */
export interface Place {
  readonly snapshot: Snapshot;
  readonly namespace: string;
  /** TYPE/NAME. */
  readonly target: string;
  /** A cluster with many things in it, not a scenario of one. */
  readonly isWhole: boolean;
  /** The scenario that bears the plain name of its cause. */
  readonly isPlain?: boolean;
  readonly scenario?: Scenario;
  /** The demo, whose drivers are there to be spoken to. */
  readonly isDemo?: boolean;
}

/** How the rights of one command are found out. */
export interface Recording {
  /** Where to run it: in all scenarios, where what is asked follows what is broken; in one of each cause; or in whole clusters only. */
  readonly over: 'scenarios' | 'causes' | 'clusters';
  /** The command lines to run, without the words that say which cluster. */
  readonly lines: (place: Place) => readonly (readonly string[])[];
  /** The same, for what no command asks that diagnoses as this one does. */
  readonly ownLines?: (place: Place) => readonly (readonly string[])[];
  /** What was asked for the same answer outside a command line. */
  readonly askedElsewhere?: (place: Place) => Promise<readonly RequestRecord[]>;
  /** What is run where a command line would need somebody at the keys; -A is asked without a namespace. */
  readonly run?: (place: Place, server: ApiServer, namespace: string | undefined) => Promise<void>;
  /** It diagnoses as those commands do: what they ask for, it may ask for. */
  readonly diagnosesAs?: string | readonly string[];
  /** Only what it asks for and that command does not. */
  readonly beyond?: string;
  /** Each line takes a while and does little: with a server for each of them, they wait together. */
  readonly isSlow?: boolean;
}

/** Recordings that share a server, since what a line asks is what the server was asked since the line before. */
interface Round {
  readonly place: Place;
  readonly recordings: readonly (readonly [string, Recording])[];
}

type Asked = Map<string, { readonly verbs: Set<string>; elsewhere: boolean }>;

interface Expectation {
  readonly target: string;
  readonly namespace?: string;
}

const atOnce = 8;
const patienceMs = 240_000;
const truth = join(import.meta.dirname, '../truth');

function clusters(): Place[] {
  // One in three holds every kind of question that all of them do.
  const some = readdirSync(truth)
    .sort()
    .filter((_name, index) => index % 3 === 0);
  const dumps = some.flatMap((name): Place[] => {
    const snapshot = loadDump(join(truth, name, 'cluster.yaml'));
    const expected = JSON.parse(readFileSync(join(truth, name, 'expect.json'), 'utf8')) as
      Expectation | readonly Expectation[];
    return [expected]
      .flat()
      .map(({ target, namespace }) => ({ snapshot, namespace: namespace || 'default', target, isWhole: true }));
  });
  return [
    { snapshot: demoSnapshot(new Date()), namespace: 'shop', target: 'pvc/cart', isWhole: true, isDemo: true },
    ...dumps,
  ];
}

/** Scenarios of a reader who was refused something say nothing of what is needed. */
function scenarioPlaces(): Place[] {
  return loadScenarios()
    .filter(({ file }) => file.denied === undefined)
    .map((scenario) => {
      const { id, cause, snapshot, target, file } = scenario;
      const namespace = target.namespace ?? file.namespace ?? 'shop';
      return { snapshot, namespace, target: file.target, isWhole: false, isPlain: id === cause, scenario };
    });
}

/** Runs every recording and writes down what the server was asked for. */
export async function recordRights(recordings: Readonly<Record<string, Recording>>): Promise<RecordedRights> {
  const asked = new Map<string, Asked>(Object.keys(recordings).map((command) => [command, new Map()]));
  const own = new Map<string, Asked>(Object.keys(recordings).map((command) => [command, new Map()]));
  const all = [...clusters(), ...scenarioPlaces()].flatMap((place) => roundsOf(place, Object.entries(recordings)));
  const silence = [
    vi.spyOn(process.stdout, 'write').mockImplementation(swallow),
    vi.spyOn(process.stderr, 'write').mockImplementation(swallow),
  ];
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let round = all.shift(); round !== undefined; round = all.shift()) await recordRound(round, asked, own);
      }),
    );
  } finally {
    for (const spy of silence) spy.mockRestore();
  }
  allowBothWays([asked.get('why'), asked.get('why-pending')].flatMap((rights) => rights ?? []));
  for (const [command, { diagnosesAs }] of Object.entries(recordings)) {
    for (const like of [diagnosesAs ?? []].flat())
      for (const [name, right] of asked.get(like) ?? [])
        for (const verb of right.verbs) note(asked.get(command) as Asked, name, verb, right.elsewhere);
  }
  for (const [command, { beyond }] of Object.entries(recordings)) {
    for (const [name, { verbs }] of asked.get(beyond ?? '') ?? [])
      for (const verb of verbs) asked.get(command)?.get(name)?.verbs.delete(verb);
  }
  for (const [command, rights] of own)
    for (const [name, { verbs, elsewhere }] of rights)
      for (const verb of verbs) note(asked.get(command) as Asked, name, verb, elsewhere);
  return Object.fromEntries([...asked].map(([command, rights]) => [command, tidy(rights)]));
}

/** The demo is asked by every command, and much of that is waiting: each recording has a server of its own there. */
function roundsOf(place: Place, recordings: readonly (readonly [string, Recording])[]): Round[] {
  const { isWhole, isPlain = false, isDemo = false } = place;
  const chosen = recordings.filter(([, { over }]) => over === 'scenarios' || isWhole || (over === 'causes' && isPlain));
  if (!isDemo) return [{ place, recordings: chosen }];
  return chosen.flatMap(([key, recording]): Round[] =>
    recording.isSlow === true
      ? recording.lines(place).map((line) => ({ place, recordings: [[key, { ...recording, lines: () => [line] }]] }))
      : [{ place, recordings: [[key, recording]] }],
  );
}

/**
 * A diagnosis reads a small cluster as short lists and a large one object by object, and the clusters here are small: what it may list
 * and gets by name anywhere, it may get.
 */
function allowBothWays(diagnoses: readonly Asked[]): void {
  const all = diagnoses.flatMap((rights) => [...rights]);
  const gotByName = new Set(all.flatMap(([name, { verbs }]) => (verbs.has('get') ? [name] : [])));
  for (const [name, { verbs }] of all) if (verbs.has('list') && gotByName.has(name)) verbs.add('get');
}

/** One that nobody holds any more, so that it is taken over at once. */
const abandonedLease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'old', namespace: 'default' },
  spec: { holderIdentity: '' },
};

async function recordRound(
  { place, recordings }: Round,
  asked: ReadonlyMap<string, Asked>,
  own: ReadonlyMap<string, Asked>,
): Promise<void> {
  const { snapshot, namespace } = place;
  const directory = place.isDemo === true ? await mkdtemp(join(tmpdir(), 'kubectl-csi-test-')) : undefined;
  const drivers = directory === undefined ? undefined : await startDemoDrivers(directory);
  const server = await startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt),
    renewsLeases: false,
    callers: { 'known-token': { username: 'jane', mayGet: ['/metrics'] } },
    ...drivers?.contents,
  });
  try {
    if (place.isDemo === true) server.apply(abandonedLease);
    for (const [key, { lines, ownLines, askedElsewhere, run }] of recordings) {
      for (const words of ownLines?.(place) ?? []) {
        const before = server.requests.length;
        await runHere([...words, '--server', server.url, '--kubeconfig', '/dev/null']);
        for (const request of server.requests.slice(before)) noteRequest(own.get(key) as Asked, request, namespace);
      }
      for (const request of await (askedElsewhere?.(place) ?? []))
        noteRequest(asked.get(key) as Asked, request, namespace);
      for (const scope of run === undefined ? [] : [namespace, undefined]) {
        const before = server.requests.length;
        await run?.(place, server, scope);
        for (const request of server.requests.slice(before)) noteRequest(asked.get(key) as Asked, request, scope);
      }
      for (const words of lines(place)) {
        const before = server.requests.length;
        if (words.includes('--watch'))
          await runWatching([...words, '--server', server.url], () => server.requests.slice(before));
        else await runHere([...words, '--server', server.url, '--kubeconfig', '/dev/null']);
        for (const request of server.requests.slice(before))
          noteRequest(asked.get(key) as Asked, request, words.includes('-A') ? undefined : namespace);
      }
    }
  } finally {
    await server.close();
    drivers?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

/** In this process, since starting the program a thousand times takes a thousand times as long. */
async function runHere(words: readonly string[]): Promise<void> {
  const id = Object.keys(commands)
    .filter((id) => `${words.join(' ')} `.startsWith(`${id} `))
    .sort((a, b) => b.length - a.length)[0] as string;
  const { default: CommandClass } = await (commands[id] as (typeof commands)[string])();
  const flags = Object.entries(CommandClass.flags ?? {}).map(([name, flag]) => ({ ...(flag as FlagShape), name }));
  const split = splitArguments(words.slice(id.split(' ').length), flags);
  const { values, problems } = readFlags(split, flags);
  if (problems.length > 0)
    throw new Error(`the recording "${words.join(' ')}" is no command line: ${JSON.stringify(problems)}`);
  let late: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    late = setTimeout(
      () => reject(new Error(`the recording "${words.join(' ')}" does not come to an end`)),
      patienceMs,
    );
  });
  // A target that does not exist is an answer too, and was looked for.
  const run = new CommandClass(canonicalArguments(split.words, values, flags), bareConfig('0'))
    .run()
    .catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'UserError')
        throw new Error(`the recording "${words.join(' ')}" failed: ${String(error)}`, { cause: error });
    });
  await Promise.race([run, tooLong]).finally(() => clearTimeout(late));
}

async function runWatching(words: readonly string[], requests: () => readonly RequestRecord[]): Promise<void> {
  const isWatching = (): boolean => requests().some(({ query }) => query['watch'] === 'true');
  let timer: NodeJS.Timeout | undefined;
  await runProgram(words, {
    onOutput: (_stdout, _stderr, kill) => {
      timer ??= setInterval(() => {
        if (!isWatching()) return;
        clearInterval(timer);
        kill('SIGINT');
      }, 50);
    },
  });
  clearInterval(timer);
}

function noteRequest(asked: Asked, request: RequestRecord, namespace: string | undefined): void {
  if (request.status === 403) throw new Error(`a recording was refused ${request.path}`);
  const path =
    /^\/apis?\/(?:(?<group>[^/]+)\/)?v\d[^/]*\/(?:namespaces\/(?<place>[^/]+)\/)?(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>[^/]+))?)?/.exec(
      request.path,
    )?.groups;
  // Everybody may ask for the version, and whether they may do something.
  if (path === undefined || path['plural'] === 'selfsubjectaccessreviews') return;
  const { group, place, plural, name, subresource } = path;
  const resource = `${plural}${subresource === undefined ? '' : `/${subresource}`}${group === undefined ? '' : `.${group}`}`;
  const known = resourceNamed(plural ?? '');
  const isElsewhere = namespace !== undefined && known?.namespaced === true && place !== namespace;
  for (const verb of verbsOf(request, name, subresource)) note(asked, resource, verb, isElsewhere);
}

function verbsOf(
  { method, query }: RequestRecord,
  name: string | undefined,
  subresource: string | undefined,
): string[] {
  // A server from 1.35 on wants the right to create for what is upgraded to a stream, an older one the right to get.
  if (subresource === 'exec' || subresource === 'portforward') return ['create', 'get'];
  if (method === 'POST') return ['create'];
  if (method === 'PUT') return ['update'];
  if (method === 'DELETE') return ['delete'];
  if (query['watch'] === 'true') return ['watch'];
  return [name === undefined ? 'list' : 'get'];
}

function note(asked: Asked, name: string, verb: string, elsewhere: boolean): void {
  const right = asked.get(name) ?? { verbs: new Set(), elsewhere: false };
  right.verbs.add(verb);
  right.elsewhere ||= elsewhere;
  asked.set(name, right);
}

function tidy(rights: Asked): RecordedRights[string] {
  return Object.fromEntries(
    [...rights]
      .filter(([, { verbs }]) => verbs.size > 0)
      .sort(([a], [b]) => a.localeCompare(b, 'en'))
      .map(([name, { verbs, elsewhere }]) => [name, { verbs: [...verbs].sort(), ...(elsewhere && { elsewhere }) }]),
  );
}

function swallow(_text: unknown, ...rest: unknown[]): boolean {
  const done = rest.at(-1);
  if (typeof done === 'function') done();
  return true;
}
