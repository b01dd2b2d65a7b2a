import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { AccessReport } from '../../src/core/kube/access-right.ts';
import type { Report } from '../../src/core/report/report.ts';
import type { Trace } from '../../src/core/report/trace.ts';
import type { KubernetesObject } from './cluster/api.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import type { Outcome } from './cluster/command.ts';
import { freePorts } from './cluster/ports.ts';
import { until } from './cluster/until.ts';
import type { Program } from './program.ts';
import { inNamespace } from './run-wait-scenarios.ts';
import type { Wait } from './run-wait-scenarios.ts';
import type { World } from './scenarios/world.ts';

type Ask = (...words: readonly string[]) => Promise<Outcome>;

interface Reading {
  readonly name: string;
  readonly expected: string;
  readonly judge: (world: World, ask: Ask) => Promise<string | undefined>;
}

/** What the commands that only show say of a real cluster. */
export const readings: readonly Wait[] = (
  [
    { name: 'reading-trace', expected: 'each step by who took it, with events and without', judge: judgeTrace },
    {
      name: 'reading-capture',
      expected: 'the answer from the file is the live one, and no credential is in it',
      judge: judgeCapture,
    },
    {
      name: 'reading-growth',
      expected: 'preflight names the quota that a growth would exceed, and warns of nothing where it fits',
      judge: judgeGrowth,
    },
    {
      name: 'reading-authorizer',
      expected: 'what the node authorizer refuses while pods start is never called a blockage',
      judge: judgeAuthorizer,
    },
    {
      name: 'reading-frozen-api',
      expected: 'an API server that answers nothing ends the program with exit 4 and one message',
      judge: judgeFrozen,
    },
    { name: 'reading-rights', expected: 'the role is enough, and a rule that is missing is named', judge: judgeRights },
  ] satisfies readonly Reading[]
).map(({ name, expected, judge }): Wait => ({
  name,
  expected,
  run: (cluster, program) => inNamespace(name, cluster, (world) => judge(world, askAs(cluster, program))),
}));

function askAs(cluster: Cluster, program: Program): Ask {
  return (...words) =>
    runCommand('kubectl', ['csi', ...words], {
      environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs.admin, PATH: program.path },
    });
}

async function runningPod(world: World, spec: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await world.claim('data', 'fast-wffc');
  const pod = await world.pod('app', ['data'], spec);
  await until(
    'pod app to run',
    90,
    async () =>
      ((await world.api.get(pod)) as { readonly status?: { readonly phase?: string } } | undefined)?.status?.phase ===
      'Running',
  );
}

const steps = [
  ['unknown', 'pvc/data was created'],
  ['scheduler', 'chose node-a for pvc/data'],
  ['provisioner', 'created pv/'],
  ['volume controller', 'bound pvc/data to pv/'],
  ['scheduler', 'assigned pod/app to node-a'],
  ['attach-detach controller', 'requested the attachment of pv/'],
  ['attacher', 'attached pv/'],
  ['kubelet on node-a', 'had mounted all volumes of pod/app'],
  ['kubelet on node-a', 'started container app of pod/app'],
] as const;

async function judgeTrace(world: World, ask: Ask): Promise<string | undefined> {
  await runningPod(world);
  const withEvents = await judgeSteps(world, ask, true);
  if (withEvents !== undefined) return withEvents;
  for (const event of await world.api.list('v1', 'Event', world.namespace)) await world.api.remove(event);
  return judgeSteps(world, ask, false);
}

async function judgeSteps(world: World, ask: Ask, hasEvents: boolean): Promise<string | undefined> {
  const { code, output, errors } = await ask('trace', 'pod/app', '-n', world.namespace, '-o', 'json');
  if (code !== 0) return `exit ${code}: ${errors}`;
  const trace = JSON.parse(output) as Trace;
  const places = steps.map(([component, what]) =>
    trace.timeline.findIndex((moment) => moment.component === component && moment.what.startsWith(what)),
  );
  const told = trace.timeline.map(({ offset, component, what }) => `\n    +${offset} ${component}: ${what}`).join('');
  const absent = steps.filter((_, index) => places[index] === -1).map((step) => step.join(': '));
  if (absent.length > 0) return `not told ${hasEvents ? 'with' : 'without'} events: ${absent.join('; ')}${told}`;
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
    return `told in another order${told}`;
  const open = trace.accounts
    .flatMap(({ spans }) => spans)
    .filter(({ state }) => state === 'open' || state === 'unreached');
  return open.length > 0 ? `not at its end: ${open.flatMap(({ stages }) => stages).join(', ')}` : undefined;
}

