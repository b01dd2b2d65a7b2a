import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packChart } from '../../build/release/chart.ts';
import { packImage } from '../../build/release/image.ts';
import { pathOf } from './binaries.ts';
import type { KubernetesObject } from './cluster/api.ts';
import type { Cluster } from './cluster/cluster.ts';
import { mustRun, runCommand } from './cluster/command.ts';
import type { Outcome } from './cluster/command.ts';
import { ServiceFront } from './cluster/service-front.ts';
import { until } from './cluster/until.ts';
import { judgeInWorld } from './judge-in-world.ts';
import type { Program } from './program.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import type { World } from './scenarios/world.ts';
import { installers } from './versions.ts';
import type { Binary } from './versions.ts';

export const helm = installers.find(({ name }) => name === 'helm') as Binary;

const repository = join(import.meta.dirname, '../..');
const namespace = 'storage-check';
const release = 'storage-check';
const account = `system:serviceaccount:${namespace}:storage-check-kubectl-csi`;

/** What a job of the chart has left. */
interface Run {
  readonly exitCode: number;
  readonly log: string;
  readonly container: string;
}

interface Place {
  readonly cluster: Cluster;
  readonly world: World;
  readonly program: Program;
  /** Installs the chart with these settings over what is there. */
  readonly install: (...settings: readonly string[]) => Promise<void>;
  /** Runs the job of a CronJob now, as the notes of the chart say. */
  readonly check: (cronJob: string) => Promise<Run>;
  readonly kubectl: (...words: readonly string[]) => Promise<Outcome>;
}

interface ImageScenario {
  readonly name: string;
  readonly expected: string;
  readonly judge: (place: Place) => Promise<string | undefined>;
}

const cronJob = 'storage-check-kubectl-csi-check';

export const imageScenarios: readonly ImageScenario[] = [
  { name: 'image-cluster', expected: 'the answer of the administrator, nothing forbidden', judge: judgeCluster },
  { name: 'image-user', expected: 'not root, nothing to write on, no capability', judge: judgeContainer },
  { name: 'image-read-only', expected: 'a file that cannot be written is an error', judge: judgeReadOnly },
  { name: 'image-broken-claim', expected: 'sc-missing, exit code 1', judge: judgeBrokenClaim },
  { name: 'image-one-namespace', expected: 'sc-missing with a Role of one namespace', judge: judgeOneNamespace },
];

/** The image and the chart as users have them: the chart is installed with Helm, and its job runs in a namespace that allows only restricted pods. */
export function runImageScenarios(
  chosen: readonly ImageScenario[],
  cluster: Cluster,
  program: Program,
  tell: (result: ProbeResult) => void,
): Promise<readonly ProbeResult[]> {
  return judgeInWorld(chosen, cluster, 'e2e-image', (world) => prepare(world, program), tell);
}

