import type { Inquiry } from '../../graph/inquiry.ts';
import type { Evidence } from '../../report/report.ts';
import { field, note } from '../../facts/evidence.ts';

export const pvcProtection = 'kubernetes.io/pvc-protection';
export const pvProtection = 'kubernetes.io/pv-protection';
export const provisionerFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
export const inTreeFinalizer = 'kubernetes.io/pv-controller';
export const attacherPrefix = 'external-attacher/';
export const cloningProtection = 'provisioner.storage.kubernetes.io/cloning-protection';
export const snapshotSourceProtection = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
export const populatorSuffix = '/populate-target-protection';

export interface Held {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly time?: string;
      readonly fieldsV1?: unknown;
    }[];
  };
}

/** What every finding about a deletion shows: since when, and what holds it. */
export function deletionEvidence(object: Held): [Evidence, Evidence] {
  return [
    field(object, 'metadata.deletionTimestamp'),
    field(object, 'metadata.finalizers', (object.metadata.finalizers ?? []).join(', ') || 'none'),
  ];
}

/**
 * Which controller removes a finalizer, as far as its name shows: DOMAIN/NAME, or one of the garbage collector's own.
 */
export function removerOf(finalizer: string): string {
  if (isOfGarbageCollector(finalizer)) return 'the garbage collector';
  const [domain = '', name] = finalizer.split('/');
  return name === undefined ? 'the controller that set it' : `the controller of ${domain}`;
}

/** apimachinery meta/v1 FinalizerDeleteDependents and FinalizerOrphanDependents. */
export function isOfGarbageCollector(finalizer: string): boolean {
  return finalizer === 'foregroundDeletion' || finalizer === 'orphan';
}

/** Which client set the finalizer, where managedFields were kept. */
export function writtenBy(object: Held, finalizer: string): Evidence[] {
  const key = `v:${JSON.stringify(finalizer)}`;
  const entry = object.metadata.managedFields?.find(({ fieldsV1 }) => {
    const finalizers = step(step(fieldsV1, 'f:metadata'), 'f:finalizers');
    return step(finalizers, key) !== undefined;
  });
  return entry?.manager ? [note(object, `${finalizer} was set by ${entry.manager}`, entry.time)] : [];
}

function step(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

/** Kinds of the finalizer's own API group, from the CRDs read so far; undefined if that is not enough. */
export function kindsBehind(ask: Inquiry, finalizer: string): readonly string[] | undefined {
  const [domain = '', name] = finalizer.split('/');
  if (name === undefined || !domain.includes('.')) return undefined;
  const kinds = ask
    .seen('CustomResourceDefinition')
    .filter(({ spec }) => isRelated(domain, spec?.group ?? ''))
    .flatMap(({ spec }) => (spec?.names?.kind ? [spec.names.kind] : []));
  return kinds.length > 0 || ask.graph.coverage.answers('CustomResourceDefinition', {}) ? kinds : undefined;
}

/** `pvc.database.arangodb.com` and `database.arangodb.com`: one ends with the other, or both belong to one domain. */
function isRelated(domain: string, group: string): boolean {
  if (group === '') return false;
  const root = (text: string): string => text.split('.').slice(-2).join('.');
  const isShared = ['k8s.io', 'kubernetes.io', 'io', 'com'].includes(root(domain));
  return (
    domain === group ||
    domain.endsWith(`.${group}`) ||
    group.endsWith(`.${domain}`) ||
    (!isShared && root(domain) === root(group))
  );
}

/** `waits for the controller of x to remove finalizer "x/y".`, to follow "… was deleted and". */
export function waitWords(finalizer: string): string {
  const own: Readonly<Record<string, string>> = {
    foregroundDeletion: 'the garbage collector to delete its dependents first',
    orphan: 'the garbage collector to release its dependents first',
  };
  const task = Object.hasOwn(own, finalizer) ? own[finalizer] : undefined;
  return task === undefined
    ? `waits for ${removerOf(finalizer)} to remove finalizer "${finalizer}".`
    : `waits for ${task} (finalizer "${finalizer}").`;
}
