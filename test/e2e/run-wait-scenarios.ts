import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitReport } from '../../src/core/report/wait.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import type { Program } from './program.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import { waitScenarios } from './scenarios/wait.ts';
import type { WaitScenario } from './scenarios/wait.ts';
import { World } from './scenarios/world.ts';

export interface Wait {
  readonly name: string;
  readonly expected: string;
  readonly run: (cluster: Cluster, program: Program) => Promise<ProbeResult>;
}

const pipelineNames = ['wait-pipeline', 'wait-pipeline-missing-class'] as const;

export const waits: readonly Wait[] = [
  ...waitScenarios.map((scenario): Wait => ({
    name: scenario.name,
    expected: scenario.cause ?? scenario.result,
    run: (cluster, program) => runWaitScenario(scenario, cluster, program),
  })),
  ...pipelineNames.map((name): Wait => ({
    name,
    expected: 'the script of docs/ci.md',
    run: (cluster, program) => runPipeline(name, cluster, program),
  })),
];

/** One wait on the real cluster, with what happens meanwhile. */
async function runWaitScenario(scenario: WaitScenario, cluster: Cluster, program: Program): Promise<ProbeResult> {
  const { name, prepare, words, meanwhile, user = 'admin' } = scenario;
  return inNamespace(name, cluster, async (world) => {
    await prepare?.(world);
    let happens: Promise<unknown> = Promise.resolve();
    const onFirstWord = (): void => {
      happens = (meanwhile?.(world) ?? Promise.resolve()).then(
        () => undefined,
        (error: unknown) => error,
      );
    };
    const { code, output, errors } = await runCommand(
      'kubectl',
      ['csi', 'wait', ...words, '-n', world.namespace, '--timeout=5m', '-o', 'json'],
      { environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs[user], PATH: program.path }, onFirstWord },
    );
    const trouble = await happens;
    return trouble === undefined
      ? judge(scenario, code, output, errors)
      : `what should happen meanwhile failed: ${trouble instanceof Error ? trouble.message : String(trouble)}`;
  });
}

function judge({ result, cause }: WaitScenario, code: number, output: string, errors: string): string | undefined {
  let report: WaitReport;
  try {
    report = JSON.parse(output) as WaitReport;
  } catch {
    return `exit ${code} without a report: ${output}${errors}`;
  }
  const said = {
    exitCode: code,
    result: report.result,
    cause: report.items.find(({ state }) => state === 'unreachable')?.explanation?.cause,
  };
  const expected = { exitCode: result === 'reached' ? 0 : 1, result, cause };
  return JSON.stringify(said) === JSON.stringify(expected)
    ? undefined
    : `${JSON.stringify(said)}, not ${JSON.stringify(expected)}\n    ${errors.trim().replaceAll('\n', '\n    ')}`;
}

/** The script of docs/ci.md with the real kubectl: an application that works, and one whose class does not exist. */
async function runPipeline(
  name: (typeof pipelineNames)[number],
  cluster: Cluster,
  program: Program,
): Promise<ProbeResult> {
  return inNamespace(name, cluster, async (world) => {
    const works = name === 'wait-pipeline';
    const manifests = [
      world.claimObject('data', works ? 'fast-wffc' : 'e2e-platinum'),
      { ...world.object('v1', 'Pod', 'web'), spec: world.podSpec(['data']) },
    ];
    const items = manifests.map((object) => ({ ...object, metadata: { ...object.metadata, labels: { app: 'web' } } }));
    const file = join(cluster.directory, `${name}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const { code, output, errors } = await runCommand(
      'sh',
      [join(import.meta.dirname, '../../docs/ci/deploy-and-wait.sh')],
      {
        environment: {
          KUBECONFIG: cluster.controlPlane.kubeconfigs.admin,
          PATH: program.path,
          NAMESPACE: world.namespace,
          APP: 'web',
          MANIFESTS: file,
        },
      },
    );
    const isRight = works
      ? code === 0 && output.endsWith('the storage of web is there\n')
      : code === 1 && output.includes('Cause: sc-missing');
    return isRight ? undefined : `exit ${code}: ${output}${errors}`;
  });
}

export async function inNamespace(
  name: string,
  cluster: Cluster,
  run: (world: World) => Promise<string | undefined>,
): Promise<ProbeResult> {
  const started = Date.now();
  const world = new World(cluster, `e2e-${name}`);
  const result = (problem?: string): ProbeResult => ({
    name,
    seconds: Math.round((Date.now() - started) / 1000),
    ...(problem !== undefined && { problem }),
  });
  try {
    await world.open();
    return result(await run(world));
  } catch (error) {
    return result(`the scenario itself failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await world.close().catch(() => {});
  }
}