async function prepare(world: World, program: Program): Promise<Place> {
  const { cluster } = world;
  const { controlPlane, node, directory } = cluster;
  const home = join(directory, 'image');
  mkdirSync(home, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const executable = join(home, 'kubectl-csi');
  await mustRun(process.execPath, ['build/executable.ts', executable], { directory: repository });
  const archive = join(home, 'image.tar');
  writeFileSync(archive, packImage(executable, version));
  await node.importArchive(archive);
  const chart = join(home, 'chart.tgz');
  writeFileSync(chart, packChart(version));
  const front = await ServiceFront.open(node.bridge, controlPlane.server);
  world.later(() => front.close());
  await world.make({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const environment = { KUBECONFIG: controlPlane.kubeconfigs.admin, HOME: home };
  const kubectl = (...words: readonly string[]): Promise<Outcome> => runCommand('kubectl', words, { environment });
  const runHelm = (...words: readonly string[]): Promise<string> => mustRun(pathOf(helm), words, { environment });
  world.later(() => runHelm('uninstall', release, '--namespace', namespace).catch(() => {}));
  let jobs = 0;
  return {
    cluster,
    world,
    program,
    kubectl,
    install: async (...settings) => {
      const set = settings.flatMap((setting) => ['--set', setting]);
      await runHelm('upgrade', '--install', release, chart, '--reset-values', '--namespace', namespace, ...set);
    },
    check: async (from) => {
      const job = `storage-check-${(jobs += 1)}`;
      await mustRun('kubectl', ['-n', namespace, 'create', 'job', job, `--from=cronjob/${from}`], { environment });
      return ended(cluster, job, kubectl);
    },
  };
}

async function ended(cluster: Cluster, job: string, kubectl: Place['kubectl']): Promise<Run> {
  const pod = await until(`job ${job} to end`, 120, async () =>
    (await cluster.api.list('v1', 'Pod', namespace)).find(
      ({ metadata, ['status']: status }) =>
        (metadata['labels'] as Record<string, string>)['batch.kubernetes.io/job-name'] === job &&
        ['Succeeded', 'Failed'].includes(status?.phase as string),
    ),
  );
  const { output } = await kubectl('-n', namespace, 'logs', pod.metadata.name);
  const [status] = pod['status'].containerStatuses as {
    containerID: string;
    state: { terminated: { exitCode: number } };
  }[];
  return {
    exitCode: status?.state.terminated.exitCode ?? -1,
    log: output,
    container: status?.containerID.replace('containerd://', '') ?? '',
  };
}

/** The answer of the job, and the one that the administrator gets. */
async function judgeCluster({ cluster, program, install, check }: Place): Promise<string | undefined> {
  await install('check.args={--output=json}');
  const { exitCode, log } = await check(cronJob);
  if (exitCode !== 0 && exitCode !== 1) return `exit code ${exitCode}: ${log}`;
  if (/forbidden/i.test(log)) return `something is forbidden: ${log}`;
  const told = JSON.parse(log) as CheckAnswer;
  if (told.unread.length > 0) return `unread: ${JSON.stringify(told.unread)}`;
  const { code, output } = await runCommand('kubectl', ['csi', 'check', '-o', 'json'], {
    environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs.admin, PATH: program.path },
  });
  const [ours, theirs] = [told, JSON.parse(output) as CheckAnswer].map(findingsOf);
  if (code !== exitCode || ours !== theirs) return `exit code ${exitCode} with ${ours}, not ${code} with ${theirs}`;
  const denied = await deniedRights(cluster);
  return denied === undefined ? undefined : `its account may ${denied}`;
}

interface CheckAnswer {
  readonly findings: readonly { readonly id: string; readonly object: { readonly name: string } }[];
  readonly unread: readonly unknown[];
}

function findingsOf({ findings }: CheckAnswer): string {
  return findings
    .map(({ id, object }) => `${id} ${object.name}`)
    .sort()
    .join(', ');
}

/** The least role: none of these is in it. */
async function deniedRights({ api }: Cluster): Promise<string | undefined> {
  for (const [verb, group, resource, subresource] of [
    ['create', '', 'pods', ''],
    ['create', '', 'pods', 'exec'],
    ['get', '', 'nodes', 'proxy'],
    ['delete', '', 'persistentvolumeclaims', ''],
    ['patch', 'storage.k8s.io', 'volumeattachments', ''],
    ['list', '', 'secrets', ''],
  ] as const) {
    const review = (await api.create({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: { name: '' },
      spec: {
        user: account,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
        resourceAttributes: { verb, group, resource, subresource, namespace: 'default' },
      },
    })) as KubernetesObject;
    if (review['status'].allowed === true) return `${verb} ${resource}/${subresource}`;
  }
  return undefined;
}

/** As the runtime was told, and not only as the pod asks: the image itself is what is judged. */
async function judgeContainer({ cluster, install, check }: Place): Promise<string | undefined> {
  await install();
  const { container, log, exitCode } = await check(cronJob);
  if (exitCode !== 0 && exitCode !== 1) return `exit code ${exitCode}: ${log}`;
  const socket = join(cluster.directory, 'containerd/containerd.sock');
  const words = ['--address', socket, '--namespace', 'k8s.io', 'containers', 'info', container];
  const { Spec: spec } = JSON.parse(await mustRun('ctr', words)) as {
    Spec: {
      process: {
        args: string[];
        user: { uid: number; gid: number };
        noNewPrivileges: boolean;
        capabilities?: { effective?: string[]; bounding?: string[] };
      };
      root: { readonly: boolean };
      linux: { seccomp?: unknown };
    };
  };
  const { process: program, root, linux } = spec;
  if (program.user.uid !== 65532 || program.user.gid !== 65532) return `user ${program.user.uid}:${program.user.gid}`;
  if (!root.readonly) return 'its file system can be written';
  if (!program.noNewPrivileges) return 'it may gain privileges';
  if ((program.capabilities?.bounding ?? []).length > 0)
    return `capabilities ${program.capabilities?.bounding?.join(' ')}`;
  if (linux.seccomp === undefined) return 'no seccomp profile';
  if (program.args[0] !== '/usr/local/bin/kubectl-csi') return `it runs ${program.args.join(' ')}`;
  return log.trim() === '' ? 'its log is empty' : undefined;
}

/** What it writes nowhere else it cannot write here: the program must say so in one line. */
async function judgeReadOnly({ install, check }: Place): Promise<string | undefined> {
  await install('check.args={--junit-file=/report.xml}');
  const { exitCode, log } = await check(cronJob);
  return exitCode === 4 && /report\.xml/.test(log) && /EROFS|read-only/.test(log)
    ? undefined
    : `exit code ${exitCode}: ${log}`;
}

async function breakClaim(world: World): Promise<void> {
  const claim = world.claimObject('stuck', 'e2e-no-such-class');
  if ((await world.api.get(claim)) === undefined) await world.make(claim);
}

async function judgeBrokenClaim({ world, install, check, kubectl }: Place): Promise<string | undefined> {
  await breakClaim(world);
  // Other scenarios leave broken objects behind, and only the wide form lists all causes.
  await install('check.args={-o,wide}');
  const { exitCode, log } = await check(cronJob);
  if (exitCode !== 1) return `exit code ${exitCode}, not 1: ${log}`;
  for (const word of ['sc-missing', 'e2e-no-such-class', `${world.namespace}`, 'stuck'])
    if (!log.includes(word)) return `the log does not mention ${word}: ${log}`;
  const { output } = await kubectl(
    '-n',
    namespace,
    'get',
    'jobs',
    '-o',
    'jsonpath={.items[*].status.conditions[*].type}',
  );
  return output.includes('Failed') ? undefined : `no job has failed: ${output}`;
}

/** A Role in one namespace, and no right to read Secrets at all. */
async function judgeOneNamespace({ world, install, check }: Place): Promise<string | undefined> {
  await breakClaim(world);
  await install(`namespaces={${world.namespace}}`, 'secrets=false');
  const { exitCode, log } = await check(`${cronJob}-0`);
  if (exitCode !== 1) return `exit code ${exitCode}, not 1: ${log}`;
  if (/forbidden/i.test(log)) return `something is forbidden: ${log}`;
  return log.includes('sc-missing') && log.includes('e2e-no-such-class') ? undefined : `another cause: ${log}`;
}
