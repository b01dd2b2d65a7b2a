import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as messages from '../../../src/io/csi/messages.ts';
import { isAllowed, methods } from '../../../src/io/csi/methods.ts';
import { WireError, decode } from '../../../src/io/csi/wire.ts';
import type { MessageTable } from '../../../src/io/csi/wire.ts';
import { chunk, varint } from '../../kit/csi-driver.ts';

describe('what may be called', () => {
  it('is refused by identity, whatever its path', () => {
    expect(isAllowed({ ...methods.probe })).toBe(false);
    expect(isAllowed(methods.probe)).toBe(true);
  });
  it('holds nothing that changes anything, not even the answer to a registration', () => {
    const paths = Object.values(methods).map(({ path }) => path);
    expect(paths.filter((path) => /Create|Delete|Publish|Stage|Expand|Modify|Notify/.test(path))).toEqual([]);
  });
});

describe('decoding', () => {
  it('gives what an absent field means', () => {
    expect(decode(Buffer.alloc(0), messages.pluginInfo)).toEqual({ name: '', vendorVersion: '', manifest: new Map() });
    expect(decode(Buffer.alloc(0), messages.probeAnswer).ready).toBeUndefined();
    expect(decode(Buffer.from([0x0a, 0x00]), messages.probeAnswer).ready).toEqual({ value: false });
  });
  it('passes over fields that it does not know', () => {
    const bytes = Buffer.concat([
      varint(15, 300),
      chunk(16, 'new'),
      Buffer.from([0x71, 1, 2, 3, 4, 5, 6, 7, 8]),
      Buffer.from([0x75, 1, 2, 3, 4]),
      chunk(1, 'disk'),
    ]);
    expect(decode(bytes, messages.pluginInfo).name).toBe('disk');
  });
  it('reads maps, and negative numbers', () => {
    expect(decode(chunk(3, chunk(1, 'a'), chunk(2, 'b')), messages.pluginInfo).manifest).toEqual(new Map([['a', 'b']]));
    expect(
      decode(Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), messages.nodeInfo)
        .maxVolumesPerNode,
    ).toBe(-1n);
  });
  it.each<[string, Buffer, 'malformed' | 'utf8']>([
    ['a truncated text', Buffer.from([0x0a, 0x05, 0x61]), 'malformed'],
    ['a truncated number', Buffer.from([0x78, 0x80]), 'malformed'],
    [
      'a length beyond all bounds',
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
      'malformed',
    ],
    ['a number of eleven bytes', Buffer.from([0x78, ...Array.from({ length: 11 }, () => 0x80), 1]), 'malformed'],
    ['a wrong wire type', varint(1, 1), 'malformed'],
    ['the field nought', Buffer.from([0x00, 0x00]), 'malformed'],
    ['a group', Buffer.from([0x7b]), 'malformed'],
    ['text that is not UTF-8', chunk(1, Buffer.from([0xc3, 0x28])), 'utf8'],
    ['a key that is not UTF-8', chunk(3, chunk(1, Buffer.from([0xff]))), 'utf8'],
  ])('refuses %s', (_name, bytes, problem) => {
    expect(() => decode(bytes, messages.pluginInfo)).toThrow(expect.objectContaining({ name: 'WireError', problem }));
  });
  it('never throws anything else, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.constantFrom(...(Object.values(messages) as MessageTable[])),
        (bytes, table) => {
          try {
            decode(bytes, table);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        },
      ),
    );
  });
});
