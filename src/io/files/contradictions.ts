import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';

/** A list that lacks something which another object proves to exist. */
export interface Contradiction {
  readonly kind: Kind;
  readonly namespace?: string;
}

/**
 * Lists that were filtered or cut look like whole ones. Some objects cannot exist without others, which such a list
 * then lacks: a namespace is deleted only when it is empty, a claim is kept while a pod runs with it
 * (kubernetes.io/pvc-protection), a volume whose claim is gone is Released, and with a node go its pods (the pod
 * garbage collector) and its CSINode (the node owns it).
 */
export function contradictionsIn(objects: readonly RawObject[]): Contradiction[] {
  const present = new Set(objects.map(({ kind, metadata }) => keyOf(kind, metadata.namespace, metadata.name)));
  const found = new Map<string, Contradiction>();
  const expect = (kind: Kind, namespace: string | undefined, name: unknown): void => {
    if (typeof name !== 'string' || present.has(keyOf(kind, namespace, name))) return;
    found.set(`${kind}/${namespace ?? ''}`, { kind, ...(namespace !== undefined && { namespace }) });
  };
  for (const object of objects) {
    const { namespace } = object.metadata;
    if (namespace !== undefined && object.kind !== 'Event') expect('Namespace', undefined, namespace);
    if (object.kind === 'Pod' && isRunning(object)) {
      expectClaims(object, expect);
      const node = textAt(object, 'spec', 'nodeName');
      if (node !== undefined && present.has(keyOf('CSINode', undefined, node))) expect('Node', undefined, node);
    }
    if (object.kind === 'PersistentVolume' && textAt(object, 'status', 'phase') === 'Bound') {
      const claimNamespace = textAt(object, 'spec', 'claimRef', 'namespace');
      if (claimNamespace !== undefined)
        expect('PersistentVolumeClaim', claimNamespace, textAt(object, 'spec', 'claimRef', 'name'));
    }
  }
  return [...found.values()];
}

function expectClaims(
  pod: RawObject,
  expect: (kind: Kind, namespace: string | undefined, name: unknown) => void,
): void {
  for (const volume of listAt(pod, 'spec', 'volumes'))
    expect('PersistentVolumeClaim', pod.metadata.namespace, textAt(volume, 'persistentVolumeClaim', 'claimName'));
}

/** Its containers are ready, and nobody has asked for its deletion: its node and its claims exist. */
function isRunning(pod: RawObject): boolean {
  return (
    pod.metadata['deletionTimestamp'] === undefined &&
    textAt(pod, 'status', 'phase') === 'Running' &&
    listAt(pod, 'status', 'conditions').some(
      (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
    )
  );
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, field) =>
      typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>)[field] : undefined,
    value,
  );
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = valueAt(value, path);
  return typeof text === 'string' ? text : undefined;
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}
