import type { CheckReport } from '../../core/report/check.ts';
import { nameLine } from '../../terminal/structured.ts';

/** `persistentvolumeclaim/data`, a line for each object that is new and not fine, or unknown. */
export function renderCheckName({ findings, unknown }: CheckReport): string {
  const objects = [
    ...findings.filter(({ outcome, severity }) => outcome === 'new' && severity !== 'info'),
    ...unknown,
  ].map(({ object }) => object);
  return [...new Set(objects.map((object) => `${nameLine(object)}\n`))].join('');
}