/**
 * The authorizer's caches follow a new pod within half a minute. Whether it refuses the kubelet once is chance, so its
 * words are put on a pod too, which starts all the same.
 */
async function judgeAuthorizer(world: World, ask: Ask): Promise<string | undefined> {
  const names = ['one', 'two', 'three'];
  for (const name of names) await world.boundClaim(name);
  for (const name of names) await world.pod(name, [name]);
  await world.make(refusedKubelet(world, names[0] ?? ''));
  const running = new Set<string>();
  await until('the pods to run, and to be called healthy', 120, async () => {
    for (const name of names) {
      const { code, output } = await ask('why', `pod/${name}`, '-n', world.namespace, '-o', 'json');
      const [item] = (JSON.parse(output) as Report).items;
      if (code === 1 || item?.status === 'blocked')
        throw new Error(`pod ${name} starts, and is called blocked: ${item?.cause ?? ''}: ${item?.summary ?? ''}`);
      if (item?.status === 'healthy') running.add(name);
    }
    return running.size === names.length;
  });
  return undefined;
}

function refusedKubelet(world: World, pod: string): KubernetesObject {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    ...world.object('v1', 'Event', `${pod}.refused`),
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod, namespace: world.namespace },
    type: 'Warning',
    reason: 'FailedMount',
    message: `MountVolume.WaitForAttach failed for volume "pvc-1" : volumeattachments.storage.k8s.io "csi-1" is forbidden: User "system:node:node-a" cannot get resource "volumeattachments" in API group "storage.k8s.io" at the cluster scope: no relationship found between node 'node-a' and this object`,
    source: { component: 'kubelet', host: 'node-a' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}

/** A client that sets no time limit of its own is silent for 30 seconds and more. */
const silentMs = 25_000;

/** A process in front of the API server is stopped: connections are taken, and nothing is answered. */
async function judgeFrozen(world: World, askWith: Ask): Promise<string | undefined> {
  await world.boundClaim('data');
  const { kubeconfigs, server } = world.cluster.controlPlane;
  const [port = 0] = await freePorts(1);
  const kubeconfig = join(world.cluster.directory, `${world.namespace}.kubeconfig`);
  writeFileSync(kubeconfig, readFileSync(kubeconfigs.admin, 'utf8').replaceAll(server, `https://127.0.0.1:${port}`), {
    mode: 0o600,
  });
  const front = spawn('socat', [
    `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`,
    `TCP:127.0.0.1:${new URL(server).port}`,
  ]);
  const ask = (): Promise<Outcome> =>
    askWith('why', 'pvc/data', '-n', world.namespace, '--request-timeout', '3s', '--kubeconfig', kubeconfig);
  try {
    await until('an answer through the front', 30, async () => (await ask()).code === 0);
    front.kill('SIGSTOP');
    const answer = await Promise.race([ask(), sleep(silentMs, undefined)]);
    if (answer === undefined) return 'it is silent, though a request may take three seconds';
    const { code, output, errors } = answer;
    const messages = errors.split('\n').filter((line) => /^error/i.test(line));
    if (code !== 4 || output !== '' || messages.length !== 1 || !errors.includes('did not answer within 3 s'))
      return `exit ${code}, not 4 with one message: ${output}${errors}`;
    front.kill('SIGCONT');
    const again = await ask();
    return again.code === 0 ? undefined : `after it woke up, exit ${again.code}: ${again.output}${again.errors}`;
  } finally {
    front.kill('SIGKILL');
    rmSync(kubeconfig, { force: true });
  }
}

/** The API server refuses what is beyond a quota, also where a claim only grows. */
async function judgeGrowth(world: World, ask: Ask): Promise<string | undefined> {
  await world.boundClaim('data');
  await world.make({
    ...world.object('v1', 'ResourceQuota', 'storage'),
    spec: { hard: { 'requests.storage': '3Gi' } },
  });
  await until('the quota to be counted', 30, async () =>
    (await world.api.get(world.object('v1', 'ResourceQuota', 'storage')))?.['status']?.used?.['requests.storage'] ===
    '1Gi'
      ? true
      : undefined,
  );
  const file = join(world.cluster.directory, `${world.namespace}.json`);
  for (const [size, isAllowed] of [
    ['2Gi', true],
    ['5Gi', false],
  ] as const) {
    writeFileSync(file, JSON.stringify(world.claimObject('data', 'fast-immediate', {}, size)));
    const { code, output } = await ask('preflight', '-f', file, '-o', 'json');
    if (code !== (isAllowed ? 0 : 1)) return `growth to ${size}: exit ${code}: ${output}`;
    if (isAllowed && output.includes('has not touched')) return `growth to ${size}: ${output}`;
    if (!isAllowed && !/quota/i.test(output)) return `growth to ${size}: the quota is not named: ${output}`;
  }
  return undefined;
}

