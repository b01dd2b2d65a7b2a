import type { ContainerLog } from '../../core/kube/container-log.ts';
import { redacted, scrub } from './credentials.ts';

/** Longer lines are dumps of whole objects. */
const longestLine = 8000;

/** `secrets` of a CSI request: the sidecars strip it before they log, some drivers do not. */
const secretMaps: readonly RegExp[] = [
  /(\\*"\w*secrets\\*"\s*:\s*)\{[^{}]*\}/gi,
  /(\b\w*Secrets:\s*)map\[[^\]]*\]/gi,
  /(\b\w*secrets:\s*)(?:<key:"[^"]*" value:"[^"]*" ?>\s*)+/gi,
  /\b(secrets:\{key:"[^"]*"\s+value:)"[^"]*"/gi,
];

/** The log without credentials, before anything else sees it. */
export function scrubLog(log: ContainerLog): ContainerLog {
  return { ...log, lines: log.lines.map(scrubLine), ...(log.message !== undefined && { message: scrub(log.message) }) };
}

function scrubLine(line: string): string {
  const short = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
  const bare = secretMaps.reduce((text, pattern) => text.replaceAll(pattern, `$1${redacted}`), short);
  return mayHoldCredential.test(bare) ? scrub(bare) : bare;
}

/** Most lines hold nothing of the kind, and the thorough search is slow. */
const mayHoldCredential =
  /pass|pwd|\bpw\b|secret|token|cred|auth|bearer|key|sas|sig|cookie|cert|pem|pin|chap|user|login|kms|BEGIN|eyJ|A[KSRIN][IOP]A|@|[A-Za-z0-9+/_-]{32,}/i;
