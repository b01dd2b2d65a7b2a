import type { Entry } from '../store.ts';
import { clusterColumns } from './cluster.ts';
import { age, name } from './column.ts';
import type { Column } from './column.ts';
import { storageColumns } from './storage.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

const columns = { ...clusterColumns, ...storageColumns };

function columnsOf(kind: string): readonly Column[] {
  return (Object.hasOwn(columns, kind) ? columns[kind] : undefined) ?? [name, age];
}

export function columnDefinitions(kind: string): string {
  return JSON.stringify(
    columnsOf(kind).map((column) => ({
      name: column.name,
      type: column.type,
      format: column.name === 'Name' ? 'name' : '',
      description: '',
      priority: column.wide ? 1 : 0,
    })),
  );
}

/** One row as JSON text: the cells, and as much of the object as was requested. */
export function tableRow(
  kind: string,
  entry: Entry,
  now: number,
  include: IncludeObject,
  objectJson: () => string,
): string {
  const cells = JSON.stringify(columnsOf(kind).map((column) => column.cell(entry.object, now)));
  return `{"cells":${cells},"object":${includedObject(entry, include, objectJson)}}`;
}

function includedObject(entry: Entry, include: IncludeObject, objectJson: () => string): string {
  if (include === 'None') return 'null';
  return include === 'Object' ? objectJson() : partialMetadata(entry, 'v1');
}

export function partialMetadata(entry: Entry, version: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${entry.metadataJson}}`;
}
