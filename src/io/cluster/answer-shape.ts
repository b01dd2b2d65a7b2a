import { resourceOf } from '../../core/kube/resources.ts';
import type { Kind } from '../../core/kube/kinds.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What was requested, so that the answer can be compared with it. */
export interface Wanted {
  readonly kind: Kind;
  /** Of the version in the path, such as storage.k8s.io/v1. */
  readonly apiVersion: string;
  /** The namespace in the path. */
  readonly namespace: string | undefined;
  readonly form: 'full' | 'metadata' | 'table';
}

/** A 200 that is not what was requested: nothing is known then, in particular not that there are no objects. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * The API server refuses objects nested deeper than 10,000 levels (sigs.k8s.io/json); none that works comes near this
 * limit.
 */
const deepest = 500;
const metaVersions: ReadonlySet<unknown> = new Set(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']);

/** Throws unless the body is the requested list, or the table of it, by its own kind. */
export function checkList(body: Fields, wanted: Wanted): void {
  const { name } = resourceOf(wanted.kind);
  const { kind, apiVersion } = body;
  if (wanted.form === 'table' && kind === 'Table' && metaVersions.has(apiVersion)) {
    if (!Array.isArray(body['rows'])) throw new WrongAnswer(`the server sent a table of ${name} without rows`);
    return;
  }
  const isList =
    wanted.form === 'metadata'
      ? kind === 'PartialObjectMetadataList' && metaVersions.has(apiVersion)
      : kind === `${wanted.kind}List` && apiVersion === wanted.apiVersion;
  if (!isList) throw new WrongAnswer(`the server sent ${described(body)} instead of the list of ${name}`);
  if (!Array.isArray(body['items'])) throw new WrongAnswer(`the server sent a list of ${name} without items`);
}

/**
 * Why it is not known whether more pages follow this one. Every list has metadata, and only a page that another one
 * follows counts the items that remain (ListMeta in apimachinery).
 */
export function doubtfulEnd({ metadata }: Fields, name: string): string | undefined {
  if (!isFields(metadata)) return `the server sent a list of ${name} without metadata`;
  const { continue: token = '', remainingItemCount: remaining } = metadata;
  if (typeof token !== 'string') return `the server sent a list of ${name} with a continue token that is not a text`;
  return token === '' && typeof remaining === 'number' && remaining > 0
    ? `the server sent a list of ${name} that ends ${remaining} items too early`
    : undefined;
}

/** Throws unless the value is an object of the list. Only lists of custom resources repeat the kind in each item. */
export function checkItem(
  value: unknown,
  { kind, namespace, form }: Omit<Wanted, 'apiVersion'>,
): asserts value is Fields {
  const { name, namespaced } = resourceOf(kind);
  const itemKind = isFields(value) ? value['kind'] : undefined;
  const expected = form === 'metadata' ? 'PartialObjectMetadata' : kind;
  if (!isFields(value) || (itemKind !== undefined && itemKind !== '' && itemKind !== expected))
    throw new WrongAnswer(`the server sent a list of ${name} that has ${described(value)} in it`);
  const metadata = value['metadata'];
  const own = isFields(metadata) ? metadata : {};
  if (typeof own['name'] !== 'string' || own['name'] === '')
    throw new WrongAnswer(`the server sent a list of ${name} with an item that has no name`);
  if (namespaced && (typeof own['namespace'] !== 'string' || own['namespace'] === ''))
    throw new WrongAnswer(`the server sent a list of ${name} with an item that has no namespace`);
  if (namespaced && namespace !== undefined && own['namespace'] !== namespace)
    throw new WrongAnswer(`the server sent ${name} of another namespace than ${namespace}`);
  if (isDeeper(value, deepest)) throw new WrongAnswer(`the server sent a list of ${name} that is nested too deeply`);
}

/** Throws unless the body is the object of this name. */
export function checkObject(body: Fields, { kind, apiVersion, namespace, form }: Wanted, name: string): void {
  const resource = resourceOf(kind).name;
  const isKind =
    form === 'metadata'
      ? body['kind'] === 'PartialObjectMetadata' && metaVersions.has(body['apiVersion'])
      : body['kind'] === kind && body['apiVersion'] === apiVersion;
  const metadata = isFields(body['metadata']) ? body['metadata'] : {};
  const place = metadata['namespace'] === '' ? undefined : metadata['namespace'];
  if (!isKind || metadata['name'] !== name || place !== namespace)
    throw new WrongAnswer(`the server sent ${described(body)} instead of the object ${name} of ${resource}`);
  if (isDeeper(body, deepest)) throw new WrongAnswer(`the server sent ${resource} that are nested too deeply`);
}

function described(value: unknown): string {
  if (!isFields(value)) return 'something other than an object';
  const { kind, metadata } = value;
  if (typeof kind !== 'string' || kind === '') return 'an answer without a kind';
  const name = isFields(metadata) && typeof metadata['name'] === 'string' ? ` ${metadata['name'].slice(0, 100)}` : '';
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind.slice(0, 100)}${name}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value has more levels than this. Recursive, so it stops at the limit. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true;
    return false;
  }
  for (const field in value) if (isDeeper((value as Fields)[field], levels - 1)) return true;
  return false;
}
