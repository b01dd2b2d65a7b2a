import { capabilityName } from '../../core/kube/capability-names.ts';
import type { ProbeCapabilities, ProbeItem } from '../../core/report/probe-report.ts';
import type { CallResult, CsiConnection } from './client.ts';
import { secondsText } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { whyNameInvalid } from './driver-name.ts';
import type { Endpoint } from './endpoint.ts';
import { verdictOf } from './failure-words.ts';
import type { Verdict } from './failure-words.ts';
import { driverError, isUnimplemented } from './identity.ts';
import type { cosiInfo, cosiInfoV2 } from './messages.ts';
import { methods } from './methods.ts';
import type { Problem } from './problem.ts';

/** How long the sidecar of v1alpha2 waits for its driver before it exits. */
const sidecarPatienceMs = 120_000;
/** An RFC 1035 label: the sidecar of v1alpha2 refuses a name with a part that begins with a digit or has capitals. */
const sidecarLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** DriverGetInfo of the two versions of the Container Object Storage Interface, which share nothing but the name. */
export interface CosiResults {
  readonly first: CallResult<typeof cosiInfo>;
  readonly second: CallResult<typeof cosiInfoV2>;
}

export async function askCosi(connection: CsiConnection, deadline: Deadline): Promise<CosiResults> {
  const [first, second] = await Promise.all([
    connection.call(methods.cosiGetInfo, deadline),
    connection.call(methods.cosiGetInfoV2, deadline),
  ]);
  return { first, second };
}

/** Undefined if the server does not report to be a driver of object storage. */
export function judgeCosi(
  { first, second }: CosiResults,
  endpoint: Endpoint,
  expectedName?: string,
): (Verdict & Partial<ProbeItem>) | undefined {
  const spoken =
    [second, first].find(({ type }) => type === 'answer') ?? [second, first].find((one) => !isUnimplemented(one));
  if (!spoken) return undefined;
  const latencyMs = Math.round(spoken.latencyMs * 10) / 10;
  if (spoken.type !== 'answer')
    return { ...verdictOf(spoken.type === 'broken' ? spoken.problem : driverError(spoken), endpoint), latencyMs };
  const versions = [
    ...(first.type === 'answer' ? ['v1alpha1'] : []),
    ...(second.type === 'answer' ? ['v1alpha2'] : []),
  ];
  const { name } = spoken.value as { readonly name: string };
  const capabilities = second.type === 'answer' ? protocolsOf(second.value) : undefined;
  const about = {
    ...(name !== '' && { driver: name }),
    latencyMs,
    notes: [
      `it speaks COSI ${versions.join(' and ')}`,
      ...(latencyMs >= sidecarPatienceMs ? ['it answers later than its sidecar waits'] : []),
    ],
    ...(capabilities && { capabilities }),
  };
  const problem = judgeName(name, second.type === 'answer', expectedName);
  if (problem) return { ...verdictOf(problem, endpoint), ...about };
  if (capabilities && (capabilities.object ?? []).length === 0)
    return {
      status: 'unhealthy',
      stage: 'semantic',
      summary: 'the driver lists no object protocol, and its sidecar exits on this answer',
      fix: [{ text: 'Report it to the vendor of the driver: v1alpha2 requires at least one protocol.', risk: 'safe' }],
      ...about,
    };
  return {
    status: 'ready',
    summary: `the driver of object storage is ready and answers in ${secondsText(latencyMs)}`,
    fix: [],
    ...about,
  };
}

function judgeName(name: string, isSecond: boolean, expectedName: string | undefined): Problem | undefined {
  if (name === '') return { failure: 'name-empty' };
  const reason =
    whyNameInvalid(name) ??
    (isSecond && !name.split('.').every((part) => sidecarLabel.test(part))
      ? `each part of "${name}" must begin with a lower-case letter, or the sidecar of v1alpha2 exits`
      : undefined);
  if (reason !== undefined) return { failure: 'name-invalid', detail: reason };
  return expectedName !== undefined && expectedName !== name
    ? { failure: 'name-mismatch', detail: `it reports ${name}, but ${expectedName} was expected` }
    : undefined;
}

function protocolsOf({
  supportedProtocols,
}: {
  readonly supportedProtocols: readonly { readonly type: number }[];
}): ProbeCapabilities {
  return { object: supportedProtocols.map(({ type }) => capabilityName('object', type)) };
}
