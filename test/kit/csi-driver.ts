import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';

/** A piece of a message of Protocol Buffers, written by hand so that a test can also write it wrong. */
export const varint = (number: number, value: number): Buffer => Buffer.from([...numberBytes(number << 3), ...numberBytes(value)]);
export const chunk = (number: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
  return Buffer.concat([Buffer.from([...numberBytes((number << 3) | 2), ...numberBytes(body.length)]), body]);
};
const numberBytes = (value: number): number[] => (value > 0x7f ? [(value & 0x7f) | 0x80, ...numberBytes(Math.floor(value / 128))] : [value]);

/** What a method answers: bytes, a status, or nothing for ever. */
export type Answer = Buffer | { readonly code: keyof typeof status; readonly message: string } | 'hang' | { readonly after: number; readonly bytes: Buffer };
export type Answers = Readonly<Record<string, Answer>>;

export const pluginInfo = (name: string, version: string): Buffer => Buffer.concat([...(name === '' ? [] : [chunk(1, name)]), ...(version === '' ? [] : [chunk(2, version)])]);
export const pluginCapabilities = (services: readonly number[], expansions: readonly number[] = []): Buffer =>
  Buffer.concat([...services.map((type) => chunk(1, chunk(1, varint(1, type)))), ...expansions.map((type) => chunk(1, chunk(2, varint(1, type))))]);
export const rpcCapabilities = (types: readonly number[]): Buffer => Buffer.concat(types.map((type) => chunk(1, chunk(1, varint(1, type)))));
export const registrationInfo = (name: string, endpoint: string, versions: readonly string[] = ['1.0.0'], type = 'CSIPlugin'): Buffer =>
  Buffer.concat([chunk(1, type), ...(name === '' ? [] : [chunk(2, name)]), ...(endpoint === '' ? [] : [chunk(3, endpoint)]), ...versions.map((version) => chunk(4, version))]);

export const healthy: Answers = {
  '/csi.v1.Identity/GetPluginInfo': pluginInfo('disk.example.com', 'v1.2.3'),
  '/csi.v1.Identity/GetPluginCapabilities': pluginCapabilities([1, 2], [1]),
  '/csi.v1.Identity/Probe': Buffer.alloc(0),
};

export const deepAnswers: Answers = {
  ...healthy,
  '/csi.v1.Controller/ControllerGetCapabilities': rpcCapabilities([1, 2, 3, 4, 6, 9, 13]),
  '/csi.v1.Controller/GetCapacity': varint(1, 1_000_000_000),
  '/csi.v1.Controller/ListVolumes': Buffer.concat([chunk(1, chunk(1, chunk(2, 'volume-1'))), chunk(1, chunk(1, chunk(2, 'volume-2'))), chunk(2, 'next')]),
  '/csi.v1.Controller/ListSnapshots': Buffer.alloc(0),
  '/csi.v1.Node/NodeGetInfo': Buffer.concat([chunk(1, 'worker-1'), varint(2, 25), chunk(3, chunk(1, chunk(1, 'topology.example.com/zone'), chunk(2, 'a')))]),
  '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([1, 2, 3, 5, 99]),
};

export interface RunningDriver {
  /** Every path that was called, in order. */
  readonly called: readonly string[];
  readonly stop: () => void;
}

/** A gRPC server on a unix socket, or on a loopback port, that answers as it is told. */
export async function startDriver(address: string, answers: Answers): Promise<RunningDriver & { readonly port: number }> {
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  const called: string[] = [];
  for (const service of new Set(Object.keys(answers).map((path) => path.split('/')[1]))) {
    const paths = Object.keys(answers).filter((path) => path.split('/')[1] === service);
    const passOn = (bytes: Buffer): Buffer => bytes;
    const definition = Object.fromEntries(paths.map((path) => [path, { path, requestStream: false, responseStream: false, requestSerialize: passOn, requestDeserialize: passOn, responseSerialize: passOn, responseDeserialize: passOn }]));
    const handlers: UntypedServiceImplementation = Object.fromEntries(
      paths.map((path) => [
        path,
        (_call: unknown, reply: (error: object | null, bytes?: Buffer) => void) => {
          called.push(path);
          const answer = answers[path];
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
    server.bindAsync(address.startsWith('/') ? `unix://${address}` : address, ServerCredentials.createInsecure(), (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return { called, port, stop: () => server.forceShutdown() };
}
