import type { Wanted } from './accept.ts';
import { toNewEvent } from './events.ts';
import type { Page } from './paging.ts';
import { apiVersionOf } from './request-path.ts';
import type { ServedKind } from './served-kinds.ts';
import { badRequest, notAcceptable } from './status.ts';
import { Entry } from './store.ts';
import { columnDefinitions, partialMetadata, tableRow } from './tables/table.ts';
import type { IncludeObject } from './tables/table.ts';

/** How objects of one request are written: which version, in which form, at which time. */
export interface Rendering {
  readonly served: ServedKind;
  readonly version: string;
  readonly wanted: Wanted;
  readonly include: IncludeObject;
  readonly now: number;
}

export function readIncludeObject(text: string): IncludeObject {
  if (text === '') return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw badRequest(`unrecognized includeObject value: "${text}"`);
}

export function renderObject(entry: Entry, rendering: Rendering): string {
  const { wanted } = rendering;
  if (wanted.form === 'table')
    return renderTable([entry], rendering, listMetadata(String(entry.object.metadata['resourceVersion'] ?? '')));
  if (wanted.form === 'partialObjectMetadata') return partialMetadata(entry, wanted.version);
  if (wanted.form === 'partialObjectMetadataList')
    throw notAcceptable('you requested PartialObjectMetadataList, but the requested object is not a list');
  return objectJson(entry, rendering);
}

export function renderList(page: Page, rendering: Rendering): string {
  const { served, version, wanted } = rendering;
  const metadata = listMetadata(String(page.version), page.next, page.remaining);
  if (wanted.form === 'table') return renderTable(page.entries, rendering, metadata);
  if (wanted.form === 'partialObjectMetadata')
    throw notAcceptable('you requested PartialObjectMetadata, but the requested object is a list');
  if (wanted.form === 'partialObjectMetadataList') {
    const items = page.entries.map((entry) => partialMetadata(entry, wanted.version));
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${wanted.version}","metadata":${metadata},"items":[${items.join(',')}]}`;
  }
  const items = page.entries.map((entry) =>
    served.custom ? objectJson(entry, rendering) : inVersion(entry, rendering).bareJson,
  );
  return `{"kind":"${served.kind}List","apiVersion":"${apiVersionOf(served.group, version)}","metadata":${metadata},"items":[${items.join(',')}]}`;
}

/** One line of a watch; only the first Table of a stream carries its columns. */
export function renderWatched(type: string, entry: Entry, rendering: Rendering, isFirst: boolean): string {
  const object =
    rendering.wanted.form === 'table'
      ? renderTable([entry], rendering, listMetadata(String(entry.object.metadata['resourceVersion'] ?? '')), isFirst)
      : renderObject(entry, rendering);
  return `{"type":"${type}","object":${object}}\n`;
}

export function renderBookmark(version: number, rendering: Rendering, endsInitialEvents: boolean): string {
  const metadata = {
    resourceVersion: String(version),
    creationTimestamp: null,
    ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { ...bookmarkIdentity(rendering), metadata } })}\n`;
}

/** A bookmark has the form in which the client asked for the objects. */
function bookmarkIdentity({ served, wanted, version }: Rendering): object {
  const apiVersion = `meta.k8s.io/${wanted.version}`;
  if (wanted.form === 'table') return { kind: 'Table', apiVersion, columnDefinitions: null, rows: [] };
  if (wanted.form === 'partialObjectMetadata') return { kind: 'PartialObjectMetadata', apiVersion };
  return { kind: served.kind, apiVersion: apiVersionOf(served.group, version) };
}

function renderTable(entries: readonly Entry[], rendering: Rendering, metadata: string, withColumns = true): string {
  const { served, wanted, now, include } = rendering;
  const rows = entries.map((entry) => tableRow(served.kind, entry, now, include, () => objectJson(entry, rendering)));
  const definitions = withColumns ? columnDefinitions(served.kind) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${wanted.version}","metadata":${metadata},"columnDefinitions":${definitions},"rows":[${rows.join(',')}]}`;
}

function objectJson(entry: Entry, rendering: Rendering): string {
  return inVersion(entry, rendering).json(
    rendering.served.kind,
    apiVersionOf(rendering.served.group, rendering.version),
  );
}

function inVersion(entry: Entry, { served }: Rendering): Entry {
  return served.kind === 'Event' && served.group !== '' ? new Entry(toNewEvent(entry.object)) : entry;
}

function listMetadata(resourceVersion: string, next?: string, remaining?: number): string {
  return JSON.stringify({
    resourceVersion,
    ...(next === undefined ? {} : { continue: next }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  });
}
