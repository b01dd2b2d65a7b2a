import type { ProbeReport } from '../../src/core/report/probe-report.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runCommand } from './cluster/command.ts';
import type { Program } from './program.ts';
import { bring, probeScenarios, restore } from './scenarios/probe.ts';
import type { ProbeScenario } from './scenarios/probe.ts';
import type { PoddedDriver } from './storage/podded-driver.ts';

export interface ProbeResult {
  readonly name: string;
  readonly seconds: number;
  /** What went wrong; nothing if it passed. */
  readonly problem?: string;
}

const namespace = 'e2e-probe';
/** It has socat, and nothing can be pulled here. */
const probeImage = 'kubectl-csi.test/hostpathplugin:v1.7.2';

/** Asks two drivers in pods in every way, while they work, are dead and are frozen. One after the other: they share the drivers. */
export async function runProbeScenarios(
  chosen: readonly ProbeScenario[],
  cluster: Cluster,
  program: Program,
  tell: (result: ProbeResult) => void,
): Promise<readonly ProbeResult[]> {
  if (chosen.length === 0) return [];
  const drivers: Readonly<Record<ProbeScenario['driver'], PoddedDriver>> = {
    open: await cluster.startPoddedDriver({ name: 'open.probe.test', namespace }),
    shy: await cluster.startPoddedDriver({ name: 'shy.probe.test', namespace, health: 'loopback' }),
  };
  const results: ProbeResult[] = [];
  const note = (result: ProbeResult): void => {
    results.push(result);
    tell(result);
  };
  try {
    for (const state of ['works', 'dead', 'frozen'] as const) {
      const scenarios = chosen.filter((scenario) => scenario.state === state);
      const concerned = [...new Set(scenarios.map(({ driver }) => drivers[driver]))];
      for (const driver of concerned) await bring(driver, state);
      for (const scenario of scenarios)
        note(await runProbeScenario(scenario, drivers[scenario.driver], cluster, program));
      for (const driver of concerned) await restore(driver, state);
    }
    note(await nothingIsLeft(cluster));
  } finally {
    for (const driver of Object.values(drivers)) await driver.stop().catch(() => {});
  }
  return results;
}

async function runProbeScenario(
  scenario: ProbeScenario,
  driver: PoddedDriver,
  cluster: Cluster,
  program: Program,
): Promise<ProbeResult> {
  const started = Date.now();
  const { code, output, errors } = await ask(scenario, driver, cluster, program);
  const seconds = Math.round((Date.now() - started) / 1000);
  const problem = judge(scenario, code, output, errors);
  return { name: scenario.name, seconds, ...(problem !== undefined && { problem }) };
}

function ask(
  { way, user = 'admin' }: ProbeScenario,
  driver: PoddedDriver,
  cluster: Cluster,
  program: Program,
): ReturnType<typeof runCommand> {
  const words = {
    socket: [driver.socket],
    healthz: [driver.name],
    exec: [driver.name, '--exec'],
    pod: [driver.name, '--create-pods', '--probe-image', probeImage],
  }[way];
  return runCommand('kubectl', ['csi', 'probe', ...words, '-o', 'json'], {
    environment: { KUBECONFIG: cluster.controlPlane.kubeconfigs[user], PATH: program.path },
  });
}

function judge({ expected }: ProbeScenario, exitCode: number, output: string, errors: string): string | undefined {
  let report: ProbeReport;
  try {
    report = JSON.parse(output) as ProbeReport;
  } catch {
    return `exit ${exitCode} without a report: ${output}${errors}`;
  }
  const [item, ...others] = report.items;
  if (item === undefined || others.length > 0) return `${report.items.length} items, not one`;
  const said = {
    exitCode,
    via: item.via,
    status: item.status,
    ...(item.failure !== undefined && { failure: item.failure }),
  };
  return JSON.stringify(said) === JSON.stringify(expected)
    ? undefined
    : `${JSON.stringify(said)}, not ${JSON.stringify(expected)}\n    ${item.summary}\n    ${JSON.stringify(item.routes ?? [])}`;
}

/** What was created is gone, and no command runs on in a container. */
async function nothingIsLeft(cluster: Cluster): Promise<ProbeResult> {
  const pods = (await cluster.api.list('v1', 'Pod', namespace)).filter(({ metadata }) =>
    metadata.name.startsWith('kubectl-csi-probe-'),
  );
  const { output } = await runCommand('pgrep', ['-f', 'socat - UNIX-CONNECT:'], {});
  const left = [
    ...pods.map(({ metadata }) => `pod ${metadata.name}`),
    ...output
      .split('\n')
      .filter((pid) => pid !== '')
      .map((pid) => `process ${pid}`),
  ];
  return {
    name: 'probe-leaves-nothing',
    seconds: 0,
    ...(left.length > 0 && { problem: `left behind: ${left.join(', ')}` }),
  };
}

export { probeScenarios };
