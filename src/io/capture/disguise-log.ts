import type { ContainerLog } from '../../core/kube/container-log.ts';
import type { Disguise } from './disguise.ts';

/**
 * The time that the kubelet puts in front, and the header of klog: what a reader of the log needs to take a line apart.
 */
const header = /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) ?)?(?:[IWEF]\d{4} [\d:.]+\s+\d+ [^\s\]]+\] ?)?/;
/** Words of formats and of gRPC logs, not names. */
const kept =
  /(?<![\w.])(?:GRPC|gRPC|call|request|response|error|csi\.v1\.\w+\/\w+|level|msg|time|ts|method|err)(?![\w.])/;

/** The same log with other names. Component and time stay, so that it is read as before. */
export function disguiseLog(log: ContainerLog, disguise: Disguise): ContainerLog {
  const { namespace, pod, container, lines, message } = log;
  return {
    ...log,
    namespace: disguise.name(namespace),
    pod: disguise.name(pod),
    container: disguise.name(container),
    lines: lines.map((line) => disguiseLine(line, disguise)),
    ...(message !== undefined && { message: disguise.speech(message) }),
  };
}

function disguiseLine(line: string, disguise: Disguise): string {
  const start = header.exec(line)?.[0] ?? '';
  const rest = line.slice(start.length);
  return start + (disguiseJson(rest, disguise) ?? disguiseSpeech(rest, disguise));
}

/** The keys of a line in JSON are those of its format. */
function disguiseJson(text: string, disguise: Disguise): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const values = JSON.parse(text) as Record<string, unknown>;
    const safe = Object.entries(values).map(([key, value]) => {
      if (typeof value !== 'string' || /^(?:ts|time|level|severity|method)$/i.test(key)) return [key, value];
      return [key, disguiseSpeech(value, disguise)];
    });
    return JSON.stringify(Object.fromEntries(safe));
  } catch {
    return undefined;
  }
}

function disguiseSpeech(text: string, disguise: Disguise): string {
  return text
    .split(new RegExp(`(${kept.source})`))
    .map((part, index) => (index % 2 === 1 ? part : disguise.speech(part)))
    .join('');
}
