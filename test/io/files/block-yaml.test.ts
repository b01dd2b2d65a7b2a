import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseBlockYaml, unsure } from '../../../src/io/files/block-yaml.ts';

describe('the fast YAML reader', () => {
  it('reads what kubectl writes', () => {
    const text = `apiVersion: v1
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"kind":"Pod","a: b":1}
  managedFields:
  - fieldsV1:
      f:metadata:
        .: {}
        k:{"uid":"1"}: {}
        v:"a/b": {}
  creationTimestamp: null
spec:
  empty: []
  args:
  - --leader-election
  - --timeout=15s
  nested:
  - - 1
    - 2.5
  count: 010
  port: "8080"
status:
  message: 'it''s a long message that goes
    on in the next line

    and after a blank one'
  note: "tab\\there \\u00e9 and a very long line\\
    \\ that is joined"
  plain: folded
    plain text
`;
    expect(parseBlockYaml(text)).toEqual(parse(text));
  });

  it.each([
    'a: &x 1\nb: *x\n',
    'a: {b: 1}\n',
    'a: 1 # why\n',
    'a: !!str 1\n',
    '? a\n: b\n',
    'a:\n\t- b\n',
    '<<: {}\n',
    'a: b: c\n',
    'a: "open\n',
  ])('leaves %j to the full parser', (text) => {
    expect(parseBlockYaml(text)).toBe(unsure);
  });

  it('agrees with the full parser on whatever it reads', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'a: b',
        'x #y',
        '- a',
        '~',
        '1e3',
        '  lead',
        'trail  ',
        'two\nlines\n',
        '\n\nx\n\n',
        'long '.repeat(40),
        `"it's" `.repeat(30),
      ),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('any'),
          { maxKeys: 3 },
        ),
      ),
    })).any;
    fc.assert(
      fc.property(value, fc.boolean(), (input, indentSeq) => {
        const written = stringify(input, { indentSeq });
        const read = parseBlockYaml(written);
        if (read !== unsure) expect(JSON.stringify(read)).toBe(JSON.stringify(parse(written)));
      }),
      { numRuns: 300 },
    );
  });
});
