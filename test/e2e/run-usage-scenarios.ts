import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/core/report/report.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import type { Outcome } from './cluster/command.ts';
import { shellImage } from './cluster/images.ts';
import { until } from './cluster/until.ts';
import { judgeInWorld } from './judge-in-world.ts';
import type { Program } from './program.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import type { World } from './scenarios/world.ts';
import { Prometheus } from './storage/prometheus.ts';
import { SmallDisk } from './storage/small-disk.ts';

type User = 'admin' | 'viewer';

interface Place {
  readonly world: World;
  readonly prometheus: Prometheus;
  readonly ask: (user: User, ...words: readonly string[]) => Promise<Outcome>;
  /** Deletes what fills the volumes. */
  readonly empty: () => void;
}

interface UsageScenario {
  readonly name: string;
  readonly expected: string;
  readonly judge: (place: Place) => Promise<string | undefined>;
}

/** What fills its volume and then ends as an application does, with the words of the tool that could not write. */
const programs = {
  brimful: 'busybox dd if=/dev/zero of=/data/fill bs=64k; exit 1',
  crowded: 'i=0; while touch /data/file-$i; do i=$((i+1)); done; exit 1',
} as const;
type Name = keyof typeof programs;
const names = Object.keys(programs) as Name[];
const causes: Readonly<Record<Name, string>> = { brimful: 'volume-full', crowded: 'volume-inodes-full' };
const patienceSeconds = 60;

/** Each way to measure, with the words that its answers name as the source. */
const sources: readonly { name: string; source: string; words: (place: Place) => readonly string[] }[] = [
  { name: 'kubelet', source: 'the kubelet of node-a', words: () => ['--kubelet'] },
  { name: 'node-proxy', source: '(through the API server)', words: () => ['--node-proxy'] },
  {
    name: 'prometheus',
    source: 'Prometheus at http',
    words: ({ prometheus, world }) => ['--prometheus', `http://${world.cluster.node.address}:${prometheus.port}`],
  },
  { name: 'service', source: 'Prometheus e2e-usage/prometheus', words: () => ['--usage'] },
];

export const usageScenarios: readonly UsageScenario[] = [
  { name: 'usage-unmeasured', expected: 'volume-full by the words of the application alone', judge: judgeUnmeasured },
  ...sources.map(({ name, source, words }) => ({
    name: `usage-${name}`,
    expected: 'volume-full and volume-inodes-full, in every command',
    judge: async (place: Place) => {
      // From then on it is found, and asked before the kubelets.
      if (name === 'service') await publish(place.world, place.prometheus);
      return judgeSource(place, words(place), source);
    },
  })),
  { name: 'usage-forbidden', expected: 'inconclusive, never "not full"', judge: judgeForbidden },
  { name: 'usage-freed', expected: 'no longer full, by every source', judge: judgeFreed },
];

/** Two volumes that are really full, one of bytes and one of files, and what each source makes of them. */
export function runUsageScenarios(
  chosen: readonly UsageScenario[],
  cluster: Cluster,
  program: Program,
  tell: (result: ProbeResult) => void,
): Promise<readonly ProbeResult[]> {
  return judgeInWorld(chosen, cluster, 'e2e-usage', (world) => fill(world, program), tell);
}

async function fill(world: World, program: Program): Promise<Place> {
  const { cluster } = world;
  const homes: string[] = [];
  for (const name of names) {
    const { storageClassName } = await world.ownDriver(
      { name: `${name}.csi.test`, resizer: true },
      { allowVolumeExpansion: true },
    );
    const volume = await world.boundClaim(name, storageClassName);
    // The driver keeps each volume in a directory that is named after its handle.
    const home = join(cluster.directory, 'volumes', `${name}.csi.test`, volume['spec'].csi.volumeHandle as string);
    homes.push(home);
    const disk = await SmallDisk.mount(home, 16, name === 'crowded' ? ['-N', '64'] : []);
    world.later(() => disk.unmount());
    await world.pod(name, [name], {
      containers: [
        {
          name: 'app',
          image: shellImage,
          imagePullPolicy: 'Never',
          command: ['/bin/sh', '-c', programs[name]],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [{ name, mountPath: '/data' }],
        },
        // A kubelet measures the volumes of pods with a container that runs, and no others.
        { name: 'companion', image: shellImage, imagePullPolicy: 'Never', command: ['/bin/sleep', '1000000'] },
      ],
    });
  }
  const prometheus = await Prometheus.start(world.api, cluster.node.name, cluster.node.address);
  world.later(() => prometheus.stop());
  for (const name of names)
    await until(`the application of pod ${name} to end`, 60, async () =>
      (await restartsOf(world, name)) > 0 ? true : undefined,
    );
  const ask = (user: User, ...words: readonly string[]): Promise<Outcome> =>
    runCommand('kubectl', ['csi', ...words], {
      environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs[user], PATH: program.path, COLUMNS: '220' },
    });
  const empty = (): void => {
    for (const home of homes)
      for (const file of readdirSync(home)) if (/^(?:fill|file-)/.test(file)) rmSync(join(home, file));
  };
  return { world, prometheus, ask, empty };
}

