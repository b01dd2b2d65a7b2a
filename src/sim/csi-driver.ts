import { rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';

/** A piece of a message of Protocol Buffers, written by hand so that it can also be written wrong. */
export const varint = (number: number, value: number): Buffer =>
  Buffer.from([...numberBytes(number << 3), ...numberBytes(value)]);
export const chunk = (number: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
  return Buffer.concat([Buffer.from([...numberBytes((number << 3) | 2), ...numberBytes(body.length)]), body]);
};
const numberBytes = (value: number): number[] =>
  value > 0x7f ? [(value & 0x7f) | 0x80, ...numberBytes(Math.floor(value / 128))] : [value];

/** The answer of a method: bytes, a status, or no answer at all; a function answers depending on the request. */
export type Answer = FixedAnswer | ((request: Buffer) => FixedAnswer);
type FixedAnswer =
  | Buffer
  | { readonly code: keyof typeof status; readonly message: string }
  | 'hang'
  | { readonly after: number; readonly bytes: Buffer };
export type Answers = Readonly<Record<string, Answer>>;

export const pluginInfo = (name: string, version: string): Buffer =>
  Buffer.concat([...(name === '' ? [] : [chunk(1, name)]), ...(version === '' ? [] : [chunk(2, version)])]);
export const pluginCapabilities = (services: readonly number[], expansions: readonly number[] = []): Buffer =>
  Buffer.concat([
    ...services.map((type) => chunk(1, chunk(1, varint(1, type)))),
    ...expansions.map((type) => chunk(1, chunk(2, varint(1, type)))),
  ]);
export const rpcCapabilities = (types: readonly number[]): Buffer =>
  Buffer.concat(types.map((type) => chunk(1, chunk(1, varint(1, type)))));
export const nodeInfo = (
  nodeId: string,
  maxVolumes: number,
  topology: Readonly<Record<string, string>> = {},
): Buffer => {
  const segments = Object.entries(topology).map(([key, value]) => chunk(1, chunk(1, key), chunk(2, value)));
  return Buffer.concat([
    ...(nodeId === '' ? [] : [chunk(1, nodeId)]),
    ...(maxVolumes === 0 ? [] : [varint(2, maxVolumes)]),
    ...(segments.length === 0 ? [] : [chunk(3, ...segments)]),
  ]);
};
export const registrationInfo = (
  name: string,
  endpoint: string,
  versions: readonly string[] = ['1.0.0'],
  type = 'CSIPlugin',
): Buffer =>
  Buffer.concat([
    chunk(1, type),
    ...(name === '' ? [] : [chunk(2, name)]),
    ...(endpoint === '' ? [] : [chunk(3, endpoint)]),
    ...versions.map((version) => chunk(4, version)),
  ]);

export interface RunningDriver {
  /** Every path that was called, in order. */
  readonly called: readonly string[];
  readonly stop: () => void;
}

/** A gRPC server on a unix socket, or on a loopback port, with configurable answers. */
export async function startDriver(
  address: string,
  answers: Answers,
): Promise<RunningDriver & { readonly port: number }> {
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  const called: string[] = [];
  for (const service of new Set(Object.keys(answers).map((path) => path.split('/')[1]))) {
    const paths = Object.keys(answers).filter((path) => path.split('/')[1] === service);
    const passOn = (bytes: Buffer): Buffer => bytes;
    const definition = Object.fromEntries(
      paths.map((path) => [
        path,
        {
          path,
          requestStream: false,
          responseStream: false,
          requestSerialize: passOn,
          requestDeserialize: passOn,
          responseSerialize: passOn,
          responseDeserialize: passOn,
        },
      ]),
    );
    const handlers: UntypedServiceImplementation = Object.fromEntries(
      paths.map((path) => [
        path,
        ({ request }: { readonly request: Buffer }, reply: (error: object | null, bytes?: Buffer) => void) => {
          called.push(path);
          const given = answers[path];
          const answer = typeof given === 'function' ? given(request) : given;
          if (answer === 'hang' || answer === undefined) return;
          if (Buffer.isBuffer(answer)) reply(null, answer);
          else if ('after' in answer) setTimeout(() => reply(null, answer.bytes), answer.after);
          else reply({ code: status[answer.code], details: answer.message, metadata: new Metadata() });
        },
      ]),
    );
    server.addService(definition, handlers);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(
      address.startsWith('/') ? `unix://${address}` : address,
      ServerCredentials.createInsecure(),
      (error, bound) => (error === null ? resolve(bound) : reject(error)),
    );
  });
  return { called, port, stop: () => server.forceShutdown() };
}

/** A killed driver leaves its socket behind; Node would remove it, so the file is moved out of its reach. */
export async function leaveStale(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(`${path}.new`, resolve));
  await rename(`${path}.new`, path);
  await new Promise((resolve) => server.close(resolve));
}
