/** One HTTP/2 frame (RFC 9113, section 4.1). The length can be a lie. */
export function frame(type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

const empty = Buffer.alloc(0);
export const settings = frame(frameTypes.settings, 0, 0, empty);
export const settingsAck = frame(frameTypes.settings, 1, 0, empty);
export const ping = frame(frameTypes.ping, 0, 0, Buffer.alloc(8));

/** `:status: 200` and `content-type: application/grpc`, as HPACK literals without a table. */
const headerBlock = Buffer.concat([
  Buffer.of(0x88, 0x0f, 0x10, 'application/grpc'.length),
  Buffer.from('application/grpc'),
]);
export const headers = (stream: number): Buffer => frame(frameTypes.headers, 4, stream, headerBlock);

/** A message as gRPC sends it: a flag, a length and the bytes. Flag and length can be lies. */
export function grpcMessage(message: Buffer, length = message.length, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

/** What a healthy server says at first: everything up to the answer of the first call. */
export const greeting: Buffer = Buffer.concat([
  settings,
  settingsAck,
  headers(1),
  frame(frameTypes.data, 0, 1, grpcMessage(Buffer.from('\n\x04name'))),
]);