async function restartsOf(world: World, pod: string): Promise<number> {
  const statuses = (await world.api.get(world.object('v1', 'Pod', pod)))?.['status']?.containerStatuses as
    { readonly restartCount: number }[] | undefined;
  return statuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0;
}

/** A Service like that of the Prometheus operator. The API server passes requests on to pods only: this one has the address of its node. */
async function publish(world: World, prometheus: Prometheus): Promise<void> {
  const { address } = world.cluster.node;
  await world.pod('prometheus', [], { hostNetwork: true, nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
  await world.running('prometheus');
  const labels = { 'app.kubernetes.io/name': 'prometheus' };
  const service = world.object('v1', 'Service', 'prometheus');
  await world.make({
    ...service,
    metadata: { ...service.metadata, labels },
    spec: { ports: [{ name: 'web', port: 9090, targetPort: prometheus.port }] },
  });
  const slice = world.object('discovery.k8s.io/v1', 'EndpointSlice', 'prometheus');
  await world.make({
    ...slice,
    metadata: { ...slice.metadata, labels: { 'kubernetes.io/service-name': 'prometheus' } },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: [address],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', name: 'prometheus', namespace: world.namespace },
      },
    ],
    ports: [{ name: 'web', port: prometheus.port, protocol: 'TCP' }],
  });
}

/** Asks until it is right, or says what was wrong in the end: a kubelet measures only now and then. */
async function patiently(judge: () => Promise<string | undefined>): Promise<string | undefined> {
  const end = Date.now() + patienceSeconds * 1000;
  for (;;) {
    const problem = await judge();
    if (problem === undefined || Date.now() > end) return problem;
    await new Promise((resolve) => void setTimeout(resolve, 3000));
  }
}

function judgeUnmeasured({ world, ask }: Place): Promise<string | undefined> {
  return patiently(async () => {
    for (const name of names) {
      const { code, output } = await ask('admin', 'why', `pod/${name}`, '-n', world.namespace, '-o', 'json');
      const item = (JSON.parse(output) as Report).items[0];
      // Which of the two it is, no application says: both have the same error number.
      if (code !== 1 || item?.cause !== 'volume-full')
        return `pod/${name}: exit ${code}, ${item?.status} ${item?.cause}: ${item?.summary}`;
      const finding = item.findings.find(({ role }) => role === 'cause');
      if (finding?.confidence === 'certain') return `pod/${name}: certain without a measurement: ${finding.summary}`;
      if (finding?.summary.includes('No space left on device') !== true)
        return `pod/${name}: the words of the application are missing: ${finding?.summary}`;
    }
    return undefined;
  });
}

async function judgeSource(place: Place, words: readonly string[], source: string): Promise<string | undefined> {
  return patiently(async () => {
    for (const name of names)
      for (const target of [`pod/${name}`, `pvc/${name}`]) {
        const problem = await judgeWhy(place, target, name, words, source);
        if (problem !== undefined) return problem;
      }
    return (await judgeCheck(place, words)) ?? (await judgeTable(place, words)) ?? (await judgeStatus(place, words));
  });
}

