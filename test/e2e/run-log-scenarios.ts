import { setTimeout as sleep } from 'node:timers/promises';
import type { Report, ReportItem } from '../../src/core/report/report.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import type { Program } from './program.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import type { LogFault } from './scenarios/logs.ts';
import { World } from './scenarios/world.ts';

const patienceSeconds = 90;
/** Their lines mix in the same logs, as those of a driver with several troubles do. */
const sideBySide = 4;

/**
 * Faults that nothing but a log tells. The API server refuses every event of the namespace, as if all of them had been deleted:
 * without logs the cause must stay open, and with them one line must name it.
 */
export async function runLogScenarios(
  faults: readonly LogFault[],
  cluster: Cluster,
  program: Program,
  tell: (result: ProbeResult) => void,
): Promise<readonly ProbeResult[]> {
  if (faults.length === 0) return [];
  const world = new World(cluster, 'e2e-logs');
  const results: ProbeResult[] = [];
  try {
    await world.open();
    await refuseEvents(world);
    const { driver } = await world.deployedDriver({
      name: 'chatty.csi.test',
      pluginIn: 'daemonSet',
      spec: { attachRequired: false },
    });
    const place = {
      world,
      driver: driver.name,
      refuse: (method: string, code: number, message: string, within: string) =>
        void driver.faults.add({ method, code, message, within }),
    };
    const work = async (fault: LogFault): Promise<void> => {
      const started = Date.now();
      const problem = await runFault(fault, place, cluster, program).catch(
        (error: unknown) => `the scenario itself failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      const seconds = Math.round((Date.now() - started) / 1000);
      const result = { name: fault.name, seconds, ...(problem !== undefined && { problem }) };
      results.push(result);
      tell(result);
    };
    const queue = [...faults];
    const next = async (): Promise<void> => {
      for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) await work(fault);
    };
    await Promise.all(Array.from({ length: sideBySide }, next));
  } finally {
    await world.close().catch(() => {});
  }
  return results;
}

/** KEP-3488: a policy that allows no event in this namespace. */
async function refuseEvents(world: World): Promise<void> {
  const name = `${world.namespace}-events`;
  await world.make({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['', 'events.k8s.io'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['events'],
          },
        ],
      },
      validations: [{ expression: 'false', message: 'no events here' }],
    },
  });
  await world.make({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: {
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: [world.namespace, 'default'] },
          ],
        },
      },
    },
  });
  // The API server compiles a policy some seconds after it was created.
  await sleep(5000);
}

async function runFault(
  fault: LogFault,
  place: Parameters<LogFault['break']>[0],
  cluster: Cluster,
  program: Program,
): Promise<string | undefined> {
  const target = await fault.break(place);
  const { namespace } = place.world;
  const ask = (logs: string): Promise<ReportItem | undefined> => askWhy(target, namespace, logs, cluster, program);
  const began = Date.now();
  for (;;) {
    const informed = await ask('always');
    const problem = problemOf(fault, informed);
    if (problem === undefined) break;
    if (Date.now() - began > patienceSeconds * 1000) return problem;
    await sleep(3000);
  }
  const blind = await ask('never');
  const confidence = blind?.findings.find(({ role }) => role === 'cause')?.confidence;
  return fault.causes.includes(blind?.cause ?? '') && confidence === 'certain'
    ? `${blind?.cause} is certain without the log: it proves nothing`
    : undefined;
}

function problemOf({ causes, mention }: LogFault, item: ReportItem | undefined): string | undefined {
  if (item === undefined) return 'there is no report';
  const { status, cause, findings, logs } = item;
  const said = `${status} ${cause ?? '-'} (logs: ${logs?.effect ?? 'not read'}, first error: ${logs?.firstError?.line ?? '-'})`;
  if (!causes.includes(cause ?? '')) return `${said}, not ${causes.join(' or ')}`;
  const evidence = findings.find(({ role }) => role === 'cause')?.evidence ?? [];
  const line = evidence.find(({ path }) => path?.startsWith('log['));
  if (line === undefined) return `${said}: no line of a log is quoted`;
  return line.value?.includes(mention) === true
    ? undefined
    : `the quoted line does not hold "${mention}": ${line.value}`;
}

async function askWhy(
  target: string,
  namespace: string,
  logs: string,
  cluster: Cluster,
  program: Program,
): Promise<ReportItem | undefined> {
  const { output, errors } = await runCommand(
    'kubectl',
    ['csi', 'why', target, '-n', namespace, `--logs=${logs}`, '-o', 'json'],
    { environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs.admin, PATH: program.path } },
  );
  try {
    return (JSON.parse(output) as Report).items[0];
  } catch {
    throw new Error(`${output}${errors}`);
  }
}
