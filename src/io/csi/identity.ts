import { capabilityName } from '../../core/kube/capability-names.ts';
import type { CallerPatience } from '../../core/report/driver-endpoints.ts';
import type { ProbeCapabilities } from '../../core/report/probe-report.ts';
import type { CallResult, CsiConnection } from './client.ts';
import { secondsText } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { remarkOnName, whyNameInvalid } from './driver-name.ts';
import type { pluginCapabilities, pluginInfo, probeAnswer } from './messages.ts';
import { methods } from './methods.ts';
import type { Problem } from './problem.ts';
import type { Decoded } from './wire.ts';

export interface IdentityResults {
  readonly info: CallResult<typeof pluginInfo>;
  readonly capabilities: CallResult<typeof pluginCapabilities>;
  readonly probe: CallResult<typeof probeAnswer>;
}

/** The three calls of the Identity service, at the same time on one connection. */
export async function askIdentity(connection: CsiConnection, deadline: Deadline): Promise<IdentityResults> {
  const [info, capabilities, probe] = await Promise.all([
    connection.call(methods.getPluginInfo, deadline),
    connection.call(methods.getPluginCapabilities, deadline),
    connection.call(methods.probe, deadline),
  ]);
  return { info, capabilities, probe };
}

export const isUnimplemented = (result: CallResult): boolean =>
  result.type === 'status' && result.code === 'UNIMPLEMENTED';

/** Neither GetPluginInfo nor Probe is implemented, so this is no CSI 1.x driver. */
export const lacksIdentity = ({ info, probe }: IdentityResults): boolean =>
  isUnimplemented(info) && isUnimplemented(probe);

/**
 * The first problem, the most severe first: broken calls, errors from the driver, then what it reports about itself.
 */
export function judgeIdentity(results: IdentityResults, expectedName: string | undefined): Problem | undefined {
  const { info, capabilities, probe } = results;
  for (const result of [info, probe, capabilities]) if (result.type === 'broken') return result.problem;
  if (probe.type === 'status') return judgeProbeStatus(probe);
  for (const result of [info, capabilities]) if (result.type === 'status') return driverError(result);
  if (info.type === 'answer') {
    const problem = judgeInfo(info.value, expectedName);
    if (problem !== undefined) return problem;
  }
  // Without `ready` the driver is ready; an empty wrapper message means false (CSI, ProbeResponse).
  return probe.type === 'answer' && probe.value.ready?.value === false ? { failure: 'not-ready' } : undefined;
}

function judgeProbeStatus(result: CallResult & { readonly type: 'status' }): Problem {
  if (result.code === 'UNIMPLEMENTED') return { failure: 'probe-unimplemented', code: result.code };
  if (result.code === 'FAILED_PRECONDITION')
    return { failure: 'failed-precondition', code: result.code, message: result.message };
  return driverError(result);
}

export function driverError(result: CallResult & { readonly type: 'status' }): Problem {
  return { failure: 'driver-error', code: result.code, message: result.message, method: result.method };
}

function judgeInfo(
  { name, vendorVersion }: Decoded<typeof pluginInfo>,
  expectedName: string | undefined,
): Problem | undefined {
  if (name === '') return { failure: 'name-empty' };
  const reason = whyNameInvalid(name);
  if (reason !== undefined) return { failure: 'name-invalid', detail: reason };
  if (expectedName !== undefined && name !== expectedName)
    return { failure: 'name-mismatch', detail: `it reports ${name}, but ${expectedName} was expected` };
  return vendorVersion === '' ? { failure: 'version-empty' } : undefined;
}

export function identityCapabilities({ capabilities }: IdentityResults): ProbeCapabilities {
  if (capabilities.type !== 'answer') return {};
  const said = capabilities.value.capabilities;
  return {
    plugin: said.flatMap(({ service }) => (service === undefined ? [] : [capabilityName('plugin', service.type)])),
    expansion: said.flatMap(({ volumeExpansion }) =>
      volumeExpansion === undefined ? [] : [capabilityName('expansion', volumeExpansion.type)],
    ),
  };
}

/** How long the callers in a cluster wait by default; for a slower driver they time out. */
const patience = [
  { caller: 'the node-driver-registrar', milliseconds: 1000 },
  { caller: 'the livenessprobe sidecar', milliseconds: 3000 },
  { caller: 'the provisioner and the resizer', milliseconds: 10_000 },
  { caller: 'the attacher', milliseconds: 15_000 },
] as const;

export function remarksOnIdentity(results: IdentityResults, callers?: readonly CallerPatience[]): string[] {
  // The time of a call without an answer is our own limit and shows nothing about the driver.
  const latency = [results.info, results.capabilities, results.probe].some(({ type }) => type === 'broken')
    ? 0
    : identityLatency(results);
  return [
    ...(callers === undefined ? remarkOnUsualPatience(latency) : remarkOnPatience(latency, callers)),
    ...(results.info.type === 'answer' ? remarkOnName(results.info.value.name) : []),
  ];
}

function remarkOnUsualPatience(latency: number): string[] {
  const lost = patience
    .filter(({ milliseconds }) => latency >= milliseconds)
    .map(({ caller, milliseconds }) => `${caller} (${secondsText(milliseconds)})`);
  return lost.length === 0
    ? []
    : [
        `it answers in ${secondsText(latency)}, which is longer than ${lost.join(', ')} by default ${lost.length === 1 ? 'waits' : 'wait'}`,
      ];
}

/** The same for the callers that this driver has in this cluster. */
export function remarkOnPatience(latency: number, callers: readonly CallerPatience[]): string[] {
  const lost = callers
    .filter(({ milliseconds }) => latency >= milliseconds)
    .map(
      ({ caller, milliseconds }, index) =>
        `${caller} ${index === 0 ? 'gives up ' : ''}after ${secondsText(milliseconds)}`,
    );
  return lost.length === 0 ? [] : [`it answers in ${secondsText(latency)}: ${lost.join(', ')}`];
}

/** The slowest of the three calls. */
export function identityLatency({ info, capabilities, probe }: IdentityResults): number {
  return Math.max(info.latencyMs, capabilities.latencyMs, probe.latencyMs);
}