async function judgeWhy(
  { world, ask }: Place,
  target: string,
  name: Name,
  words: readonly string[],
  source: string,
): Promise<string | undefined> {
  const { code, output, errors } = await ask('admin', 'why', target, '-n', world.namespace, ...words, '-o', 'json');
  if (code !== 1) return `why ${target}: exit ${code}, not 1: ${errors || output.slice(0, 300)}`;
  const item = (JSON.parse(output) as Report).items[0];
  const finding = item?.findings.find(({ role }) => role === 'cause');
  if (item?.cause !== causes[name] || finding?.confidence !== 'certain')
    return `why ${target}: ${item?.status} ${item?.cause} ${finding?.confidence}: ${item?.summary}`;
  return output.includes(source) ? undefined : `why ${target}: it does not name ${source}: ${finding.summary}`;
}

async function judgeCheck({ world, ask }: Place, words: readonly string[]): Promise<string | undefined> {
  const { code, output, errors } = await ask('admin', 'check', '-n', world.namespace, ...words, '-o', 'json');
  if (code !== 1) return `check: exit ${code}, not 1: ${errors || output.slice(0, 300)}`;
  const { findings } = JSON.parse(output) as { findings: { id: string; object: { name: string } }[] };
  for (const name of names)
    if (!findings.some(({ id, object }) => id === causes[name] && object.name === name))
      return `check: no ${causes[name]} of ${name}: ${findings.map(({ id, object }) => `${id} ${object.name}`).join(', ')}`;
  return undefined;
}

async function judgeTable({ world, ask }: Place, words: readonly string[]): Promise<string | undefined> {
  const { output, errors } = await ask('admin', 'get', 'pvc', '-n', world.namespace, '-o', 'wide', ...words);
  const [head = '', ...rows] = output.split('\n');
  const cell = (row: string | undefined, title: string): string =>
    row
      ?.slice(head.indexOf(title))
      .trim()
      .split(/\s{2,}|\s/)[0] ?? '';
  const full = (name: Name): string | undefined => rows.find((row) => row.includes(`${name} `));
  // The last piece that did not fit leaves some bytes free.
  if (!/^(?:99|100)%$/.test(cell(full('brimful'), 'USE%')) || cell(full('crowded'), 'INODES%') !== '100%')
    return `get pvc: not full:\n${output}${errors}`;
  return undefined;
}

async function judgeStatus({ world, ask }: Place, words: readonly string[]): Promise<string | undefined> {
  const { output, errors } = await ask('admin', 'status', '-n', world.namespace, ...words);
  const missing = Object.values(causes).find((cause) => !output.includes(cause));
  return missing === undefined ? undefined : `status: no ${missing}:\n${output}${errors}`;
}

/** The built-in role view may read neither Services' answers nor a kubelet. */
async function judgeForbidden({ world, ask }: Place): Promise<string | undefined> {
  for (const words of [['--node-proxy'], ['--kubelet'], ['--usage']]) {
    const { code, output, errors } = await ask(
      'viewer',
      'why',
      'pvc/crowded',
      '-n',
      world.namespace,
      ...words,
      '-o',
      'json',
    );
    const item = (JSON.parse(output) as Report).items[0];
    if (code === 0 || item?.status === 'healthy')
      return `${words.join(' ')}: exit ${code}, ${item?.status}: ${item?.summary}${errors}`;
  }
  return undefined;
}

/** The space is freed, the applications are let be: what was full must be so no longer once the kubelet has measured again. */
async function judgeFreed(place: Place): Promise<string | undefined> {
  const { world, ask, empty } = place;
  for (const name of names) {
    await world.remove('v1', 'Pod', name);
    await world.gone('v1', 'Pod', name);
  }
  empty();
  for (const name of names) {
    await world.pod(name, [name]);
    await world.running(name);
  }
  for (const { name: source, words } of sources) {
    const problem = await patiently(async () => {
      for (const name of names) {
        const { code, output } = await ask(
          'admin',
          'why',
          `pvc/${name}`,
          '-n',
          world.namespace,
          ...words(place),
          '-o',
          'json',
        );
        const item = (JSON.parse(output) as Report).items[0];
        if (code !== 0 || item?.status !== 'healthy')
          return `${source}, pvc/${name}: exit ${code}, ${item?.status} ${item?.cause}: ${item?.summary}`;
      }
      return undefined;
    });
    if (problem !== undefined) return problem;
  }
  return undefined;
}
