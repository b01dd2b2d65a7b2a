import type { KubeEvent } from '../kube/kinds.ts';
import type { Evidence, Fix, Risk } from '../report/report.ts';
import { lastSeenText, messageOf } from '../graph/events.ts';
import { originOf } from '../graph/log-origin.ts';
import { refOf } from '../graph/inquiry.ts';
import { guardCommand } from '../kube/safe-command.ts';
import { shellWord } from '../kube/shell-word.ts';

export { shellWord };

interface Identified {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

/** A field of an object: the given value, or the one it has at the path; "not set" if there is none. */
export function field(object: Identified, path: string, value?: unknown, at?: string): Evidence {
  const shown = value === undefined ? readPath(object, path) : value;
  return { object: refOf(object), path, value: valueText(shown), ...(at !== undefined && { at }) };
}

/** An object that should exist and does not. */
export function absent(kind: string, name: string, namespace?: string): Evidence {
  return { object: { kind, ...(namespace !== undefined && { namespace }), name }, value: 'does not exist' };
}

/** A remark about an object that is not the value of a single field. */
export function note(object: Identified, value: string, at?: string): Evidence {
  return { object: refOf(object), value, ...(at !== undefined && { at }) };
}

/** An event on an object, quoted; or the line of a log, if it showed what no event did. */
export function eventSaid(object: Identified, event: KubeEvent): Evidence {
  const origin = originOf(event);
  if (origin) {
    const { namespace, pod, container, previous, line, at } = origin;
    const path = `log[${container}]${previous === true ? ' (previous)' : ''}`;
    return { object: { kind: 'Pod', namespace, name: pod }, path, value: line, at };
  }
  const at = lastSeenText(event);
  const path = event.reason ? `event ${event.reason}`.trimEnd() : 'event';
  return { object: refOf(object), path, value: messageOf(event), ...(at !== undefined && { at }) };
}

export function fix(text: string, command?: string, risk: Risk = 'safe'): Fix {
  return { text, ...(command !== undefined && { command: guardCommand(command) }), risk };
}

/** `-n NAMESPACE ` for a command line, quoted where the shell needs it; empty for an object without a namespace. */
export function inNamespace(namespace: string | undefined): string {
  return namespace ? `-n ${shellWord(namespace)} ` : '';
}

function readPath(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** A value as evidence shows it. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'not set';
  if (value === '') return '""';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
