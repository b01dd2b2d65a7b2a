import type { ProbeItem, ProbeReport } from '../model/probe-report.ts';
import { sanitise } from './sanitise.ts';

/** A test case for each endpoint: what is not ready failed, and what could not be looked at is an error. */
export function renderProbeJunit(report: ProbeReport): string {
  const { items, summary } = report;
  const counts = `tests="${items.length}" failures="${summary.initialising + summary.unhealthy + summary.unreachable}" errors="${summary.unknown}" skipped="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubectl csi probe" ${counts}>`,
    `  <testsuite name="kubectl csi probe" ${counts} timestamp="${escape(report.takenAt)}">`,
    ...items.flatMap(renderCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase(item: ProbeItem): string[] {
  const opening = `    <testcase classname="${escape(item.driver ?? item.protocol)}" name="${escape(item.endpoint)}" time="${((item.latencyMs ?? 0) / 1000).toFixed(4)}"`;
  if (item.status === 'ready') return [`${opening}/>`];
  const element = item.status === 'unknown' ? 'error' : 'failure';
  const steps = item.fix.map((fix, index) => `${index + 1}. ${fix.text}${fix.command === undefined ? '' : `: ${fix.command}`}`);
  return [`${opening}>`, `      <${element} type="${escape(item.failure ?? item.status)}" message="${escape(item.summary)}">${escape([...item.notes, ...steps].join('\n'), true)}</${element}>`, '    </testcase>'];
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Control characters are not even allowed as references in XML 1.0; sanitising takes them away, and the two non-characters too. */
function escape(text: string, newlines = false): string {
  return sanitise(text, { newlines }).replace(/[\ufffe\uffff]/g, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
