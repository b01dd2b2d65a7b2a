import type { ProbeItem } from '../../core/report/probe-report.ts';
import type { CallResult } from './client.ts';
import { secondsText } from './deadline.ts';
import { whyNameInvalid } from './driver-name.ts';
import type { Endpoint, UnixEndpoint } from './endpoint.ts';
import { verdictOf } from './failure-words.ts';
import type { Verdict } from './failure-words.ts';
import { driverError, isUnimplemented } from './identity.ts';
import type { registrationInfo } from './messages.ts';
import type { Problem } from './problem.ts';
import type { Decoded } from './wire.ts';

/** How long kubelet waits for GetInfo (pkg/kubelet/pluginmanager/operationexecutor). */
const kubeletPatienceMs = 1000;
const driverType = 'CSIPlugin';

/** How kubelet would treat this registration socket. */
export function judgeRegistration(
  result: CallResult<typeof registrationInfo>,
  endpoint: Endpoint,
): Verdict & Partial<ProbeItem> {
  const problem = problemOf(result);
  if (result.type !== 'answer') return verdictOf(problem ?? { failure: 'service-absent' }, endpoint);
  const { type, name, endpoint: own, supportedVersions } = result.value;
  const about = {
    ...(name !== '' && { driver: name }),
    registration: { type, name, endpoint: own, supportedVersions },
  };
  const notes = [
    ...(type === driverType ? [] : [`it registers a ${type || 'plugin without a type'}, which is not a CSI driver`]),
    ...(result.latencyMs >= kubeletPatienceMs
      ? [`it answers in ${secondsText(result.latencyMs)}, but the kubelet waits only ${secondsText(kubeletPatienceMs)}`]
      : []),
  ];
  if (problem !== undefined) return { ...verdictOf(problem, endpoint), ...about, notes };
  return {
    status: 'ready',
    summary:
      own === ''
        ? `the kubelet can register ${name} here`
        : `the kubelet can register ${name} here; the driver listens at ${own}`,
    fix: [],
    ...about,
    notes,
  };
}

function problemOf(result: CallResult<typeof registrationInfo>): Problem | undefined {
  if (result.type === 'broken') return result.problem;
  if (result.type === 'status')
    return isUnimplemented(result)
      ? {
          failure: 'service-absent',
          detail: 'it does not serve the registration service, so the kubelet cannot register a plugin here',
          code: result.code,
        }
      : driverError(result);
  return judgeInfo(result.value);
}

function judgeInfo({ type, name, supportedVersions }: Decoded<typeof registrationInfo>): Problem | undefined {
  if (name === '') return { failure: 'name-empty' };
  if (type !== driverType) return undefined;
  const reason = whyNameInvalid(name);
  if (reason !== undefined) return { failure: 'name-invalid', detail: reason };
  // Kubelet chooses the highest version that it supports, and it supports major version 1 only.
  return supportedVersions.some((version) => /^v?1(\.|$)/.test(version))
    ? undefined
    : {
        failure: 'csi-v0',
        detail:
          supportedVersions.length === 0
            ? 'it announces no version at all'
            : `it announces ${supportedVersions.join(', ')}`,
      };
}

/** Where the registered driver listens; as in kubelet, only a socket on this machine. */
export function driverBehind(item: ProbeItem): UnixEndpoint | undefined {
  const { registration } = item;
  if (registration === undefined || registration.type !== driverType) return undefined;
  const path =
    registration.endpoint === ''
      ? item.endpoint.replace(/^unix:\/\//, '')
      : registration.endpoint.replace(/^unix:(\/\/)?/, '');
  return path.startsWith('/') && !/[\u0000-\u001f\u007f]/.test(path) ? { type: 'unix', path } : undefined;
}
