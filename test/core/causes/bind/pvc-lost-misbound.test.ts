import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { commandsOf } from '../../../../src/core/report/fix-commands.ts';
import type { TargetRef } from '../../../../src/core/kube/selection.ts';
import { loadScenario } from '../../../kit/scenario.ts';

function fixesOf(id: string, target?: TargetRef): string[] {
  const scenario = loadScenario(id);
  const [item] = diagnose(scenario.snapshot, { targets: [target ?? scenario.target] }).report.items;
  return (item?.findings[0]?.fix ?? []).flatMap(commandsOf);
}

const retain = `kubectl patch pv disk-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;
const save = 'kubectl get pv disk-1 -o yaml > disk-1.pv.yaml';
const ownUid = `kubectl patch pv disk-1 --type=merge -p '{"spec":{"claimRef":{"uid":"0d0d0d0d-1111-4222-8333-444444444444","resourceVersion":null}}}'`;

describe('a claim that lost its volume to an earlier claim of its own name', () => {
  it('gets its volume back by its uid, after the volume is safe from deletion, and is never to be deleted', () => {
    expect(fixesOf('pvc-lost-misbound--namesake')).toEqual([retain, save, ownUid]);
    expect(fixesOf('pvc-lost-misbound--no-uid')).toEqual([save, ownUid]);
  });

  it('is thought of when the volume is asked', () => {
    expect(fixesOf('pv-released-retain--lost-claim')).toEqual([
      'kubectl get pv pvc-old -o yaml > pvc-old.pv.yaml',
      `kubectl patch pv pvc-old --type=merge -p '{"spec":{"claimRef":{"uid":"33333333-0000-4000-8000-000000000003","resourceVersion":null}}}'`,
    ]);
    expect(fixesOf('pvc-lost-misbound--namesake', { kind: 'PersistentVolume', name: 'disk-1' }).slice(0, 3)).toEqual([
      retain,
      save,
      ownUid,
    ]);
  });
});
