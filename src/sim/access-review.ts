import { fieldsOf } from './changes/protobuf.ts';

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
  for (const { number, value } of fieldsOf(message)) if (number === wanted && Buffer.isBuffer(value)) return value;
  return Buffer.alloc(0);
}
