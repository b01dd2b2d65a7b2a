import { describe, expect, it } from 'vitest';
import { inNamespace, parseTargets } from '../../src/cli/targets.ts';
import type { TargetGrammar } from '../../src/cli/targets.ts';

const grammar: TargetGrammar = { kinds: ['PersistentVolumeClaim', 'Pod'] };
const parse = async (...words: string[]): Promise<string[]> =>
  (await parseTargets(words, grammar)).map(({ kind, name }) => `${kind} ${name}`);

describe('naming targets', () => {
  it('takes TYPE/NAME, TYPE NAME NAME and NAME', async () => {
    expect(await parse('pvc/a', 'pod/b')).toEqual(['PersistentVolumeClaim a', 'Pod b']);
    expect(await parse('pods', 'a', 'b')).toEqual(['Pod a', 'Pod b']);
    expect(await parse('a', 'b')).toEqual(['PersistentVolumeClaim a', 'PersistentVolumeClaim b']);
    expect(await parse()).toEqual([]);
  });
  it('takes types as kubectl does: short, plural, with a group, in any case', async () => {
    expect(await parse('PersistentVolumeClaims/a', 'PVC/b', 'po/c', 'pods.v1./d')).toEqual([
      'PersistentVolumeClaim a',
      'PersistentVolumeClaim b',
      'Pod c',
      'Pod d',
    ]);
  });
  it('takes a CSINode for its node, where nodes are judged', async () => {
    const nodes: TargetGrammar = { kinds: ['PersistentVolumeClaim', 'Node'] };
    expect(await parseTargets(['csinode/a'], nodes)).toEqual([{ kind: 'Node', name: 'a' }]);
    await expect(parseTargets(['csinode/a'], grammar)).rejects.toThrow('this command does not support csinode');
  });
  it('answers a target that is named twice once', async () => {
    expect(await parse('pvc/a', 'claim/a')).toEqual(['PersistentVolumeClaim a']);
  });
  it.each([
    [['pvc/a', 'b'], '"b" has no type, but other targets have one'],
    [['pvc'], '"pvc" is a type without a name'],
    [['pvc/'], '"pvc/" is not TYPE/NAME'],
    [['a/b/c'], '"a/b/c" is not TYPE/NAME'],
    [['pv/a'], 'this command does not support pv'],
    [['pcv/a'], 'type "pcv" does not exist'],
    [['pvc/A_b'], '"A_b" is not a valid name for pvc'],
    [['pvc/..'], '".." is not a valid name for pvc'],
  ])('refuses %j', async (words, message) => {
    await expect(parseTargets(words, grammar)).rejects.toThrow(message);
  });
  it('offers the type that was meant, and the types there are', async () => {
    await expect(parseTargets(['pvcs/a'], grammar)).rejects.toMatchObject({
      next: 'Did you mean "pvc"? The types are pvc, pod',
    });
  });
  it('gives the namespace only to kinds that have one', () => {
    expect(
      inNamespace(
        [
          { kind: 'Pod', name: 'a' },
          { kind: 'PersistentVolume', name: 'b' },
        ],
        'shop',
      ),
    ).toEqual([
      { kind: 'Pod', name: 'a', namespace: 'shop' },
      { kind: 'PersistentVolume', name: 'b' },
    ]);
  });
});
