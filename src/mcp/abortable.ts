import type { ClusterReader } from '../io/cluster/reader.ts';

/**
 * The same reader until a call is cancelled: then it reads nothing more, and what waits for an answer fails at once.
 */
export function abortable(reader: ClusterReader, signal: AbortSignal): ClusterReader {
  const guard =
    <Words extends readonly unknown[], Result>(read: (...words: Words) => Promise<Result>) =>
    (...words: Words): Promise<Result> => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      return Promise.race([read(...words), aborted(signal)]);
    };
  return {
    name: reader.name,
    server: reader.server,
    namespace: reader.namespace,
    get: guard(reader.get.bind(reader)),
    list: guard(reader.list.bind(reader)),
    listTable: guard(reader.listTable.bind(reader)),
    readRow: guard(reader.readRow.bind(reader)),
    watch: guard(reader.watch.bind(reader)),
    serverVersion: guard(reader.serverVersion.bind(reader)),
    mayI: guard(reader.mayI.bind(reader)),
    now: () => reader.now(),
    close: () => reader.close(),
  };
}

/** One listener for each signal, shared by all requests that wait for it. */
const ends = new WeakMap<AbortSignal, Promise<never>>();

function aborted(signal: AbortSignal): Promise<never> {
  const known = ends.get(signal);
  if (known !== undefined) return known;
  const end = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // It is only ever raced: on its own, its rejection is not an unhandled error.
  end.catch(() => undefined);
  ends.set(signal, end);
  return end;
}
