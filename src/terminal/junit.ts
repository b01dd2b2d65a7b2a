import { parseTime } from '../core/kube/time.ts';
import { sanitise } from './sanitise.ts';

export interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly seconds?: number;
  /** Absent: it passed. */
  readonly outcome?:
    | { readonly element: 'failure' | 'error'; readonly type: string; readonly message: string; readonly body?: string }
    | { readonly element: 'skipped'; readonly message: string };
  readonly output?: string;
}

/** A report that the usual readers of JUnit's XML understand: one suite with its counts and cases. */
export function renderJunit(name: string, takenAt: string, cases: readonly TestCase[]): string {
  const count = (element: string): number => cases.filter(({ outcome }) => outcome?.element === element).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escape(name)}" ${counts}>`,
    `  <testsuite name="${escape(name)}" ${counts} skipped="${count('skipped')}" timestamp="${timestampOf(takenAt)}">`,
    ...cases.flatMap(renderCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** In UTC and without a zone, which some readers do not accept. */
function timestampOf(takenAt: string): string {
  return new Date(parseTime(takenAt) ?? 0).toISOString().slice(0, 19);
}

function renderCase({ classname, name, seconds = 0, outcome, output }: TestCase): string[] {
  const opening = `    <testcase classname="${escape(classname)}" name="${escape(name)}" time="${seconds.toFixed(4)}"`;
  const inner = [
    ...renderOutcome(outcome),
    ...(output === undefined ? [] : [`      <system-out>${escape(output, true)}</system-out>`]),
  ];
  return inner.length === 0 ? [`${opening}/>`] : [`${opening}>`, ...inner, '    </testcase>'];
}

function renderOutcome(outcome: TestCase['outcome']): string[] {
  if (outcome === undefined) return [];
  if (outcome.element === 'skipped') return [`      <skipped message="${escape(outcome.message)}"/>`];
  const { element, type, message, body = '' } = outcome;
  return [`      <${element} type="${escape(type)}" message="${escape(message)}">${escape(body, true)}</${element}>`];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/**
 * XML 1.0 does not allow control characters even as references, nor U+FFFE and U+FFFF; sanitising removes the former.
 */
function escape(text: string, newlines = false): string {
  return sanitise(text, { newlines })
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
