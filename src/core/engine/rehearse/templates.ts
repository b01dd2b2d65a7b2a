import { clip } from '../../kube/shape.ts';
import { shapeOf } from '../../kube/kinds.ts';
import type { Claim, Pod, StatefulSet } from '../../kube/kinds.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { claimsExpectedBy } from '../../facts/claim/expectation.ts';

/** A claim or a pod that a controller would make from a template, and where the template stands in the manifest. */
export interface Made {
  readonly object: RawObject;
  /** Put before a path of the object to get the path in the manifest: `spec.template.`. */
  readonly prefix: string;
}

/** As many pods of one workload are judged; more of the same would tell nothing new. */
const mostPods = 20;

type Loose = Readonly<Record<string, unknown>>;

export function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step) ? (inner as Loose)[step] : undefined,
    value,
  );
}

/** The kinds that make pods, and where their template stands. */
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

/** The spec of the pods, or of the pod itself. */
export function podSpecOf(object: RawObject): Loose | undefined {
  const spec = object.kind === 'Pod' ? object['spec'] : member(object, ...(templatePaths[object.kind] ?? []), 'spec');
  return typeof spec === 'object' && spec !== null ? (spec as Loose) : undefined;
}

/** Whether any of its volumes is storage that a driver, a class or another object must bring. */
export function usesStorage(object: RawObject): boolean {
  if (object.kind === 'StatefulSet' && listOf(member(object, 'spec', 'volumeClaimTemplates')).length > 0) return true;
  return listOf(podSpecOf(object)?.['volumes']).some(
    (volume) =>
      typeof volume === 'object' && volume !== null && Object.keys(volume).some((source) => !noStorage.has(source)),
  );
}

/** What the kubelet makes by itself or from other objects. */
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

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The claims that the StatefulSet controller makes, before any pod. */
export function claimsOfSet(object: RawObject): Made[] {
  const set = clip(object, shapeOf('StatefulSet')) as StatefulSet | undefined;
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
  const { labels, annotations } = (member(template, 'metadata') ?? {}) as Loose;
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

/** A DaemonSet's pods are alike but for their node: one of them speaks for all, as does one run of a CronJob. */
function countOf(object: RawObject): number {
  if (object.kind === 'DaemonSet') return 1;
  const wanted =
    object.kind === 'Job'
      ? member(object, 'spec', 'parallelism')
      : object.kind === 'CronJob'
        ? member(object, 'spec', 'jobTemplate', 'spec', 'parallelism')
        : member(object, 'spec', 'replicas');
  const count = typeof wanted === 'number' && Number.isFinite(wanted) ? Math.trunc(wanted) : 1;
  return Math.min(Math.max(0, count), mostPods);
}

function podFrom(name: string, template: unknown, owner: RawObject): RawObject {
  const { namespace } = owner.metadata;
  const { labels, annotations } = (member(template, 'metadata') ?? {}) as Loose;
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
    spec: { schedulerName: 'default-scheduler', ...(member(template, 'spec') as Loose | undefined) },
    status: { phase: 'Pending' },
  };
}

/** A claim of the set takes the place of a volume of the same name (stateful_set_utils updateStorage). */
function withClaims(pod: RawObject, set: RawObject): RawObject {
  if (set.kind !== 'StatefulSet') return pod;
  const names = listOf(member(set, 'spec', 'volumeClaimTemplates'))
    .map((template) => member(template, 'metadata', 'name'))
    .filter((name) => typeof name === 'string');
  const others = listOf(member(pod, 'spec', 'volumes')).filter(
    (volume) => !names.includes(member(volume, 'name') as string),
  );
  return {
    ...pod,
    spec: {
      ...(pod['spec'] as Loose),
      volumes: [
        ...others,
        ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: `${name}-${pod.metadata.name}` } })),
      ],
    },
  };
}

export const claimShapeOf = (object: RawObject): Claim | undefined =>
  clip(object, shapeOf('PersistentVolumeClaim')) as Claim | undefined;
export const podShapeOf = (object: RawObject): Pod | undefined => clip(object, shapeOf('Pod')) as Pod | undefined;
