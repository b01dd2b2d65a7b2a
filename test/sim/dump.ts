import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';

/** A dump as `kubectl get … -o yaml` prints it, as a snapshot taken at the newest time that it mentions. */
export function loadDump(path: string | URL): Snapshot {
  const documents = parseAllDocuments(readFileSync(path, 'utf8')).map(
    (document) => document.toJS() as RawObject & { items?: RawObject[] },
  );
  const objects = documents.flatMap((document) => document.items ?? [document]);
  const times = JSON.stringify(objects).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g) ?? [];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: times.sort().at(-1) ?? new Date(0).toISOString(),
    source: { type: 'files', name: String(path) },
    objects,
    observations: [],
  };
}
