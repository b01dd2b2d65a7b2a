/**
 * How the bytes of a field are read: a text, bytes as base64, a number, a flag, a message, or a map from texts to one
 * of these.
 */
type FieldType = 'text' | 'bytes' | 'number' | 'flag' | Message | { readonly mapOf: 'text' | 'bytes' | Message };
interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isList?: true;
}
type Message = Readonly<Record<number, Field>>;

const text = (name: string): Field => ({ name, type: 'text' });
const map = (name: string, mapOf: 'text' | 'bytes' | Message): Field => ({ name, type: { mapOf } });
const texts = (name: string): Field => ({ name, type: 'text', isList: true });

/** Numbers of fields as in the generated.proto of k8s.io/api and apimachinery. */
const metadata: Field = {
  name: 'metadata',
  type: {
    1: text('name'),
    2: text('generateName'),
    3: text('namespace'),
    5: text('uid'),
    6: text('resourceVersion'),
    11: map('labels', 'text'),
    12: map('annotations', 'text'),
    14: texts('finalizers'),
  },
};
/** The only field of a Quantity is its text. */
const quantity: Message = { 1: text('string') };
const deleteOptions: Message = {
  1: { name: 'gracePeriodSeconds', type: 'number' },
  2: { name: 'preconditions', type: { 1: text('uid'), 2: text('resourceVersion') } },
  4: text('propagationPolicy'),
  5: texts('dryRun'),
};
const messages: Readonly<Record<string, Message>> = {
  Secret: { 1: metadata, 2: map('data', 'bytes'), 3: text('type'), 4: map('stringData', 'text') },
  ConfigMap: { 1: metadata, 2: map('data', 'text'), 3: map('binaryData', 'bytes') },
  Namespace: { 1: metadata },
  ServiceAccount: { 1: metadata },
  ResourceQuota: {
    1: metadata,
    2: { name: 'spec', type: { 1: map('hard', quantity), 2: texts('scopes') } },
  },
  DeleteOptions: deleteOptions,
  Eviction: { 1: metadata, 2: { name: 'deleteOptions', type: deleteOptions } },
  SelfSubjectRulesReview: { 1: metadata, 2: { name: 'spec', type: { 1: text('namespace') } } },
  SelfSubjectReview: { 1: metadata },
};
const magic = Buffer.from('k8s\0');

export const isProtobuf = (body: Buffer): boolean => body.subarray(0, magic.length).equals(magic);

/**
 * Reads what kubectl sends in protobuf: a runtime.Unknown with apiVersion, kind and the bytes of the object.
 * Undefined for a kind that is not listed here.
 */
export function readProtobuf(body: Buffer): Record<string, unknown> | undefined {
  const unknown = [...fieldsOf(body.subarray(magic.length))];
  const part = (number: number): Buffer => bytesOf(unknown.find((field) => field.number === number)?.value);
  const identity = decode(part(1), { 1: text('apiVersion'), 2: text('kind') });
  const message = messages[String(identity['kind'])];
  return message === undefined ? undefined : { ...identity, ...decode(part(2), message) };
}

function decode(bytes: Buffer, message: Message): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const field = message[number];
    if (field === undefined) continue;
    const { name, type } = field;
    // Go writes empty texts of fields that are not set.
    if (type === 'text' && !field.isList && bytesOf(value).length === 0) continue;
    if (field.isList) result[name] = [...((result[name] as unknown[] | undefined) ?? []), readValue(value, type)];
    else if (typeof type === 'object' && 'mapOf' in type)
      result[name] = { ...(result[name] as object | undefined), ...readEntry(bytesOf(value), type.mapOf as FieldType) };
    else result[name] = readValue(value, type);
  }
  return result;
}

function readEntry(bytes: Buffer, type: FieldType): Record<string, unknown> {
  const fields = [...fieldsOf(bytes)];
  const key = bytesOf(fields.find(({ number }) => number === 1)?.value).toString();
  const value = fields.find(({ number }) => number === 2)?.value ?? Buffer.alloc(0);
  return { [key]: readValue(value, type) };
}

function readValue(value: Buffer | number, type: FieldType): unknown {
  if (type === 'number') return Number(value);
  if (type === 'flag') return value === 1;
  if (type === 'text') return bytesOf(value).toString();
  if (type === 'bytes') return bytesOf(value).toString('base64');
  if (type === quantity) return decode(bytesOf(value), quantity)['string'] ?? '0';
  return decode(bytesOf(value), type as Message);
}

const bytesOf = (value: Buffer | number | undefined): Buffer => (Buffer.isBuffer(value) ? value : Buffer.alloc(0));

/** The fields of one message in the order of its bytes; it ends early where the bytes are no message. */
export function* fieldsOf(bytes: Buffer): Generator<{ readonly number: number; readonly value: Buffer | number }> {
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; position < bytes.length; shift += 7) {
      const byte = bytes[position] ?? 0;
      position += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (position < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (tag % 8 === 0) yield { number, value: varint() };
    else if (tag % 8 === 2) {
      const length = varint();
      yield { number, value: bytes.subarray(position, position + length) };
      position += length;
    } else return;
  }
}
