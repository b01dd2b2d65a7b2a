import type { Cluster } from './cluster/cluster.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import { World } from './scenarios/world.ts';

interface JudgedScenario<Place> {
  readonly name: string;
  /** What is wrong with the answer, if anything. */
  readonly judge: (place: Place) => Promise<string | undefined>;
}

/** Prepares one world, judges all scenarios in it one after the other, and removes it. */
export async function judgeInWorld<Place>(
  scenarios: readonly JudgedScenario<Place>[],
  cluster: Cluster,
  namespace: string,
  prepare: (world: World) => Promise<Place>,
  report: (result: ProbeResult) => void,
): Promise<readonly ProbeResult[]> {
  if (scenarios.length === 0) return [];
  const world = new World(cluster, namespace);
  const results: ProbeResult[] = [];
  try {
    await world.open();
    const place = await prepare(world);
    for (const { name, judge } of scenarios) {
      const started = Date.now();
      const problem = await judge(place).catch(
        (error: unknown) => `the scenario itself failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      const seconds = Math.round((Date.now() - started) / 1000);
      const result = { name, seconds, ...(problem !== undefined && { problem }) };
      results.push(result);
      report(result);
    }
  } finally {
    await world.close().catch(() => {});
  }
  return results;
}