const planted = 'Zt7-planted-credential-Qw3';

async function judgeCapture(world: World, ask: Ask): Promise<string | undefined> {
  await runningPod(world, {
    containers: [
      {
        ...(world.podSpec(['data'])['containers'] as readonly object[])[0],
        env: [{ name: 'DATABASE_URL', value: `postgres://app:${planted}@db/app` }],
      },
    ],
  });
  await world.make({
    ...world.claimObject('lost', 'e2e-nowhere'),
    metadata: { name: 'lost', namespace: world.namespace, annotations: { 'example.com/token': planted } },
  } as KubernetesObject);
  await world.pod('waits', ['lost']);
  const file = join(world.cluster.directory, `${world.namespace}.json.gz`);
  const verdicts = async (...from: readonly string[]): Promise<string> =>
    JSON.stringify(
      (JSON.parse((await ask('why', '-n', world.namespace, '-o', 'json', ...from)).output) as Report).items.map(
        ({ target, status, stage, cause, summary }) => [
          target,
          status,
          stage,
          cause,
          summary.replaceAll(/\b(?:\d+[dhms])+\b/g, ''),
        ],
      ),
    );
  try {
    const captured = await ask('capture', '-n', world.namespace, '-o', file, '--force');
    if (captured.code !== 0) return `exit ${captured.code}: ${captured.errors}`;
    if (gunzipSync(readFileSync(file)).includes(planted)) return 'the planted credential is in the file';
    const [live, read] = [await verdicts(), await verdicts('--from', file)];
    if (!live.includes('sc-missing')) return `the live answer is not the expected one: ${live}`;
    return live === read ? undefined : `live ${live}\n    from the file ${read}`;
  } finally {
    rmSync(file, { force: true });
  }
}

const commands = ['why', 'status', 'get', 'trace', 'capture'] as const;
const dropped = 'csinodes';

async function judgeRights(world: World, ask: Ask): Promise<string | undefined> {
  await runningPod(world);
  const name = `${world.namespace}-reader`;
  const who = ['--as', name] as const;
  const roles = (
    JSON.parse((await ask('rbac', ...commands, '--name', name, '--bind', `user:${name}`, '-o', 'json')).output) as {
      readonly items: readonly KubernetesObject[];
    }
  ).items;
  for (const role of roles) await world.make(role);
  const allowed = async (): Promise<AccessReport> =>
    JSON.parse((await ask('rbac', '--check', ...commands, ...who, '-o', 'json')).output) as AccessReport;
  await until('the role to hold', 30, async () => (await allowed()).summary.missing === 0);
  const questions = [
    ['why', '-A'],
    ['status'],
    ['get', 'pvc,pv,sc,csinodes,attachments,drivers,snapshots,capacity', '-A', '-o', 'wide'],
    ['trace', 'pod/app', '-n', world.namespace],
    ['capture', '-A', '--dry-run'],
  ];
  for (const words of questions) {
    const { code, output, errors } = await ask(...words, ...who);
    if (code > 1 || /forbidden|could not read/.test(output + errors))
      return `${words.join(' ')} lacks something, exit ${code}: ${(output + errors)
        .split('\n')
        .filter((line) => /forbidden|could not read|error/.test(line))
        .join('; ')}`;
  }
  const [role] = roles as readonly (KubernetesObject & {
    readonly rules: readonly { readonly resources: readonly string[] }[];
  })[];
  if (role === undefined) return 'rbac printed no role';
  await world.api.patch(role, { rules: role.rules.filter(({ resources }) => !resources.includes(dropped)) });
  const missing = await until(`${dropped} to be refused`, 30, async () => {
    const found = (await allowed()).items.filter((item) => item.allowed === false);
    return found.length > 0 ? found : undefined;
  });
  if (missing.some(({ resource }) => resource !== dropped))
    return `rbac --check names ${[...new Set(missing.map(({ resource }) => resource))].join(', ')}`;
  const { output } = await ask('status', ...who);
  const refused = [...output.matchAll(/could not read (\w+) \(forbidden\)/g)].map(([, resource]) => resource);
  return refused.length > 0 && refused.every((resource) => resource === dropped)
    ? undefined
    : `status names ${refused.join(', ') || 'nothing'} as refused`;
}
