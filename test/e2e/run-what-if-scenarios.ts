import type { WhatIfReport } from '../../src/core/report/what-if.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import { until } from './cluster/until.ts';
import type { Program } from './program.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import { inNamespace } from './run-wait-scenarios.ts';
import { appOf, operations } from './scenarios/what-if.ts';
import type { Operation } from './scenarios/what-if.ts';
import type { World } from './scenarios/world.ts';

/** What became of each object, and what was foretold. */
export interface Comparison {
  readonly name: string;
  readonly words: string;
  readonly rows: readonly { readonly object: string; readonly foretold: string; readonly real: string }[];
}

type Facts = ReadonlyMap<string, string>;

/** Facts name a volume by its claim, since its own name means nothing to a reader. */
const volumeNames = new Map<string, string>();

/** Foretells each operation, carries it out, and compares pod by pod and volume by volume. One at a time: they all share node-a. */
export const whatIfs = operations.map(({ name }) => ({ name, expected: 'as foretold' }));

export async function runWhatIfScenario(
  name: string,
  cluster: Cluster,
  program: Program,
  onCompared: (comparison: Comparison) => void,
): Promise<ProbeResult> {
  const operation = operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return inNamespace(name, cluster, (world) => compare(operation, world, program, onCompared));
}

async function compare(
  operation: Operation,
  world: World,
  program: Program,
  onCompared: (comparison: Comparison) => void,
): Promise<string | undefined> {
  await operation.prepare(world);
  const environment = { KUBECONFIG: world.cluster.controlPlane.kubeconfigs.admin, PATH: program.path };
  const kubectl = (words: readonly string[]): Promise<unknown> =>
    runCommand('kubectl', ['-n', world.namespace, ...words], { environment });
  const before = await factsOf(world);
  const words = operation.words(world);
  const { code, output, errors } = await runCommand(
    'kubectl',
    ['csi', 'what-if', ...words, '-n', world.namespace, '-o', 'json'],
    { environment },
  );
  if (code !== 0 && code !== 1) return `exit ${code}: ${output}${errors}`;
  const report = JSON.parse(output) as WhatIfReport;
  const foretold = foretell(report, before, world.namespace);
  await operation.act(world, kubectl);
  const isAsForetold = async (): Promise<boolean> => differences(foretold, await factsOf(world, before)).length === 0;
  await until('what was foretold', (operation.patience ?? 60) / 3, isAsForetold).catch(() => {});
  const real = await factsOf(world, before);
  onCompared({
    name: operation.name,
    words: words.join(' ').replaceAll(world.namespace, 'NAMESPACE'),
    rows: [...foretold].map(([object, words]) => ({ object, foretold: words, real: real.get(object) ?? 'gone' })),
  });
  const missed = differences(foretold, real);
  return missed.length === 0 ? undefined : missed.join('; ');
}

function differences(foretold: Facts, real: Facts): string[] {
  return [...foretold].flatMap(([object, words]) => {
    const now = real.get(object) ?? 'gone';
    const isSame =
      words === now ||
      (words.startsWith('on one of ') && words.slice(10).split(', ').includes(now.replace(/^on /, '')));
    return isSame ? [] : [`${object}: foretold ${words}, and it is ${now}`];
  });
}

