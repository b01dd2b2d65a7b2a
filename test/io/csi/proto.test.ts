import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { capabilityNames } from '../../../src/core/kube/capability-names.ts';
import * as messages from '../../../src/io/csi/messages.ts';
import { methods } from '../../../src/io/csi/methods.ts';
import { WireError, decode, encodeNumbers } from '../../../src/io/csi/wire.ts';
import type { FieldTable, FieldType, MessageTable } from '../../../src/io/csi/wire.ts';

/**
 * protobufjs reads proto/ and is the oracle: of our tables (same fields, numbers and types) and of our reader and writer
 * (same values for the same bytes). It is a test dependency only: the shipped program reads a dozen small answers.
 */
const root = new protobuf.Root();
for (const file of ['csi.proto', 'csi-v0.proto', 'cosi.proto', 'cosi-v2.proto', 'plugin-registration.proto'])
  protobuf.parse(readFileSync(new URL(`../../../proto/${file}`, import.meta.url), 'utf8'), root);
root.resolveAll();

const answers: readonly MessageTable[] = Object.values(messages);
const allTables = answers.flatMap(function withNested(table: MessageTable): MessageTable[] {
  const nested = Object.values(table.fields).flatMap(({ type }) => (typeof type === 'string' ? [] : withNested(type)));
  return [table, ...nested];
});

/** A field of proto/ in the words of our tables. */
function tableTypeOf(field: protobuf.Field): string {
  if (field instanceof protobuf.MapField) return `map of ${field.keyType} to ${field.type}`;
  if (field.resolvedType instanceof protobuf.Enum) return 'enum';
  return field.resolvedType === null ? field.type : field.resolvedType.fullName.slice(1);
}

function typeNameOf(type: FieldType): string {
  if (typeof type !== 'string') return type.name;
  return type === 'textMap' ? 'map of string to string' : type;
}

describe('the tables and proto/ agree', () => {
  it.each(allTables.map((table) => [table.name, table] as const))('on %s', (name, table) => {
    const ours = Object.entries(table.fields).map(([field, { number, type, repeated }]) => ({
      field,
      number,
      type: typeNameOf(type),
      repeated,
    }));
    const theirs = root.lookupType(name).fieldsArray.map((field) => ({
      field: field.name,
      number: field.id,
      type: tableTypeOf(field),
      repeated: field.repeated,
    }));
    expect(ours).toEqual(theirs);
  });

  it('on every method that can be called, and on no other', () => {
    const services = protoObjects(root).filter((object) => object instanceof protobuf.Service);
    const written = services.flatMap((service) =>
      service.methodsArray.map((method) => [
        `/${service.fullName.slice(1)}/${method.name}`,
        method.resolvedResponseType?.fullName.slice(1),
      ]),
    );
    expect(Object.fromEntries(Object.values(methods).map(({ path, answer }) => [path, answer.name]))).toEqual(
      Object.fromEntries(written),
    );
  });

  it('on the names of capabilities', () => {
    const namesOf = (path: string): string[] => Object.keys(root.lookupEnum(path).values);
    expect(capabilityNames).toEqual({
      plugin: namesOf('csi.v1.PluginCapability.Service.Type'),
      expansion: namesOf('csi.v1.PluginCapability.VolumeExpansion.Type'),
      controller: namesOf('csi.v1.ControllerServiceCapability.RPC.Type'),
      groupController: namesOf('csi.v1.GroupControllerServiceCapability.RPC.Type'),
      node: namesOf('csi.v1.NodeServiceCapability.RPC.Type'),
      object: namesOf('sigs.k8s.io.cosi.v1alpha2.ObjectProtocol.Type'),
    });
    for (const object of protoObjects(root))
      if (object instanceof protobuf.Enum)
        expect(Object.values(object.values), object.fullName).toEqual(Object.keys(object.values).map((_, at) => at));
  });
});

function protoObjects(namespace: protobuf.NamespaceBase): protobuf.ReflectionObject[] {
  return namespace.nestedArray.flatMap((object) =>
    object instanceof protobuf.Namespace ? [object, ...protoObjects(object)] : [object],
  );
}

