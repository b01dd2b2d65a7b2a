import { parseTime } from '../../kube/time.ts';
import type { LogLine } from './log-line.ts';

/** One gRPC call as a sidecar or a driver logs it: what was called, with what, and the error that it ended with. */
export interface GrpcCall {
  /** NodeStageVolume */
  readonly rpc: string;
  /** Everything that was logged about it. */
  readonly text: string;
  /** The line with the error; undefined for a call that succeeded, or of which no end was logged. */
  readonly failure: LogLine | undefined;
  /** When it ended well. */
  readonly success: LogLine | undefined;
}

interface OpenCall {
  readonly rpc: string;
  readonly id: string | undefined;
  readonly begun: number | undefined;
  text: string;
  failure?: LogLine;
  success?: LogLine;
}

const method = /\/csi\.v1\.\w+\/(\w+)/;
/** ceph-csi numbers its calls, others have the id of a request or of a trace. */
const ids = /\bID: (\d+)\b/;
const idKeys = ['traceid', 'trace_id', 'requestid', 'request_id', 'request-id', 'reqid', 'requuid'];
const isResponse = /\bGRPC response\b/i;
/** These change nothing, and are called all the time. */
const isBackground = /^(?:Probe|GetPlugin\w+|\w*GetCapabilities|NodeGetInfo)$/;
/** A call whose end was not logged by then is taken to have ended. */
const longestCallMs = 3 * 60_000;
/**
 * The same in a log of low verbosity, which holds errors and no response: most calls without an end went well at once.
 */
const longestUnansweredMs = 10_000;

/**
 * The calls of a log. An error line rarely names its call: it belongs to the call with the same id, or else to the only
 * one that is open. Where several are open and no id tells them apart, it belongs to none.
 */
export function callsIn(lines: readonly LogLine[]): GrpcCall[] {
  const calls: OpenCall[] = [];
  const hasResponses = lines.some(({ message }) => isResponse.test(message));
  const longest = hasResponses ? longestCallMs : longestUnansweredMs;
  for (const line of lines) {
    const role = roleOf(line);
    if (role === 'call') begin(calls, line);
    else if (role !== undefined) attach(calls, line, role, longest);
  }
  return calls.map(({ rpc, text, failure, success }) => ({ rpc, text, failure, success }));
}

type Role = 'call' | 'request' | 'success' | 'failure' | 'remark';

/** csi-lib-utils connection.LogGRPC, and the interceptors that drivers copied from csi-driver-host-path. */
function roleOf(line: LogLine): Role | undefined {
  const { message, values } = line;
  if (/\bGRPC call\b|^gRPC call$/i.test(message) && rpcOf(line) !== undefined) return 'call';
  if (/\bGRPC request\b/i.test(message)) return 'request';
  if (/\bGRPC error\b/i.test(message) && isRpcError(errorOf(line))) return 'failure';
  if (isResponse.test(message)) return isRpcError(values.get('err') ?? '') ? 'failure' : 'success';
  return idOf(line) === undefined ? undefined : 'remark';
}

function begin(calls: OpenCall[], line: LogLine): void {
  const rpc = rpcOf(line) ?? '';
  if (isBackground.test(rpc)) return;
  calls.push({ rpc, id: idOf(line), begun: parseTime(line.at), text: line.text });
}

function attach(calls: OpenCall[], line: LogLine, role: Exclude<Role, 'call'>, longest: number): void {
  const call = callOf(calls, line, role, longest);
  if (!call) return;
  call.text += `\n${line.text}`;
  if (role === 'failure') call.failure = line;
  if (role === 'success') call.success = line;
}

function callOf(calls: readonly OpenCall[], line: LogLine, role: Role, longest: number): OpenCall | undefined {
  const id = idOf(line);
  const rpc = rpcOf(line);
  const now = parseTime(line.at);
  const open = calls.filter(
    (call) =>
      call.failure === undefined &&
      call.success === undefined &&
      (rpc === undefined || call.rpc === rpc) &&
      (now === undefined ||
        call.begun === undefined ||
        now - call.begun <= (id === undefined ? longest : longestCallMs)),
  );
  if (id !== undefined) return open.findLast((call) => call.id === id);
  // A request is logged right behind its call.
  if (role === 'request') return open.at(-1) === calls.at(-1) ? open.at(-1) : undefined;
  return open.length === 1 ? open[0] : undefined;
}

export function rpcOf({ text, values }: LogLine): string | undefined {
  return (
    method.exec(values.get('method') ?? '')?.[1] ??
    method.exec(text)?.[1] ??
    /^(?:Node|Controller|Create|Delete)\w+$/.exec(values.get('method') ?? '')?.[0]
  );
}

function idOf({ message, values }: LogLine): string | undefined {
  const numbered = ids.exec(message)?.[1];
  if (numbered !== undefined) return numbered;
  for (const [key, value] of values) if (idKeys.includes(key.toLowerCase()) && value !== '') return value;
  return undefined;
}

/** The error that a line reports: a value of its own in structured logs. */
export function errorOf({ message, values }: LogLine): string {
  const value = values.get('err') ?? values.get('error') ?? '';
  if (value !== '' && !/^(?:null|nil|<nil>)$/.test(value)) return value;
  return /\bGRPC error: ?([^]*)$/i.exec(message)?.[1] ?? message;
}

export function isRpcError(text: string): boolean {
  return /rpc error: code = \w+/.test(text);
}
