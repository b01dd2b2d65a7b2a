import type { HealthCondition } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';

interface HealthReport {
  readonly healthConditions?: readonly HealthCondition[];
  readonly conditions?: readonly HealthCondition[];
}

/** Drivers report adverse conditions only, and leave out what is well (KEP-1432). */
export function adverseConditions(report: HealthReport | undefined): readonly HealthCondition[] {
  return [...(report?.healthConditions ?? []), ...(report?.conditions ?? [])].filter(
    ({ status }) => status !== undefined && status !== '' && status !== 'Healthy',
  );
}

const meanings: Readonly<Record<string, string>> = {
  Inaccessible: 'it cannot be reached',
  DataLoss: 'data is lost',
  Degraded: 'it is degraded',
  StorageUnreachable: 'the storage cannot be reached',
  StorageDegraded: 'the storage is degraded',
};

const worstFirst = ['DataLoss', 'Inaccessible', 'StorageUnreachable'];

/** The worst of several conditions in plain words. */
export function describeConditions(conditions: readonly HealthCondition[]): string {
  const [worst = conditions[0]] = worstFirst.flatMap((status) =>
    conditions.filter((condition) => condition.status === status),
  );
  const { status = '', reason } = worst ?? {};
  const meaning = Object.hasOwn(meanings, status) ? (meanings[status] ?? '') : status;
  return `${meaning}${reason ? ` (${reason})` : ''}`;
}

const mostShown = 5;

export function conditionEvidence(
  object: Parameters<typeof field>[0],
  path: string,
  conditions: readonly HealthCondition[],
): Evidence[] {
  return conditions
    .slice(0, mostShown)
    .map(({ status, reason, message, lastTransitionTime }) =>
      field(object, path, [status, reason, message].filter(Boolean).join(': '), lastTransitionTime),
    );
}
