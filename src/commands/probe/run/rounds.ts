import { resolve } from 'node:path';
import { interruption } from '../../../cli/interruption.ts';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import { probeReportOf } from '../../../core/report/probe-report.ts';
import type { ProbeReport } from '../../../core/report/probe-report.ts';
import { usualKubeletRoots } from '../../../io/csi/find-endpoints.ts';
import type { ProbeOptions } from '../../../io/csi/probe-endpoint.ts';
import { probeEndpoints } from '../../../io/csi/probe-endpoints.ts';
import { findPublishedVolumes } from '../../../io/csi/published-volumes.ts';
import type { PublishedVolume } from '../../../io/csi/published-volumes.ts';
import { complain } from '../../../terminal/output.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { concurrencyOf } from '../flags.ts';
import type { ProbeFlags } from '../flags.ts';
import { planProbe } from './endpoints.ts';

/** The image of the hostpath driver, which has socat. */
const usualProbeImage = 'registry.k8s.io/sig-storage/hostpathplugin:v1.15.0';

/**
 * Each round probes everything that was requested; sockets and pods are found again each time, because they come and
 * go.
 */
export interface Rounds {
  readonly look: () => Promise<ProbeReport>;
  readonly close: () => Promise<void>;
  /** Absent if nothing has to be cleaned up, so that Ctrl-C may end the process at once. */
  readonly signal?: AbortSignal;
}

export function localRounds(endpoints: readonly string[], flags: ProbeFlags, options: ProbeOptions): Rounds {
  const plan = planProbe(endpoints, flags['kubelet-root']);
  const look = async (): Promise<ProbeReport> => {
    const { endpoints: found, settled } = await plan();
    // Read again in each round, once for all drivers.
    let volumes: Promise<readonly PublishedVolume[]> | undefined;
    const roots = flags['kubelet-root'] === undefined ? usualKubeletRoots : [resolve(flags['kubelet-root'])];
    const published = (): Promise<readonly PublishedVolume[]> => (volumes ??= findPublishedVolumes(roots));
    const items = await probeEndpoints(found, { ...options, published });
    return probeReportOf([...items, ...settled], new Date().toISOString());
  };
  return { look, close: () => Promise.resolve() };
}

export async function clusterRounds(
  drivers: readonly string[],
  flags: ProbeFlags,
  options: ProbeOptions,
): Promise<Rounds> {
  const tunnelCommand = flags['tunnel-command'];
  if (tunnelCommand !== undefined)
    (await import('../../../io/csi/tunnel-command.ts')).checkTunnelCommand(tunnelCommand);
  const concurrency = concurrencyOf(flags.concurrency);
  const { openSource } = await import('../../../cli/open-source.ts');
  const { probeCluster } = await import('../../../cli/probe-cluster.ts');
  const source = await openSource(flags).catch((error: unknown) => {
    throw withoutDumpHint(error, drivers);
  });
  const signal = flags.exec || flags['create-pods'] ? interruption() : undefined;
  const announce = announceOnce();
  return {
    look: () =>
      probeCluster(source, {
        ...options,
        question: { drivers, nodes: flags.node ?? [] },
        allNodes: flags['all-nodes'],
        exec: flags.exec,
        createPods: flags['create-pods'],
        ...(tunnelCommand !== undefined && { tunnelCommand }),
        concurrency,
        image: flags['probe-image'] ?? usualProbeImage,
        probeNamespace: flags['probe-namespace'],
        signal: signal ?? new AbortController().signal,
        announce,
      }),
    close: () => source.close(),
    ...(signal !== undefined && { signal }),
  };
}

/** Without a cluster other commands suggest a dump, which has no pods to probe. */
function withoutDumpHint(error: unknown, drivers: readonly string[]): unknown {
  if (!(error instanceof EnvironmentError) || error.next?.includes('--from') !== true) return error;
  const next =
    drivers.length > 0
      ? 'Pass --kubeconfig or --context, or an endpoint on this machine'
      : 'Pass --kubeconfig or --context, run it as root on a node, or pass an endpoint such as /csi/csi.sock';
  return new EnvironmentError(error.message, next, { cause: error });
}

/** The same announcement is printed once, for all rounds together. */
function announceOnce(): (lines: readonly string[]) => Promise<void> {
  let announced = '';
  return async (lines) => {
    if (lines.join('\n') !== announced) await tell(lines);
    announced = lines.join('\n');
  };
}

/** Prints lines on standard error; their indentation survives the sanitising. */
export async function tell(lines: readonly string[]): Promise<void> {
  await complain(lines.map((line) => (/^ */.exec(line)?.[0] ?? '') + sanitise(line)).join('\n'));
}
