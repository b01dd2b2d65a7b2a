import { sanitise } from '../sanitise.ts';
import { escapeUnsafe } from '../structured.ts';
import { findValues } from './find-values.ts';
import { parseTemplate } from './parse-template.ts';

/** A document as `kubectl get -o jsonpath=TEMPLATE` prints one: texts as they are, objects and lists as JSON. */
export function renderJsonpath(document: object, template: string): string {
  const safe = dataOf(document, (text) => sanitise(text, { newlines: true }));
  return findValues(parseTemplate(template), safe)
    .map((values) => values.map(textOf).join(' '))
    .join('');
}

/** As `-o jsonpath-as-json=TEMPLATE` prints it: a JSON list for each text and expression. */
export function renderJsonpathAsJson(document: object, template: string): string {
  return findValues(parseTemplate(template), dataOf(document))
    .map((values) => escapeUnsafe(`${JSON.stringify(values.map(sorted), null, 4)}\n`))
    .join('');
}

/** The document as a reader of its JSON has it: without the fields that are undefined. */
function dataOf(document: object, change: (text: string) => string = (text) => text): unknown {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    typeof value === 'string' ? change(value) : value,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(sorted(value)) : String(value);
}

/** Go writes the keys of an object in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(Reflect.get(value, key))]),
  );
}
