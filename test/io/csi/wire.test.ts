import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capabilityNames } from '../../../src/core/kube/capability-names.ts';
import * as messages from '../../../src/io/csi/messages.ts';
import { isAllowed, methods } from '../../../src/io/csi/methods.ts';
import { WireError, decode } from '../../../src/io/csi/wire.ts';
import type { MessageTable } from '../../../src/io/csi/wire.ts';
import { chunk, varint } from '../../kit/csi-driver.ts';

interface ProtoMessage {
  readonly fields: Record<string, { readonly number: number; readonly type: string; readonly isRepeated: boolean }>;
}
interface Proto {
  readonly messages: Map<string, ProtoMessage>;
  readonly enums: Map<string, string[]>;
  readonly methods: Map<string, string>;
}

/** Just enough of the language to read our own files. */
function readProto(file: string): Proto {
  const text = readFileSync(new URL(`../../../proto/${file}`, import.meta.url), 'utf8').replaceAll(/\/\/.*/g, '');
  const proto: Proto = { messages: new Map(), enums: new Map(), methods: new Map() };
  let home = '';
  const scopes: { readonly type: string; readonly name: string }[] = [];
  const scopeName = (): string =>
    [home, ...scopes.filter((scope) => scope.type !== 'oneof').map((scope) => scope.name)].join('.');
  for (const statement of text.match(/[^;{}]*[;{}]/g) ?? []) {
    const words = statement.trim();
    const scope = scopes.at(-1);
    let match: RegExpExecArray | null;
    if ((match = /^package ([\w.]+);$/.exec(words))) home = match[1]!;
    else if ((match = /^rpc (\w+)\(\w+\) returns \((\w+)\) \{$/.exec(words))) {
      proto.methods.set(`/${scopeName()}/${match[1]}`, `${home}.${match[2]}`);
      scopes.push({ type: 'rpc', name: match[1]! });
    } else if ((match = /^(service|message|enum|oneof) (\w+) \{$/.exec(words))) {
      scopes.push({ type: match[1]!, name: match[2]! });
      if (match[1] === 'message') proto.messages.set(scopeName(), { fields: {} });
      if (match[1] === 'enum') proto.enums.set(scopeName(), []);
    } else if (words === '}') scopes.pop();
    else if (scope?.type === 'enum' && (match = /^(\w+) = (\d+);$/.exec(words)))
      proto.enums.get(scopeName())![Number(match[2])] = match[1]!;
    else if ((match = /^(repeated )?(map<string, string>|\w+) (\w+) = (\d+);$/.exec(words))) {
      const name = match[3]!.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
      proto.messages.get(scopeName())!.fields[name] = {
        number: Number(match[4]),
        type: match[2]!,
        isRepeated: match[1] !== undefined,
      };
    } else if (!words.startsWith('syntax')) throw new Error(`cannot read "${words}"`);
  }
  return proto;
}

const protos = ['csi.proto', 'csi-v0.proto', 'plugin-registration.proto'].map(readProto);
const protoMessages = new Map(protos.flatMap((proto) => [...proto.messages]));

describe('the tables and proto/ say the same', () => {
  const tables = (Object.values(messages) as MessageTable[]).flatMap(function all(table: MessageTable): MessageTable[] {
    return [table, ...Object.values(table.fields).flatMap(({ type }) => (typeof type === 'string' ? [] : all(type)))];
  });
  it.each(tables.map((table) => [table.name, table] as const))('%s', (name, table) => {
    const written = protoMessages.get(name);
    const simple: Readonly<Record<string, string>> = { textMap: 'map<string, string>', enum: 'Type' };
    expect(
      Object.fromEntries(
        Object.entries(table.fields).map(([field, { number, type, repeated }]) => [
          field,
          {
            number,
            isRepeated: repeated,
            type: typeof type === 'string' ? (simple[type] ?? type) : type.name.split('.').at(-1),
          },
        ]),
      ),
    ).toEqual(written?.fields);
  });
  it('of every method that can be called, and of no other', () => {
    expect(Object.fromEntries(Object.values(methods).map(({ path, answer }) => [path, answer.name]))).toEqual(
      Object.fromEntries(protos.flatMap((proto) => [...proto.methods])),
    );
  });
  it('of the names of capabilities', () => {
    const enums = new Map(protos.flatMap((proto) => [...proto.enums]));
    expect(capabilityNames).toEqual({
      plugin: enums.get('csi.v1.PluginCapability.Service.Type'),
      expansion: enums.get('csi.v1.PluginCapability.VolumeExpansion.Type'),
      controller: enums.get('csi.v1.ControllerServiceCapability.RPC.Type'),
      groupController: enums.get('csi.v1.GroupControllerServiceCapability.RPC.Type'),
      node: enums.get('csi.v1.NodeServiceCapability.RPC.Type'),
    });
  });
});

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
