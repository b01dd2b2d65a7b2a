import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';

/** Begins every name, so that a name is recognised wherever a command holds it. */
export const hostilePrefix = '--h4x;$(x)`y`\'"\n';

/** The same cluster in which every name of an object begins like an option and ends the shell's quotes; definitions keep the name by which they are found. */
export function withHostileNames(snapshot: Snapshot): Snapshot {
  const names = new Set(
    snapshot.objects.filter(({ kind }) => kind !== 'CustomResourceDefinition').map(({ metadata }) => metadata.name),
  );
  const namespaces = new Set(snapshot.objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  const rename = (text: string): string => (names.has(text) || namespaces.has(text) ? hostilePrefix + text : text);
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return rename(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === 'kind' || key === 'apiVersion' ? item : visit(item)]),
    );
  };
  return { ...snapshot, objects: snapshot.objects.map((object) => visit(object) as RawObject) };
}
