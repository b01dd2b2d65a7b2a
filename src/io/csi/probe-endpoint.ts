import type { CallerPatience } from '../../core/report/driver-endpoints.ts';
import type { ProbeCall, ProbeItem } from '../../core/report/probe-report.ts';
import { askCosi, judgeCosi } from './cosi.ts';
import type { CallResult, CsiConnection, CsiDialer } from './client.ts';
import { deadlineIn, secondsText, within } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { askDeep } from './deep.ts';
import { looksLikeCosi, looksLikeRegistration, showEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { verdictOf } from './failure-words.ts';
import type { Verdict } from './failure-words.ts';
import { shakeHands } from './handshake.ts';
import {
  askIdentity,
  identityCapabilities,
  identityLatency,
  judgeIdentity,
  lacksIdentity,
  remarksOnIdentity,
} from './identity.ts';
import type { IdentityResults } from './identity.ts';
import { methods } from './methods.ts';
import { checkPath } from './path-check.ts';
import type { PublishedVolume } from './published-volumes.ts';
import { isDoubt } from './problem.ts';
import type { Doubt, Problem } from './problem.ts';
import { judgeRegistration } from './registration.ts';

export interface ProbeOptions {
  /** For the handshake and the three calls of the Identity service together; the deeper calls get as much again. */
  readonly timeoutMs: number;
  readonly deep: boolean;
  readonly expectedName?: string;
  /** Treat it as the driver's own socket, even if its name looks different. */
  readonly asDriver?: boolean;
  /** The components that call the driver, and how long they wait; by default the callers of any cluster. */
  readonly callers?: readonly CallerPatience[];
  /** With `deep`: the volumes that are mounted on this node. */
  readonly published?: () => Promise<readonly PublishedVolume[]>;
  readonly loadDialer?: () => Promise<CsiDialer>;
}

/** Loading gRPC keeps the process busy, so it happens while no deadline is running. */
export const loadClient = async (): Promise<CsiDialer> => (await import('./client.ts')).dial;

/** Takes one endpoint through stat, connect, http2, rpc, decode and semantic to one verdict within the deadline. */
export async function probeEndpoint(endpoint: Endpoint, options: ProbeOptions): Promise<ProbeItem> {
  const deadline = deadlineIn(options.timeoutMs);
  const isRegistration = options.asDriver !== true && looksLikeRegistration(endpoint);
  const base = {
    endpoint: showEndpoint(endpoint),
    via: 'socket',
    protocol: isRegistration ? 'registration' : 'csi',
    notes: endpoint.type === 'unix' && endpoint.note !== undefined ? [endpoint.note] : [],
    calls: [],
    drift: [],
  } as const;
  const early = await approach(endpoint, deadline);
  const judge = (problem: Problem): Verdict => {
    const verdict = verdictOf(problem, endpoint);
    return isRegistration ? ofRegistrar(verdict) : verdict;
  };
  if (early !== undefined) return { ...base, ...(isDoubt(early) ? doubtful(early) : judge(early)) };
  // Loading gRPC takes longer than most checks; that time is not charged to the driver.
  const leftMs = deadline.remainingMs();
  const dial = await (options.loadDialer ?? loadClient)();
  const callDeadline = deadlineIn(leftMs);
  const connection = dial(endpoint);
  try {
    const closed = await connection.open(callDeadline);
    if (closed !== undefined) return { ...base, ...judge(closed) };
    const told = isRegistration
      ? ofRegistrar(await askRegistrar(connection, endpoint, callDeadline))
      : await askDriver(connection, endpoint, options, callDeadline);
    return { ...base, ...told, notes: [...base.notes, ...(told.notes ?? [])] };
  } finally {
    connection.close();
  }
}

/** Behind a registration socket is the registrar, whatever state the driver is in. */
function ofRegistrar<T extends Verdict>(verdict: T): T {
  return {
    ...verdict,
    summary: verdict.summary.replace(/\bthe driver\b/gi, (who) =>
      who.startsWith('T') ? 'The registrar' : 'the registrar',
    ),
  };
}

async function approach(endpoint: Endpoint, deadline: Deadline): Promise<Problem | Doubt | undefined> {
  if (endpoint.type === 'unix') {
    const late: Doubt = { doubt: `the file system did not answer within ${secondsText(deadline.budgetMs)}` };
    const found = await within(checkPath(endpoint.path), deadline.remainingMs(), late);
    if (found !== undefined) return found;
  }
  return shakeHands(endpoint, deadline);
}

const doubtful = ({ doubt }: Doubt): Verdict => ({ status: 'unknown', stage: 'connect', summary: doubt, fix: [] });

type Told = Verdict & Partial<ProbeItem>;

async function askDriver(
  connection: CsiConnection,
  endpoint: Endpoint,
  options: ProbeOptions,
  deadline: Deadline,
): Promise<Told> {
  if (looksLikeCosi(endpoint)) {
    const cosi = await askCosi(connection, deadline);
    const told = judgeCosi(cosi, endpoint, options.expectedName);
    if (told) return { ...told, protocol: 'cosi', calls: [callOf(cosi.first), callOf(cosi.second)] };
  }
  const results = await askIdentity(connection, deadline);
  if (lacksIdentity(results)) return askOtherwise(connection, endpoint, results, deadline);
  const capabilities = identityCapabilities(results);
  const wantsDeep = options.deep && results.info.type === 'answer';
  const name = results.info.type === 'answer' ? results.info.value.name : '';
  const published = wantsDeep ? ((await options.published?.()) ?? []).filter(({ driver }) => driver === name) : [];
  const deep = wantsDeep
    ? await askDeep(connection, capabilities, deadlineIn(options.timeoutMs), published)
    : undefined;
  const problem = judgeIdentity(results, options.expectedName) ?? deep?.problem;
  const latencyMs = rounded(identityLatency(results));
  return {
    ...(problem === undefined
      ? { status: 'ready', summary: `the driver is ready and answers in ${secondsText(latencyMs)}`, fix: [] }
      : verdictOf(problem, endpoint)),
    ...described(results),
    latencyMs,
    notes: [...remarksOnIdentity(results, options.callers), ...(deep?.notes ?? [])],
    calls: [
      ...[results.info, results.capabilities, results.probe].map((result) => callOf(result)),
      ...(deep?.calls ?? []).map(({ result, note }) => callOf(result, note)),
    ],
    ...(results.capabilities.type === 'answer' && { capabilities: { ...capabilities, ...deep?.capabilities } }),
    ...(deep?.nodeInfo !== undefined && { nodeInfo: deep.nodeInfo }),
    ...(deep?.volumes !== undefined && { volumes: deep.volumes }),
  };
}

function described({ info }: IdentityResults): Partial<ProbeItem> {
  if (info.type !== 'answer') return {};
  const { name, vendorVersion } = info.value;
  return { ...(name !== '' && { driver: name }), ...(vendorVersion !== '' && { version: vendorVersion }) };
}

/**
 * Not CSI 1.x: further calls show whether it is a registration socket, an old driver, one for object storage, or none
 * of them.
 */
async function askOtherwise(
  connection: CsiConnection,
  endpoint: Endpoint,
  results: IdentityResults,
  deadline: Deadline,
): Promise<Told> {
  const [registration, old, cosi] = await Promise.all([
    connection.call(methods.registrationGetInfo, deadline),
    connection.call(methods.getPluginInfoV0, deadline),
    askCosi(connection, deadline),
  ]);
  const calls = [results.info, results.capabilities, results.probe, registration, old].map((result) => callOf(result));
  if (registration.type === 'answer') {
    const { type, name, endpoint: own, supportedVersions } = registration.value;
    const detail = own === '' ? `it announces ${name}` : `it announces ${name} at ${own}`;
    return {
      ...verdictOf({ failure: 'registration-socket', detail }, endpoint),
      registration: { type, name, endpoint: own, supportedVersions },
      calls,
    };
  }
  if (old.type === 'answer')
    return {
      ...verdictOf({ failure: 'csi-v0', detail: `${old.value.name} ${old.value.vendorVersion}` }, endpoint),
      driver: old.value.name,
      version: old.value.vendorVersion,
      calls,
    };
  const told = [cosi.first, cosi.second].some(({ type }) => type === 'answer') ? judgeCosi(cosi, endpoint) : undefined;
  if (told) return { ...told, protocol: 'cosi', calls: [...calls, callOf(cosi.first), callOf(cosi.second)] };
  return { ...verdictOf({ failure: 'service-absent', code: 'UNIMPLEMENTED' }, endpoint), calls };
}

async function askRegistrar(connection: CsiConnection, endpoint: Endpoint, deadline: Deadline): Promise<Told> {
  const result = await connection.call(methods.registrationGetInfo, deadline);
  return { ...judgeRegistration(result, endpoint), latencyMs: rounded(result.latencyMs), calls: [callOf(result)] };
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function callOf(result: CallResult, note?: string): ProbeCall {
  const latencyMs = rounded(result.latencyMs);
  if (result.type === 'answer')
    return { method: result.method, code: 'OK', latencyMs, ...(note !== undefined && { note }) };
  if (result.type === 'status')
    return {
      method: result.method,
      code: result.code,
      latencyMs,
      ...(result.message !== '' && { note: result.message }),
    };
  return { method: result.method, code: 'none', latencyMs, note: result.problem.failure };
}
