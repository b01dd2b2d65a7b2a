import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/kube/errors.ts';
import {
  matchesFields,
  parseFieldPath,
  parseFieldSelector,
  textOfValue,
  valuesAt,
} from '../../../src/core/kube/field-path.ts';

const object = {
  metadata: { name: 'data', labels: { 'app.kubernetes.io/name': 'web' } },
  spec: { drivers: [{ name: 'a', count: 3 }, { name: 'b' }] },
  status: { phase: 'Bound', note: null },
};
const read = (path: string): string => valuesAt(object, parseFieldPath(path)).map(textOfValue).join(',');

describe('a path into an object', () => {
  it.each([
    ['.metadata.name', 'data'],
    ['metadata.name', 'data'],
    ['{.metadata.name}', 'data'],
    ['.spec.drivers[0].name', 'a'],
    ['.spec.drivers[-1].name', 'b'],
    ['.spec.drivers[*].name', 'a,b'],
    ['.spec.drivers[*].count', '3'],
    ['.metadata.labels.app\\.kubernetes\\.io/name', 'web'],
    ["['metadata']['labels']['app.kubernetes.io/name']", 'web'],
    ['.spec.drivers[1]', '{"name":"b"}'],
    ['.spec.none.deeper', ''],
    ['.status.note', ''],
    ['.constructor', ''],
    ['.metadata.name.length', ''],
  ])('%s leads to %j', (path, expected) => {
    expect(read(path)).toBe(expected);
  });

  it.each(['', '{}', '.', '.a..b', '.a[', '.a[x]', '.a]', '.a{b}'])('%j is refused in one sentence', (path) => {
    expect(() => parseFieldPath(path)).toThrow(UserError);
  });
});

describe('a field selector', () => {
  it.each([
    ['status.phase=Bound', true],
    ['status.phase==Bound', true],
    ['status.phase!=Bound', false],
    ['status.phase=Bound,metadata.name!=other', true],
    ['status.phase=Bound,metadata.name=other', false],
    ['spec.volumeName=', true],
    ['spec.volumeName!=', false],
  ])('%s: %s', (text, expected) => {
    expect(matchesFields(object, parseFieldSelector(text))).toBe(expected);
  });

  it.each(['status.phase', '=Bound', 'status.phase>3'])('%j is refused', (text) => {
    expect(() => parseFieldSelector(text)).toThrow(UserError);
  });
});
