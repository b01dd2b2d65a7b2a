import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import type { Fix } from '../../../../src/core/report/report.ts';
import type { Snapshot } from '../../../../src/core/kube/snapshot.ts';
import { loadScenario } from '../../../kit/scenario.ts';

function fixesOf(id: string, change: Partial<Snapshot> = {}): readonly Fix[] {
  const { snapshot, target } = loadScenario(id);
  return (
    diagnose({ ...snapshot, ...change }, { targets: [target] }).report.items[0]?.findings.find(
      ({ cause }) => cause === 'class-nil-no-default',
    )?.fix ?? []
  );
}

describe('what to do about a claim without a class', () => {
  it('is to make a class, not to choose one, where there is none', () => {
    const [first, second] = fixesOf('class-nil-no-default--no-classes');
    expect(first?.text).toContain('create a class');
    expect(second?.text).toContain('of at least 10Gi');
  });

  it('is to make the claim again after the default class where the server is known to be too old to fill it in', () => {
    const [annotate, remake] = fixesOf('class-nil-no-default', { serverVersion: 'v1.20.2' });
    expect(annotate?.text).toContain('to new claims only');
    expect(remake?.text).toMatch(/^then delete the claim/);
    const [later, other] = fixesOf('class-nil-no-default', { serverVersion: 'v1.30.0' });
    expect(later?.text).toContain('the claim then gets it by itself');
    expect(other?.text).toMatch(/^or delete the claim/);
  });

  it('is to change the template of a set, since the same claim comes back from it', () => {
    expect(fixesOf('class-nil-no-default--set-template').map(({ command }) => command)).toEqual([
      'kubectl annotate storageclass fast storageclass.kubernetes.io/is-default-class=true --overwrite',
      'kubectl -n shop delete statefulset db --cascade=orphan',
      'kubectl -n shop delete pvc/data-db-0 pod/db-0',
    ]);
  });
});
