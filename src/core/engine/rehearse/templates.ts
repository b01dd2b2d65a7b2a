import { clip } from '../../kube/shape.ts';
import { shapeOf } from '../../kube/kinds.ts';
import type { Claim, Kind, ObjectOf, Pod } from '../../kube/kinds.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { claimsExpectedBy } from '../../facts/claim/expectation.ts';

/** A claim or a pod that a controller would create from a template, and where the template is in the manifest. */
export interface Made {
  readonly object: RawObject;
  /** Put before a path of the object to get the path in the manifest: `spec.template.`. */
  readonly prefix: string;
}

/** The most pods of one workload that are judged: more of the same would show nothing new. */
const mostPods = 20;

type RawFields = Readonly<Record<string, unknown>>;

/** The value at a path of an object of unknown shape. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let inner = value;
  // Each trial of a fix asks all objects of a large cluster, in code that is not compiled yet: an iterator would take longer than the rest.
  for (let at = 0; at < path.length && inner !== undefined; at += 1) {
    const step = path[at] as string;
    inner = isRecord(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }
  return inner;
}

/** Empty where the value is no object. */
export function recordOf(value: unknown): RawFields {
  return isRecord(value) ? value : {};
}

/** Empty where the value is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is RawFields {
  return typeof value === 'object' && value !== null;
}

/** The kinds that create pods, and where their template is. */
const templatePaths: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  ReplicationController: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

const groups: Readonly<Record<string, string>> = { ReplicationController: '', Job: 'batch', CronJob: 'batch', Pod: '' };

export function isWorkload({ kind, apiVersion = '' }: RawObject): boolean {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return (kind === 'Pod' || Object.hasOwn(templatePaths, kind)) && group === (groups[kind] ?? 'apps');
}

/** Whether any of its volumes is storage that a driver, a class or another object must provide. */
export function usesStorage(object: RawObject): boolean {
  if (object.kind === 'StatefulSet' && listOf(member(object, 'spec', 'volumeClaimTemplates')).length > 0) return true;
  const path = object.kind === 'Pod' ? [] : (templatePaths[object.kind] ?? []);
  return listOf(member(object, ...path, 'spec', 'volumes')).some((volume) =>
    Object.keys(recordOf(volume)).some((source) => !noStorage.has(source)),
  );
}

/** Volumes that the kubelet creates itself or from other objects. */
const noStorage: ReadonlySet<string> = new Set([
  'name',
  'emptyDir',
  'hostPath',
  'configMap',
  'secret',
  'projected',
  'downwardAPI',
  'image',
]);

/** The claims that the StatefulSet controller creates, before any pod. */
export function claimsOfSet(object: RawObject): Made[] {
  const set = shapedAs('StatefulSet', object);
  if (!set) return [];
  const templates = listOf(member(object, 'spec', 'volumeClaimTemplates'));
  return claimsExpectedBy(set)
    .slice(0, mostPods * Math.max(1, templates.length))
    .map(({ name, expectation }): Made => {
      const templateName = name.slice(0, -(expectation.podName.length + 1));
      const template = templates.find((candidate) => member(candidate, 'metadata', 'name') === templateName);
      return {
        object: claimFrom(name, object.metadata.namespace, template),
        prefix: `spec.volumeClaimTemplates[${templateName}].`,
      };
    });
}

function claimFrom(name: string, namespace: string | undefined, template: unknown, owner?: RawObject): RawObject {
  const { labels, annotations } = recordOf(member(template, 'metadata'));
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(owner && {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: owner.metadata.name, uid: owner.metadata.uid, controller: true },
        ],
      }),
    },
    spec: member(template, 'spec') ?? {},
  };
}

/** The claims for the ephemeral volumes of a pod. */
export function claimsOfPod({ object: pod, prefix }: Made): Made[] {
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume): Made[] => {
    const name = member(volume, 'name');
    const template = member(volume, 'ephemeral', 'volumeClaimTemplate');
    if (typeof name !== 'string' || template === undefined) return [];
    return [
      {
        object: claimFrom(`${pod.metadata.name}-${name}`, pod.metadata.namespace, template, pod),
        prefix: `${prefix}spec.volumes[${name}].ephemeral.volumeClaimTemplate.`,
      },
    ];
  });
}

/** The pods as they would first appear: pending, without a node. */
export function podsOf(object: RawObject): Made[] {
  if (object.kind === 'Pod') return [{ object: podFrom(object.metadata.name, object, object), prefix: '' }];
  const path = templatePaths[object.kind];
  if (!path) return [];
  const template = member(object, ...path);
  const prefix = `${path.join('.')}.`;
  return podNamesOf(object).map((name) => ({ object: withClaims(podFrom(name, template, object), object), prefix }));
}

function podNamesOf(object: RawObject): string[] {
  const { name } = object.metadata;
  const replicas = countOf(object);
  if (object.kind === 'StatefulSet') {
    const first = member(object, 'spec', 'ordinals', 'start');
    return Array.from({ length: replicas }, (_, index) => `${name}-${(typeof first === 'number' ? first : 0) + index}`);
  }
  return Array.from({ length: replicas }, (_, index) => (index === 0 ? `${name}-new` : `${name}-new-${index + 1}`));
}

const countPaths: Readonly<Record<string, readonly string[]>> = {
  Job: ['spec', 'parallelism'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'parallelism'],
};

/** The pods of a DaemonSet differ only in their node: one represents all, as does one run of a CronJob. */
function countOf(object: RawObject): number {
  if (object.kind === 'DaemonSet') return 1;
  const wanted = member(object, ...(countPaths[object.kind] ?? ['spec', 'replicas']));
  const count = typeof wanted === 'number' && Number.isFinite(wanted) ? Math.trunc(wanted) : 1;
  return Math.min(Math.max(0, count), mostPods);
}

function podFrom(name: string, template: unknown, owner: RawObject): RawObject {
  const { namespace } = owner.metadata;
  const { labels, annotations } = recordOf(member(template, 'metadata'));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: `preflight-${namespace ?? ''}-${name}`,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(owner.kind !== 'Pod' && {
        ownerReferences: [
          { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, controller: true },
        ],
      }),
    },
    spec: { schedulerName: 'default-scheduler', ...recordOf(member(template, 'spec')) },
    status: { phase: 'Pending' },
  };
}

/** A claim of the StatefulSet replaces a volume of the same name (stateful_set_utils updateStorage). */
function withClaims(pod: RawObject, set: RawObject): RawObject {
  if (set.kind !== 'StatefulSet') return pod;
  const names = listOf(member(set, 'spec', 'volumeClaimTemplates'))
    .map((template) => member(template, 'metadata', 'name'))
    .filter((name) => typeof name === 'string');
  const others = listOf(member(pod, 'spec', 'volumes')).filter(
    (volume) => !names.some((name) => name === member(volume, 'name')),
  );
  return {
    ...pod,
    spec: {
      ...recordOf(pod['spec']),
      volumes: [
        ...others,
        ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: `${name}-${pod.metadata.name}` } })),
      ],
    },
  };
}

export function claimShapeOf(object: RawObject): Claim | undefined {
  return shapedAs('PersistentVolumeClaim', object);
}

export function podShapeOf(object: RawObject): Pod | undefined {
  return shapedAs('Pod', object);
}

/** The fields that we read. The type of a shape that is found by kind is lost, so it is stated here. */
function shapedAs<K extends Kind>(kind: K, object: RawObject): ObjectOf<K> | undefined {
  return clip(object, shapeOf(kind)) as ObjectOf<K> | undefined;
}
