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
  it('is to create a class, not to choose one, where there is none', () => {
    const [first, second] = fixesOf('class-nil-no-default--no-classes');
    expect(first?.text).toContain('create a default StorageClass');
    expect(second?.text).toContain('of at least 10Gi');
  });

  it('is to recreate the claim where the server is known to be too old to fill a class in', () => {
    const [recreate, annotate] = fixesOf('class-nil-no-default', { serverVersion: 'v1.20.2' });
    expect(recreate?.text).toMatch(/^Recreate the claim with StorageClass "fast"/);
    expect(annotate?.text).toContain('to new claims only');
    const [give, later] = fixesOf('class-nil-no-default', { serverVersion: 'v1.30.0' });
    expect(give?.command).toBe(`kubectl -n shop patch pvc data --type=merge -p '{"spec":{"storageClassName":"fast"}}'`);
    expect(later?.text).toContain('then gets it automatically');
  });

  it('names a class only if volumes of it are bound, or if no other provisions', () => {
    const { snapshot } = loadScenario('class-nil-no-default');
    const without = snapshot.objects.filter(
      ({ kind, metadata }) =>
        !(kind === 'PersistentVolume' && metadata.name.startsWith('pvc-')) &&
        !(kind === 'PersistentVolumeClaim' && metadata.name === 'healthy'),
    );
    const [first, ...others] = fixesOf('class-nil-no-default', { objects: without });
    expect(first?.text).toContain('PLACEHOLDER_CLASS is one of fast and fast-wffc');
    expect(others).toEqual([]);
  });

  it('warns that a set still creates such claims from its template', () => {
    const [first] = fixesOf('class-nil-no-default--set-template');
    expect(first?.text).toContain('New replicas of statefulset/db still get the old form');
  });
});
