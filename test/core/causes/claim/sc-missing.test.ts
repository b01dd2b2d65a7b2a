import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../kit/scenario.ts';

describe('a class that does not exist, and a volume that misses by its class alone', () => {
  it('offers to give the volume the class of the claim, before anything is deleted', () => {
    const { snapshot, target } = loadScenario('sc-missing--volume-but-for-the-class');
    const [item] = diagnose(snapshot, { targets: [target] }).report.items;
    const [first, second] = item?.findings[0]?.fix ?? [];
    expect(first?.command).toBe(`kubectl patch pv disk-1 --type=merge -p '{"spec":{"storageClassName":"archve"}}'`);
    expect(second?.text).toMatch(/^Recreate the claim with storageClassName "archive"/);
  });

  it('does not offer a volume of another class that exists', () => {
    const { snapshot, target } = loadScenario('sc-missing--volume-but-for-the-class');
    const others = snapshot.objects.map((object) =>
      object.kind === 'PersistentVolume' && object.metadata.name.startsWith('disk-')
        ? { ...object, spec: { ...(object['spec'] as object), storageClassName: 'manual' } }
        : object,
    );
    const [item] = diagnose({ ...snapshot, objects: others }, { targets: [target] }).report.items;
    expect(item?.summary).not.toContain('disk-');
  });

  it('does not offer a volume that misses in more', () => {
    const { snapshot, target } = loadScenario('sc-missing--volume-but-for-the-class');
    const small = snapshot.objects.map((object) =>
      object.kind === 'PersistentVolume' && object.metadata.name.startsWith('disk-')
        ? { ...object, spec: { ...(object['spec'] as object), capacity: { storage: '1Mi' } } }
        : object,
    );
    const [item] = diagnose({ ...snapshot, objects: small }, { targets: [target] }).report.items;
    expect(item?.summary).not.toContain('disk-');
  });
});
