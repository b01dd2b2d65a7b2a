import { statSync } from 'node:fs';
import type { ClusterReader } from '../../../io/cluster/reader.ts';
import type { Kind } from '../../../core/kube/kinds.ts';
import { resourceOf } from '../../../core/kube/resources.ts';
import { pendingPods } from '../../../core/kube/snapshot.ts';
import type { RawObject, Scope } from '../../../core/kube/snapshot.ts';
import { connectionOf, connectionValuesOf } from '../../../cli/connection-flags.ts';

export interface Candidate {
  readonly value: string;
  readonly hint?: string;
}

/** Where the names of objects come from: a cluster or a dump. */
export interface NameSource {
  names(kind: Kind): Promise<Candidate[]>;
  /** Claims that are not bound and pods that are pending; none of other kinds. */
  stuckNames(kind: Kind): Promise<Candidate[]>;
}

export type FlagValues = ReadonlyMap<string, readonly string[]>;

/** A longer list does not help at a prompt. */
const most = 500;
/** A page of a list holds 500 rows, and a few pages arrive within the time that a Tab may take. */
const mostRows = 2000;
/** A larger dump takes longer to read than a Tab may take. */
const mostBytes = 4_000_000;

/** A source that cannot be read offers no names; an error message would disturb the prompt. */
export async function openNames(values: FlagValues): Promise<NameSource> {
  const from = values.get('from') ?? [];
  const namespace = values.get('namespace')?.at(-1) || undefined;
  const opened = await (
    from.length > 0 ? dumpNames(from, namespace) : openReader(values).then((reader) => clusterNames(reader, namespace))
  ).catch(() => undefined);
  return {
    names: (kind) => opened?.names(kind).catch(() => []) ?? Promise.resolve([]),
    stuckNames: (kind) => opened?.stuckNames(kind).catch(() => []) ?? Promise.resolve([]),
  };
}

async function openReader(values: FlagValues): Promise<ClusterReader> {
  const { connect } = await import('../../../io/cluster/connect.ts');
  const connection = connectionOf({ ...connectionValuesOf(values), 'chunk-size': String(most) });
  return connect(connection, { variables: process.env });
}

function clusterNames(reader: ClusterReader, namespace: string | undefined): NameSource {
  const scopeOf = (kind: Kind): Scope =>
    resourceOf(kind).namespaced ? { namespace: namespace ?? reader.namespace } : {};
  const listed = async (kind: Kind, scope: Scope, hint?: string): Promise<Candidate[]> => {
    const result = await reader.list(kind, scope, { form: 'metadata', limit: most });
    return 'objects' in result ? result.objects.map(({ metadata }) => candidate(metadata.name, hint)) : [];
  };
  return {
    names: (kind) => listed(kind, scopeOf(kind)),
    async stuckNames(kind) {
      if (kind === 'Pod') return listed(kind, { ...scopeOf(kind), fieldSelector: pendingPods }, 'Pending');
      if (kind !== 'PersistentVolumeClaim') return [];
      const table = await reader.listTable(kind, scopeOf(kind), { limit: mostRows });
      if ('rows' in table)
        return table.rows
          .filter(({ cells }) => cells['status'] !== 'Bound')
          .map(({ name, cells }) => candidate(name, hintOf(cells['status'], cells['storageclass'])));
      return 'objects' in table ? table.objects.filter(isStuck).map(({ metadata }) => candidate(metadata.name)) : [];
    },
  };
}

async function dumpNames(paths: readonly string[], namespace: string | undefined): Promise<NameSource> {
  const isSmall =
    paths.every((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true) &&
    paths.reduce((sum, path) => sum + statSync(path).size, 0) <= mostBytes;
  const { readFiles } = await import('../../../io/files/read-files.ts');
  const objects = isSmall ? (await readFiles(paths)).objects : [];
  const ofKind = (kind: Kind): readonly RawObject[] =>
    objects.filter(
      (object) =>
        object.kind === kind &&
        (namespace === undefined || object.metadata.namespace === undefined || object.metadata.namespace === namespace),
    );
  return {
    names: (kind) =>
      Promise.resolve(
        ofKind(kind)
          .slice(0, most)
          .map(({ metadata }) => candidate(metadata.name)),
      ),
    stuckNames: (kind) =>
      Promise.resolve(
        kind === 'PersistentVolumeClaim' || kind === 'Pod'
          ? ofKind(kind)
              .filter(isStuck)
              .slice(0, most)
              .map(({ metadata }) => candidate(metadata.name))
          : [],
      ),
  };
}

function isStuck({ kind, status }: RawObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: unknown };
  return kind === 'Pod' ? phase === 'Pending' : phase !== 'Bound';
}

function hintOf(status: string | undefined, storageClass: string | undefined): string | undefined {
  if (status === undefined) return undefined;
  return storageClass === undefined || storageClass === '' || storageClass === '<unset>'
    ? status
    : `${status}, class ${storageClass}`;
}

const candidate = (value: string, hint?: string): Candidate => ({ value, ...(hint !== undefined && { hint }) });
