/** What a SelfSubjectAccessReview asks. */
export interface AccessQuestion {
  readonly namespace: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

const magic = Buffer.from('k8s\0');

/**
 * kubectl asks in protobuf (magic, then runtime.Unknown with the review in field 2), other clients in JSON.
 * Undefined when it is neither.
 */
export function readAccessQuestion(body: Buffer): AccessQuestion | undefined {
  if (body.subarray(0, magic.length).equals(magic)) {
    const review = fieldOf(body.subarray(magic.length), 2);
    const attributes = fieldOf(fieldOf(review, 2), 1);
    const text = (field: number): string => fieldOf(attributes, field).toString();
    return { namespace: text(1), verb: text(2), group: text(3), resource: text(5), subresource: text(6) };
  }
  try {
    const { spec } = JSON.parse(body.toString()) as { spec?: { resourceAttributes?: Partial<AccessQuestion> } };
    const asked = spec?.resourceAttributes ?? {};
    const text = (field: keyof AccessQuestion): string => String(asked[field] ?? '');
    return {
      namespace: text('namespace'),
      verb: text('verb'),
      group: text('group'),
      resource: text('resource'),
      subresource: text('subresource'),
    };
  } catch {
    return undefined;
  }
}

/** The bytes of one length-delimited field of a protobuf message; empty if it is not there. */
function fieldOf(message: Buffer, wanted: number): Buffer {
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; position < message.length; shift += 7) {
      const byte = message[position] ?? 0;
      position += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (position < message.length) {
    const tag = varint();
    const wire = tag % 8;
    if (wire === 0) varint();
    else if (wire === 2) {
      const length = varint();
      if (Math.floor(tag / 8) === wanted) return message.subarray(position, position + length);
      position += length;
    } else return Buffer.alloc(0);
  }
  return Buffer.alloc(0);
}
