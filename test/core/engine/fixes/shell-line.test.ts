import { describe, expect, it } from 'vitest';
import { readShellLines } from '../../../../src/core/engine/fixes/shell-line.ts';

const words = (text: string) => readShellLines(text)?.map((line) => line.map((program) => program.words));

describe('what a shell would start', () => {
  it.each([
    ['kubectl get pvc', [[['kubectl', 'get', 'pvc']]]],
    [`kubectl patch pv x -p '{"a":"b c"}'`, [[['kubectl', 'patch', 'pv', 'x', '-p', '{"a":"b c"}']]]],
    [
      'a b | c d && e',
      [
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        [['e']],
      ],
    ],
    ['a \\\n  b\nc', [[['a', 'b']], [['c']]]],
    ['a "b $(date +%s)" c\\ d', [[['a', 'b $(date +%s)', 'c d']]]],
    ['a # nothing more', [[['a']]]],
    ["echo it'\\''s", undefined],
  ])('reads %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('knows where output goes and what a here-document holds', () => {
    const text =
      "kubectl get pvc a -o yaml > a.yaml\nkubectl apply -f - <<'YAML'\nkind: X\nname: y\nYAML\nkubectl get x";
    expect(readShellLines(text)).toEqual([
      [{ words: ['kubectl', 'get', 'pvc', 'a', '-o', 'yaml'], output: 'a.yaml' }],
      [{ words: ['kubectl', 'apply', '-f', '-'], input: 'kind: X\nname: y\n' }],
      [{ words: ['kubectl', 'get', 'x'] }],
    ]);
  });

  it.each(['for x in a; do b; done (c)', 'a $HOME', 'a < b', 'a || b', "a 'unclosed", 'a >', 'a <<EOF\nno end'])(
    'does not guess at %j',
    (text) => {
      expect(readShellLines(text)).toBeUndefined();
    },
  );
});
