import type { Inquiry } from '../../graph/inquiry.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { shortNameOf } from '../../kube/resources.ts';

export const pvcProtection = 'kubernetes.io/pvc-protection';
export const pvProtection = 'kubernetes.io/pv-protection';
export const provisionerFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
export const inTreeFinalizer = 'kubernetes.io/pv-controller';
export const attacherPrefix = 'external-attacher/';
export const cloningProtection = 'provisioner.storage.kubernetes.io/cloning-protection';
export const snapshotSourceProtection = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
export const populatorSuffix = '/populate-target-protection';

interface Held {
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
 * Which controller removes a finalizer, as far as its name tells: DOMAIN/NAME, or one of the garbage collector's own.
 */
export function controllerBehind(finalizer: string): string {
  if (finalizer === 'foregroundDeletion') return 'the garbage collector, which deletes its dependents first,';
  if (finalizer === 'orphan') return 'the garbage collector, which sets its dependents free first,';
  const [domain = '', name] = finalizer.split('/');
  return name === undefined ? `whoever sets ${finalizer}` : `the controller of ${domain}`;
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

/** Kinds of the finalizer's own API group, from the CRDs read so far; undefined when that is not enough to tell. */
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

const commonWords = new Set(['com', 'io', 'org', 'net', 'dev', 'k8s', 'www', 'storage', 'kubernetes', 'pvc', 'pv']);

/** Where to look for the controller: pods whose names contain the distinctive words of its domain. */
export function searchFix(finalizer: string): Fix {
  if (finalizer === 'foregroundDeletion' || finalizer === 'orphan')
    return fix(
      'look for objects that name it as their owner and do not go, and see that the kube-controller-manager, which collects them, runs',
      'kubectl -n kube-system get lease kube-controller-manager -o yaml',
    );
  const [domain = ''] = finalizer.split('/');
  const words = domain
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2 && !commonWords.has(word));
  const command =
    words.length > 0
      ? `kubectl get pods -A | grep -i ${words.map((word) => `-e ${shellWord(word)}`).join(' ')}`
      : 'kubectl get pods -A';
  return fix('find the controller that set it, and let it finish its work', command);
}

/** The last resort: the patch removes this finalizer and no other, and fails if the list has changed meanwhile. */
export function removeFinalizerFix(object: Held, finalizer: string, text: string): Fix {
  const path = `/metadata/finalizers/${(object.metadata.finalizers ?? []).indexOf(finalizer)}`;
  const patch = JSON.stringify([
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
  return fix(
    `data-loss: ${text}`,
    `kubectl ${inNamespace(object.metadata.namespace)}patch ${shortNameOf(object.kind)} ${shellWord(object.metadata.name)} --type json -p ${shellWord(patch)}`,
    'data-loss',
  );
}