/** The state of each pod (by its app), claim, volume and snapshot of a namespace, in a few words. */
async function factsOf(world: World, known: Facts = new Map()): Promise<Facts> {
  const { api, namespace } = world;
  const facts = new Map<string, string>();
  const pods = await api.list('v1', 'Pod', namespace);
  for (const app of new Set(pods.map(appOf))) {
    const own = pods.filter((pod) => appOf(pod) === app);
    const live = own.find((pod) => pod.metadata['deletionTimestamp'] === undefined);
    const node = live?.['spec'].nodeName as string | undefined;
    facts.set(`pod of ${app}`, live ? placeWords(node) : 'Terminating');
  }
  for (const claim of await api.list('v1', 'PersistentVolumeClaim', namespace))
    facts.set(
      `pvc/${claim.metadata.name}`,
      claim.metadata['deletionTimestamp'] === undefined ? String(claim['status']?.phase) : 'Terminating',
    );
  for (const volume of await api.list('v1', 'PersistentVolume')) {
    const { claimRef } = volume['spec'];
    if (claimRef?.namespace === namespace) volumeNames.set(volume.metadata.name, claimRef.name);
    if (claimRef?.namespace === namespace)
      facts.set(
        `volume of ${claimRef.name}`,
        volume.metadata['deletionTimestamp'] === undefined || volume['status']?.phase === 'Released'
          ? String(volume['status']?.phase)
          : 'Terminating',
      );
  }
  for (const snapshot of await api.list('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', namespace))
    facts.set(
      `vs/${snapshot.metadata.name}`,
      snapshot.metadata['deletionTimestamp'] === undefined ? 'there' : 'Terminating',
    );
  for (const object of known.keys()) if (!facts.has(object)) facts.set(object, 'gone');
  return facts;
}

function placeWords(node: string | undefined): string {
  return node === undefined ? 'Pending, on no node' : `on ${node}`;
}

/** The same words from the report; what it does not mention stays as it is. */
function foretell({ effects }: WhatIfReport, before: Facts, namespace: string): Facts {
  const foretold = new Map(before);
  const set = (kind: string, name: string, words: string): void => {
    const key = [...before.keys()].find((object) => isAbout(object, kind, name));
    if (key !== undefined) foretold.set(key, words);
  };
  const isRefused = effects.some(({ effect, severity }) => effect === 'refused' && severity === 'breaks');
  // A pod that is never confirmed to be gone is not replaced, wherever it would fit.
  const stays = new Set(
    effects
      .filter(({ effect, cause }) => effect === 'waits' && cause === 'node-not-ready')
      .flatMap(({ objects }) => objects.map(({ name }) => name)),
  );
  for (const { effect, cause, objects, places = [] } of effects)
    for (const { kind, name, namespace: place } of objects) {
      if (place !== undefined && place !== namespace) continue;
      if (kind === 'Pod' && !isRefused) {
        const nodes = places.find(({ object }) => object.name === name && object.namespace === namespace)?.nodes;
        if (effect === 'moves' && !stays.has(name)) set(kind, name, `on one of ${(nodes ?? []).join(', ')}`);
        if (effect === 'cannot-start') set(kind, name, 'Pending, on no node');
        if (effect === 'stops') set(kind, name, 'gone');
        if (effect === 'waits' && cause === 'node-not-ready') set(kind, name, 'Terminating');
      }
      if (effect === 'deleted') set(kind, name, 'gone');
      if (effect === 'stuck') set(kind, name, 'Terminating');
      if (kind === 'PersistentVolume' && effect === 'data-deleted') setVolume(foretold, name, 'gone');
      if (kind === 'PersistentVolume' && effect === 'orphaned') setVolume(foretold, name, 'Released');
      if (kind === 'PersistentVolume' && effect === 'stuck') setVolume(foretold, name, 'Terminating');
    }
  return foretold;
}

/** The words of a pod name its app, which is how its name begins. */
function isAbout(object: string, kind: string, name: string): boolean {
  if (kind === 'Pod')
    return object.startsWith('pod of ') && (name === object.slice(7) || name.startsWith(`${object.slice(7)}-`));
  if (kind === 'PersistentVolumeClaim') return object === `pvc/${name}`;
  return kind === 'VolumeSnapshot' && object === `vs/${name}`;
}

function setVolume(foretold: Map<string, string>, name: string, words: string): void {
  const claim = volumeNames.get(name);
  if (claim !== undefined && foretold.has(`volume of ${claim}`)) foretold.set(`volume of ${claim}`, words);
}
