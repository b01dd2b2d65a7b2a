import { lastingCauses } from '../../core/causes/lib/lasting-causes.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import type { ObjectRef } from '../../core/report/report.ts';

const mostNamed = 3;

/** What may still resolve automatically. */
export function pendingOf({ findings }: CheckReport): JudgedFinding[] {
  return findings.filter(
    (finding) => finding.outcome === 'new' && (finding.isInProgress === true || finding.severity === 'blocking'),
  );
}

/** It stays stuck until a person changes an object. */
export function isProvenStuck({ id, confidence, severity, outcome }: JudgedFinding): boolean {
  return outcome === 'new' && severity === 'blocking' && confidence === 'certain' && lastingCauses.has(id);
}

export function waitingWords(pending: readonly JudgedFinding[]): string {
  const names = [...new Set(pending.map(({ object, id }) => `${nameOf(object)} (${id})`))];
  const others = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `waiting for ${names.slice(0, mostNamed).join(', ')}${others}`;
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${shortNameOf(kind)}/${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
