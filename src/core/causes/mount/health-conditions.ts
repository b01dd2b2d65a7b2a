import type { HealthCondition } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';

interface Report {
  readonly healthConditions?: readonly HealthCondition[];
  readonly conditions?: readonly HealthCondition[];
}

/** What a driver reports is adverse by nature: it leaves out what is well (KEP-1432). */
export function conditionsIn(report: Report | undefined): readonly HealthCondition[] {
  return [...(report?.healthConditions ?? []), ...(report?.conditions ?? [])].filter(
    ({ status }) => status !== undefined && status !== '' && status !== 'Healthy',
  );
}

const meanings: Readonly<Record<string, string>> = {
  Inaccessible: 'it cannot be reached',
  DataLoss: 'data is lost',
  Degraded: 'it works, but not well',
  StorageUnreachable: 'the storage cannot be reached',
  StorageDegraded: 'the storage works, but not well',
};

/** The worst of several in plain words. */
export function meaningOf(conditions: readonly HealthCondition[]): string {
  const order = ['DataLoss', 'Inaccessible', 'StorageUnreachable'];
  const worst =
    order.flatMap((status) => conditions.filter((condition) => condition.status === status))[0] ?? conditions[0];
  const status = worst?.status ?? '';
  const meaning = Object.hasOwn(meanings, status) ? meanings[status] : status;
  return `${meaning ?? ''}${worst?.reason ? ` (${worst.reason})` : ''}`;
}

export function conditionEvidence(
  object: Parameters<typeof field>[0],
  path: string,
  conditions: readonly HealthCondition[],
): Evidence[] {
  return conditions
    .slice(0, 5)
    .map((condition) =>
      field(
        object,
        path,
        [condition.status, condition.reason, condition.message].filter(Boolean).join(': '),
        condition.lastTransitionTime,
      ),
    );
}
