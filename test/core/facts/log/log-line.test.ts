import { describe, expect, it } from 'vitest';
import { readLines } from '../../../../src/core/facts/log/log-line.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const read = (...lines: string[]) => readLines(lines, now);

describe('a line of a log', () => {
  it('is taken apart in the formats of klog', () => {
    const [plain, structured] = read(
      '2026-03-01T11:48:00.123456789Z E0301 11:48:00.123456       1 controller.go:957] error syncing claim "a": no',
      'I0301 11:49:00.000000       1 event.go:389] "Event occurred" object="shop/data" message="failed: \\"x\\" of {y}" count=3',
    );
    expect(plain).toMatchObject({
      at: '2026-03-01T11:48:00.123456789Z',
      level: 'error',
      message: 'error syncing claim "a": no',
    });
    expect(structured).toMatchObject({ at: '2026-03-01T11:49:00.000Z', level: 'info', message: 'Event occurred' });
    expect(Object.fromEntries(structured?.values ?? [])).toEqual({
      object: 'shop/data',
      message: 'failed: "x" of {y}',
      count: '3',
    });
  });

  it('has the year before the clock, since klog writes none', () => {
    expect(readLines(['E1231 23:59:59.000000       1 a.go:1] x'], Date.parse('2026-01-01T00:01:00Z'))[0]?.at).toBe(
      '2025-12-31T23:59:59.000Z',
    );
  });

  it('holds the lines that follow, where a value has several', () => {
    const [line, next] = read(
      'E0301 11:48:00.000000       1 a.go:1] "Failed" err=<',
      '\tfirst',
      '\tsecond',
      ' > volume="pvc-1"',
      'I0301 11:48:01.000000       1 a.go:2] next',
    );
    expect(line?.values.get('err')).toBe('first\nsecond');
    expect(line?.values.get('volume')).toBe('pvc-1');
    expect(next?.message).toBe('next');
  });

  it('is taken apart in JSON and in logfmt, with seconds, milliseconds or RFC 3339', () => {
    const lines = read(
      '{"ts":1772366400.5,"msg":"failed","err":"boom"}',
      '{"ts":1772366400500.25,"msg":"fine","v":0}',
      '{"level":"error","time":"2026-03-01T11:59:00Z","msg":"GRPC error","error":"x"}',
      'time="2026-03-01T11:59:30Z" level=warning msg="a \\"b\\"" request=7',
    );
    expect(lines.map(({ at, level, message }) => [at, level, message])).toEqual([
      ['2026-03-01T12:00:00.500Z', 'error', 'failed'],
      ['2026-03-01T12:00:00.500Z', undefined, 'fine'],
      ['2026-03-01T11:59:00Z', 'error', 'GRPC error'],
      ['2026-03-01T11:59:30Z', 'warning', 'a "b"'],
    ]);
  });

  it('is plain where its format is not known, and never throws', () => {
    for (const text of ['{"half":', 'panic: runtime error', '[]', '{}', 'E03', '"quoted', 'msg=', '{"ts":{}}'])
      expect(read(text)).toHaveLength(1);
    expect(read('', '   ')).toEqual([]);
  });
});
