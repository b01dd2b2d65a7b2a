import { describe, expect, it } from 'vitest';
import { diagnose, KeptVerdicts } from '../../../src/core/engine/diagnose.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { loadScenarios } from '../../kit/scenario.ts';

const [scenario] = loadScenarios(/^sc-missing$/);
if (!scenario) throw new Error('there is no scenario of this name');
const { snapshot, target } = scenario;
const judge = (of: Snapshot, kept: KeptVerdicts): object | undefined =>
  diagnose(of, { targets: [target] }, undefined, undefined, kept).report.items[0];

describe('a verdict is kept', () => {
  it('while the next snapshot holds the very same objects', () => {
    const kept = new KeptVerdicts();
    const first = judge(snapshot, kept);
    const same = { ...snapshot, objects: [...snapshot.objects], logs: [] };
    expect(judge(same, kept)).toBe(first);
    expect(diagnose(same, { targets: [target] }).report.items[0]).toEqual(first);
  });

  it('with the questions that it left open', () => {
    const kept = new KeptVerdicts();
    const unread = { ...snapshot, objects: snapshot.objects.filter(({ kind }) => kind !== 'Event'), observations: [] };
    const needs = (of: Snapshot): object => diagnose(of, { targets: [target] }, undefined, undefined, kept).needs;
    const first = needs(unread);
    expect(first).not.toEqual([]);
    expect(needs({ ...unread })).toEqual(first);
  });

  it('no longer when an object was added, removed or read again, or an observation was', () => {
    const [object, ...others] = snapshot.objects;
    if (!object) throw new Error('the scenario is empty');
    const observation = { kind: 'Event', scope: {}, state: 'denied' } as const;
    for (const changed of [
      { ...snapshot, objects: others },
      { ...snapshot, objects: [...snapshot.objects, object] },
      { ...snapshot, objects: [{ ...object }, ...others] },
      { ...snapshot, observations: [...snapshot.observations, observation] },
      { ...snapshot, usage: { volumes: [], unmeasured: [] } as unknown as NonNullable<Snapshot['usage']> },
    ]) {
      const kept = new KeptVerdicts();
      expect(judge(changed, kept)).not.toBe(judge(snapshot, kept));
    }
  });
});