/** What protobufjs makes of a message, with the values that absent fields have in our reader. */
function asOurs(table: MessageTable, theirs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table.fields).map(([name, field]) => {
      const own = Object.hasOwn(theirs, name) ? theirs[name] : undefined;
      return [name, field.repeated ? list(own).map((item) => valueOf(field.type, item)) : valueOf(field.type, own)];
    }),
  );
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function valueOf(type: FieldType, value: unknown): unknown {
  if (typeof type !== 'string')
    return typeof value === 'object' && value !== null ? asOurs(type, { ...value }) : undefined;
  switch (type) {
    case 'string':
      return value ?? '';
    case 'bool':
      return value ?? false;
    case 'int64':
      return BigInt(String(value ?? 0));
    case 'textMap':
      return new Map(Object.entries(value ?? {}));
    default:
      return value ?? 0;
  }
}

/** Any text, at times with the byte order mark that a decoder may swallow. */
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('\ufeffname', '__proto__', '\0'));
const smallOrAny32 = fc.oneof(fc.integer({ min: -1, max: 20 }), fc.integer());

/** A message as `fromObject` of protobufjs takes it; any field may be left out or hold its default. */
function arbitraryMessage(table: MessageTable): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(table.fields).map(([name, field]) => [name, arbitraryField(field)]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

function arbitraryField({ type, repeated }: FieldTable): fc.Arbitrary<unknown> {
  return repeated ? fc.array(arbitraryValue(type), { maxLength: 5 }) : arbitraryValue(type);
}

function arbitraryValue(type: FieldType): fc.Arbitrary<unknown> {
  if (typeof type !== 'string') return arbitraryMessage(type);
  switch (type) {
    case 'string':
      return text;
    case 'bool':
      return fc.boolean();
    case 'int64':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    case 'textMap':
      return fc.dictionary(text, text, { maxKeys: 4 });
    default:
      return smallOrAny32;
  }
}

const tableAndMessage = fc
  .constantFrom(...allTables)
  .chain((table) => arbitraryMessage(table).map((value) => ({ table, value })));

function encode(table: MessageTable, value: Record<string, unknown>): Uint8Array {
  const type = root.lookupType(table.name);
  return type.encode(type.fromObject(value)).finish();
}

function decodeByOracle(table: MessageTable, bytes: Uint8Array): Record<string, unknown> {
  return asOurs(table, { ...root.lookupType(table.name).decode(bytes) });
}

describe('bytes mean to us what they mean to protobufjs', () => {
  it('in every message that it encodes', () => {
    fc.assert(
      fc.property(tableAndMessage, ({ table, value }) => {
        expect(decode(encode(table, value), table)).toEqual(asOurs(table, value));
      }),
      { numRuns: 1000 },
    );
  });

  it('in whatever bytes we accept: our reader refuses more, but reads nothing differently', () => {
    const damaged = tableAndMessage.chain(({ table, value }) => {
      const bytes = encode(table, value);
      const edit = fc.record({ at: fc.nat({ max: Math.max(bytes.length - 1, 0) }), byte: fc.nat({ max: 255 }) });
      return fc.record({
        table: fc.constant(table),
        bytes: fc.constant(bytes),
        edits: fc.array(edit, { maxLength: 3 }),
      });
    });
    let accepted = 0;
    fc.assert(
      fc.property(damaged, ({ table, bytes, edits }) => {
        const changed = Uint8Array.from(bytes);
        for (const { at, byte } of edits) changed[at] = byte;
        const ours = decodedOrRefused(table, changed);
        if (ours === 'refused') return;
        accepted += 1;
        expect(ours).toEqual(decodeByOracle(table, changed));
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it('in the numbers that we send', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (entries) => {
        const request = root.lookupType('csi.v1.ListVolumesRequest').decode(encodeNumbers({ 1: entries }));
        expect(request.toJSON()).toEqual({ maxEntries: entries });
      }),
    );
  });

  it('in every request that is sent', () => {
    for (const { path, request } of Object.values(methods)) {
      const [, service = '', name = ''] = path.split('/');
      const type = root.lookupService(service).methods[name]?.resolvedRequestType;
      const expected = /List(Volumes|Snapshots|VolumeHealth)$/.test(name) ? { maxEntries: 100 } : {};
      expect(type?.decode(request).toJSON(), path).toEqual(expected);
    }
  });
});

function decodedOrRefused(table: MessageTable, bytes: Uint8Array): unknown {
  try {
    return decode(bytes, table);
  } catch (error) {
    if (error instanceof WireError) return 'refused';
    throw error;
  }
}
