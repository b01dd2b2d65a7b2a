import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { stuckSince } from '../src/core/report/stuck-since.ts';
import { loadScenarios } from './kit/scenario.ts';

/** Scenarios in which the cluster records no time, each with the reason. */
const timeless: readonly (readonly [scenarios: RegExp, reason: string])[] = [
  [/^csinode-topology-label-missing|^driver-not-on-node--node/, 'no object records when a registration was lost'],
  [
    /: (?:StorageClass|CSIDriver) /,
    'a class and a driver have no status; the claims that wait for them have ages of their own',
  ],
  [
    /^(?:modify-|resize-no-resizer--attributes)/,
    'only managed fields record a change of the spec, and these have none',
  ],
  [/^pvc-create-denied-/, 'nothing was created, and there is no event of the refusal'],
  [/^pod-bound-pv-missing/, 'no object records when a volume was deleted'],
  [/^pod-pvc-missing--claims-denied/, 'the claims may not be read'],
  [/^(?:snap-crds-missing|bucket-crds-missing:)/, 'the API server does not have the kind'],
];

describe('the age of everything stuck', () => {
  it('is known, or there is a reason why no time is recorded', () => {
    const without = loadScenarios().flatMap(({ id, snapshot, target }) => {
      return diagnose(snapshot, { targets: [target] })
        .report.items.filter((item) => item.status !== 'healthy' && stuckSince(item) === undefined)
        .map((item) => `${id}: ${item.target.kind} ${item.status} ${item.cause ?? ''}`);
    });
    expect(without.filter((line) => !timeless.some(([scenarios]) => scenarios.test(line)))).toEqual([]);
  });
});
