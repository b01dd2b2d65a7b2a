import { ApiClient } from './api-client.ts';
import { ApiReader } from './api-reader.ts';
import { requestTimeout } from './flags.ts';
import { findTarget } from './target.ts';
import type { ClusterReader } from './reader.ts';
import type { ConnectionEnvironment, ConnectionFlags } from './flags.ts';

const usualChunk = 500;
/** With its metadata, a row is two kilobytes at most. */
const usualRows = 1000;
/** A row of cells is a tenth of its object, and the server compresses only answers from 128 KiB on. */
const usualCells = 5000;

/** A reader for the cluster of the flags, the kubeconfig or the service account. Nothing is sent to the server yet. */
export async function connect(flags: ConnectionFlags, environment: ConnectionEnvironment = {}): Promise<ClusterReader> {
  return (await connectBoth(flags, environment)).reader;
}

export interface Connection {
  readonly reader: ClusterReader;
  /** For requests that do not read objects. */
  readonly client: ApiClient;
}

export async function connectBoth(
  flags: ConnectionFlags,
  environment: ConnectionEnvironment = {},
): Promise<Connection> {
  const { client, newReader } = await connectRepeatedly(flags, environment);
  return { reader: newReader(), client };
}

/**
 * One connection for a program that runs for long: each question gets a reader that remembers nothing of the one
 * before.
 */
export interface LastingConnection {
  readonly client: ApiClient;
  readonly newReader: () => ClusterReader;
}

export async function connectRepeatedly(
  flags: ConnectionFlags,
  environment: ConnectionEnvironment = {},
): Promise<LastingConnection> {
  const timeout = requestTimeout(flags.requestTimeout);
  const target = await findTarget(flags, environment);
  const client = new ApiClient(target, environment, timeout === undefined ? {} : { timeout });
  const { chunkSize } = flags;
  const chunk = { objects: chunkSize ?? usualChunk, rows: chunkSize ?? usualRows, cells: chunkSize ?? usualCells };
  const pages = { ...chunk, mayBeJoined: chunkSize === undefined };
  return { client, newReader: () => new ApiReader(client, target, pages, environment.onRead) };
}
