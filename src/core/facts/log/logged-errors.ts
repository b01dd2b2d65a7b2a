import type { LogSpeaker } from '../../report/component-log.ts';
import { parseTime } from '../../kube/time.ts';
import { callsIn, errorOf, isRpcError, rpcOf } from './grpc-calls.ts';
import type { LogLine } from './log-line.ts';
import { recordedEventIn } from './recorded-event.ts';

/** An error that a log holds about an object. */
export interface LoggedError {
  readonly line: LogLine;
  /** The error, without what the logger puts before it. */
  readonly text: string;
  /** NodeStageVolume; undefined where the log does not show in which call it happened. */
  readonly rpc: string | undefined;
}

/** What a log holds about an object. */
export interface LogFindings {
  /** Oldest first, without those that a later success of the same call overcame. */
  readonly errors: readonly LoggedError[];
  /** How many lines name the object. */
  readonly about: number;
}

/** The errors of a log about what has one of these names. */
export function findErrors(lines: readonly LogLine[], names: readonly string[], speaker: LogSpeaker): LogFindings {
  const pattern = patternOf(names);
  if (pattern === undefined) return { errors: [], about: 0 };
  const errors: LoggedError[] = [];
  const ends = new Map<string, number>();
  const taken = new Set<LogLine>();
  for (const { rpc, text, failure, success } of callsIn(lines)) {
    if (!pattern.test(text)) continue;
    if (failure) {
      taken.add(failure);
      errors.push({ line: failure, text: errorOf(failure), rpc });
    }
    if (success) ends.set(rpc, parseTime(success.at) ?? 0);
  }
  let about = taken.size;
  for (const line of lines) {
    if (taken.has(line) || !pattern.test(line.text)) continue;
    about += 1;
    const event = recordedEventIn(line);
    if (event?.type === 'Warning')
      errors.push({ line, text: event.message, rpc: rpcOfReason[event.reason] ?? usualRpc(line, speaker) });
    else if (!event && reportsError(line))
      errors.push({ line, text: errorOf(line), rpc: rpcOf(line) ?? usualRpc(line, speaker) });
  }
  const isOvercome = ({ rpc, line }: LoggedError): boolean =>
    rpc !== undefined && (ends.get(rpc) ?? Number.NEGATIVE_INFINITY) > (parseTime(line.at) ?? 0);
  return {
    errors: errors
      .filter((error) => !isOvercome(error))
      .sort((a, b) => (parseTime(a.line.at) ?? 0) - (parseTime(b.line.at) ?? 0)),
    about,
  };
}

const rpcOfReason: Readonly<Record<string, string>> = {
  ProvisioningFailed: 'CreateVolume',
  VolumeFailedDelete: 'DeleteVolume',
  VolumeResizeFailed: 'ControllerExpandVolume',
  VolumeModifyFailed: 'ControllerModifyVolume',
  SnapshotCreationFailed: 'CreateSnapshot',
  SnapshotContentCheckandUpdateFailed: 'CreateSnapshot',
  SnapshotDeleteError: 'DeleteSnapshot',
};

/** A line of level info counts only if it quotes an error: sidecars report retries at that level. */
function reportsError(line: LogLine): boolean {
  if (/\bGRPC (?:call|request)\b/i.test(line.message) || isLostEvent(line)) return false;
  const own = line.values.get('err') ?? line.values.get('error') ?? '';
  if (line.level === 'error') return true;
  return isRpcError(line.text) || (own !== '' && !/^(?:null|nil|<nil>)$/.test(own));
}

/** client-go tools/record event.go: the event was not saved, which prevents nothing else; its error is the server's. */
function isLostEvent({ message }: LogLine): boolean {
  return /^(?:Server rejected event|Unable to write event)\b/.test(message);
}

/** What a sidecar reports about an object is about its call for it; `delete` and `detach` show the opposite call. */
function usualRpc({ text }: LogLine, speaker: LogSpeaker): string | undefined {
  switch (speaker) {
    case 'provisioner':
      return /\bdelet|syncing volume\b|still attached to node/i.test(text) ? 'DeleteVolume' : 'CreateVolume';
    case 'attacher':
      return /\bdetach/i.test(text) ? 'ControllerUnpublishVolume' : 'ControllerPublishVolume';
    case 'resizer':
      return /\bmodif/i.test(text) ? 'ControllerModifyVolume' : 'ControllerExpandVolume';
    case 'snapshotter':
      return /\bdelet/i.test(text) ? 'DeleteSnapshot' : 'CreateSnapshot';
    default:
      return undefined;
  }
}

/** A handle of three digits would be found in every line. */
const shortestName = 5;

/** Matches a line that holds one of the names as a whole word: pvc-1 is not found in pvc-10. */
function patternOf(names: readonly string[]): RegExp | undefined {
  const known = [...new Set(names)].filter((name) => name.length >= shortestName);
  if (known.length === 0) return undefined;
  const escaped = known.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![\w.])(?:${escaped.join('|')})(?![\w-]|\.\w)`);
}
