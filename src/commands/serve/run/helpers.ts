import { readFileSync } from 'node:fs';
import { connectCluster } from '../../../cli/cluster-source.ts';
import type { ConnectionValues } from '../../../cli/connection-flags.ts';
import { UserError } from '../../../core/kube/errors.ts';
import type { Connection } from '../../../io/cluster/connect.ts';
import { complain } from '../../../terminal/output.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { headersOf, receiverOf } from '../options.ts';
import type { ServeFlags, ServeOptions } from '../options.ts';
import type { OwnCounts } from '../own-metrics.ts';
import type { Pace } from '../pace.ts';
import type { Picture } from '../picture.ts';
import { kubernetesAdmission } from './authenticate.ts';
import { LeaseHolder, leaseSeconds } from './lease.ts';
import { Notifier } from './notifier.ts';
import type { MemoryPlace } from './notifier.ts';
import type { Admission } from './server.ts';
import { decodeMemory, encodeMemory, openStateFile } from './state-file.ts';

/** What a flag adds to reading and serving: it identifies callers, notifies, and holds a lease. */
export interface Helpers {
  readonly admit: (authorization: string | undefined, path: string) => Promise<Admission>;
  take(picture: Picture): void;
  counts(): Pick<OwnCounts, 'notifications' | 'isLeader'>;
  close(): Promise<void>;
}

type HelperFlags = ServeFlags & ConnectionValues & { readonly namespace?: string | undefined };

/** Without any of these flags, this thread sends nothing to the cluster. */
export async function startHelpers(
  flags: HelperFlags,
  options: ServeOptions,
  { lookMs, renewMs }: Pace,
): Promise<Helpers> {
  const needsCluster = flags.auth === 'kubernetes' || options.lease !== undefined;
  const receiver = receiverFrom(flags);
  const connection = needsCluster ? await connectCluster({ ...flags, namespace: undefined }) : undefined;
  const lease = connection && leaseOf(connection, options, renewMs);
  const place = receiver && (lease === undefined ? filePlace(flags.state) : leasePlace(lease));
  const notifier =
    receiver &&
    place &&
    new Notifier({
      ...receiver,
      settleMs: options.notifyAfterMs,
      lookMs,
      place,
      complain: (text) => void complain(sanitise(text)),
    });
  lease?.start();
  return {
    admit: connection === undefined ? () => Promise.resolve('allowed') : kubernetesAdmission(connection.client),
    take: (picture) => notifier?.take(picture),
    counts: () => ({
      ...(notifier && { notifications: notifier.counts }),
      ...(lease && { isLeader: lease.isHeld }),
    }),
    async close() {
      notifier?.close();
      await lease?.close();
      connection?.client.close();
    },
  };
}

function receiverFrom(
  flags: ServeFlags,
): { readonly url: string; readonly headers: Record<string, string> } | undefined {
  const { notify, 'notify-file': file, 'notify-header-file': headerFile } = flags;
  const written = file === undefined ? notify : readText('notify-file', file);
  if (written === undefined) return undefined;
  const headers = headerFile === undefined ? {} : headersOf(readText('notify-header-file', headerFile), headerFile);
  const where = file === undefined ? '--notify' : `the content of ${file}`;
  return { url: receiverOf(written, headerFile !== undefined, where), headers };
}

function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`--${flag} ${path} cannot be read: ${(error as Error).message}`);
  }
}

function leaseOf({ client, reader }: Connection, { lease }: ServeOptions, renewMs: number): LeaseHolder | undefined {
  if (lease === undefined) return undefined;
  const place = { namespace: lease.namespace ?? reader.namespace, name: lease.name };
  return new LeaseHolder(
    client,
    place,
    (message) =>
      void complain(
        sanitise(
          `The lease ${place.namespace}/${place.name} cannot be held: ${message}. Until it is, nothing is announced here.`,
        ),
      ),
    { durationSeconds: leaseSeconds, renewMs },
  );
}

function leasePlace(lease: LeaseHolder): MemoryPlace {
  return {
    isMine: () => lease.isHeld,
    load: () => decodeMemory(lease.memory),
    // Many may read leases, so no names are written there.
    save: (memory) => lease.remember(encodeMemory(memory, false)),
  };
}

/** Without a file, a restart knows nothing of what was announced: it sends one summary. */
function filePlace(path: string | undefined): MemoryPlace {
  const file = path === undefined ? undefined : openStateFile(path);
  return {
    isMine: () => true,
    load: () => decodeMemory(file?.read()),
    save: async (memory) => {
      file?.write(encodeMemory(memory, true));
      return true;
    },
  };
}
