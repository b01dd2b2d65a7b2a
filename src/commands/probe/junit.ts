import type { ProbeItem, ProbeReport } from '../../core/report/probe-report.ts';
import { fixLines } from '../../terminal/verdict/finding.ts';
import { renderJunit } from '../../terminal/junit.ts';
import type { TestCase } from '../../terminal/junit.ts';

/** A test case for each endpoint: one that is not ready failed, one that could not be probed is an error. */
export function renderProbeJunit(report: ProbeReport): string {
  return renderJunit('kubectl csi probe', report.takenAt, report.items.map(caseOf));
}

function caseOf(item: ProbeItem): TestCase {
  const tested = { classname: item.driver ?? item.protocol, name: nameOf(item), seconds: (item.latencyMs ?? 0) / 1000 };
  if (item.status === 'ready') return tested;
  return {
    ...tested,
    outcome: {
      element: item.status === 'unknown' ? 'error' : 'failure',
      type: item.failure ?? item.status,
      message: item.summary,
      body: [...item.notes, ...fixLines(item.fix)].join('\n'),
    },
  };
}

/** In a cluster many pods have the same socket path, so the pod distinguishes them. */
function nameOf({ endpoint, node, namespace, pod, roles }: ProbeItem): string {
  if (roles === undefined) return endpoint;
  const place =
    pod === undefined ? (node ?? '') : `${namespace ?? ''}/${pod}${node === undefined ? '' : ` on ${node}`}`;
  return `${roles.join(' and ') || 'driver'} ${place}`.trim();
}
