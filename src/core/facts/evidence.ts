import type { KubeEvent } from '../kube/kinds.ts';
import type { Evidence, Fix, Risk } from '../report/report.ts';
import { lastSeenText, messageOf } from '../graph/events.ts';
import { refOf } from '../graph/inquiry.ts';
import { shellWord } from '../kube/shell-word.ts';

export { shellWord };

interface Identified {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

/** A field of an object, quoted: the value as text, or "not set". */
export function field(object: Identified, path: string, value?: unknown, at?: string): Evidence {
  const shown = value === undefined ? readPath(object, path) : value;
  const text = shown === undefined ? 'not set' : asText(shown);
  return at === undefined
    ? { object: refOf(object), path, value: text }
    : { object: refOf(object), path, value: text, at };
}

/** An object that should be there and is not. */
export function absent(kind: string, name: string, namespace?: string): Evidence {
  return { object: { kind, ...(namespace !== undefined && { namespace }), name }, value: 'does not exist' };
}

/** A remark about an object that is no single field. */
export function note(object: Identified, value: string, at?: string): Evidence {
  return at === undefined ? { object: refOf(object), value } : { object: refOf(object), value, at };
}

/** What a controller said about an object, word by word. */
export function eventSaid(object: Identified, event: KubeEvent): Evidence {
  const at = lastSeenText(event);
  const path = event.reason ? `event ${event.reason}`.trimEnd() : 'event';
  return at === undefined
    ? { object: refOf(object), path, value: messageOf(event) }
    : { object: refOf(object), path, value: messageOf(event), at };
}

export function fix(text: string, command?: string, risk: Risk = 'safe'): Fix {
  return command === undefined ? { text, risk } : { text, command, risk };
}

/** `-n NAMESPACE ` for a command line, quoted where a shell needs it. */
export function inNamespace(namespace: string | undefined): string {
  return namespace ? `-n ${shellWord(namespace)} ` : '';
}

function readPath(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? (value === '' ? '""' : value) : JSON.stringify(value);
}
