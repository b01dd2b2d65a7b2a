import { resources } from '../core/kube/resources.ts';
import type { RawObject, Snapshot } from '../core/kube/snapshot.ts';
import { listAt, textAt } from './fields.ts';

/** A resource of the API: one kind under one group, in one or more versions. */
export interface ServedKind {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  /** The preferred version first. */
  readonly versions: readonly string[];
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Custom resources keep kind and apiVersion on the items of a list; built-in ones lose them. */
  readonly custom: boolean;
  /** Only metadata are kept, even if the snapshot holds more. */
  readonly metadataOnly: boolean;
  /** Where the objects are kept: events are one collection under two groups. */
  readonly collection: string;
}

const shortNames: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['pvc'],
  PersistentVolume: ['pv'],
  Pod: ['po'],
  Node: ['no'],
  Namespace: ['ns'],
  Event: ['ev'],
  ResourceQuota: ['quota'],
  LimitRange: ['limits'],
  ConfigMap: ['cm'],
  StorageClass: ['sc'],
  VolumeAttributesClass: ['vac'],
  StatefulSet: ['sts'],
  Deployment: ['deploy'],
  ReplicaSet: ['rs'],
  DaemonSet: ['ds'],
  CronJob: ['cj'],
  VolumeSnapshot: ['vs'],
  VolumeSnapshotContent: ['vsc', 'vscs'],
  VolumeSnapshotClass: ['vsclass', 'vsclasses'],
  ReferenceGrant: ['refgrant'],
  CustomResourceDefinition: ['crd', 'crds'],
};
const inAll = new Set(['Pod', 'StatefulSet', 'Deployment', 'ReplicaSet', 'DaemonSet', 'Job', 'CronJob']);
const customGroups = new Set([
  'snapshot.storage.k8s.io',
  'groupsnapshot.storage.k8s.io',
  'gateway.networking.k8s.io',
  'populator.storage.k8s.io',
  'objectstorage.k8s.io',
]);
const collectionOf = (group: string, kind: string): string => `${group}/${kind}`;

function known(): ServedKind[] {
  return resources.map((resource) => ({
    kind: resource.kind,
    plural: resource.name,
    group: resource.group,
    versions: resource.versions,
    namespaced: resource.namespaced,
    shortNames: shortNames[resource.kind] ?? [],
    categories: inAll.has(resource.kind) ? ['all'] : [],
    custom: customGroups.has(resource.group),
    metadataOnly: resource.metadataOnly === true,
    collection: collectionOf(resource.group, resource.kind),
  }));
}

/** Kinds that every cluster serves and that common tools ask for, though nothing here reads them. */
function alwaysServed(): ServedKind[] {
  const row = (
    kind: string,
    plural: string,
    group: string,
    version: string,
    short: readonly string[],
    categories: readonly string[],
  ): ServedKind => ({
    kind,
    plural,
    group,
    versions: [version],
    namespaced: true,
    shortNames: short,
    categories,
    custom: false,
    metadataOnly: false,
    collection: collectionOf(group, kind),
  });
  return [
    row('Service', 'services', '', 'v1', ['svc'], ['all']),
    row('ReplicationController', 'replicationcontrollers', '', 'v1', ['rc'], ['all']),
    row('ServiceAccount', 'serviceaccounts', '', 'v1', ['sa'], []),
    row('HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'autoscaling', 'v2', ['hpa'], ['all']),
    row('Endpoints', 'endpoints', '', 'v1', ['ep'], []),
    row('ControllerRevision', 'controllerrevisions', 'apps', 'v1', [], []),
    row('PodDisruptionBudget', 'poddisruptionbudgets', 'policy', 'v1', ['pdb'], []),
    row('NetworkPolicy', 'networkpolicies', 'networking.k8s.io', 'v1', ['netpol'], []),
    row('Ingress', 'ingresses', 'networking.k8s.io', 'v1', ['ing'], []),
    clusterWide(row('IngressClass', 'ingressclasses', 'networking.k8s.io', 'v1', [], [])),
    row('EndpointSlice', 'endpointslices', 'discovery.k8s.io', 'v1', [], []),
    clusterWide(row('PriorityClass', 'priorityclasses', 'scheduling.k8s.io', 'v1', ['pc'], [])),
    { ...row('Event', 'events', 'events.k8s.io', 'v1', ['ev'], []), collection: collectionOf('', 'Event') },
  ];
}

const clusterWide = (served: ServedKind): ServedKind => ({ ...served, namespaced: false });

function groupAndVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** All kinds that a server over this snapshot serves; it grows when an object of a new kind is applied. */
export class KindRegistry {
  readonly #kinds: ServedKind[] = [];
  readonly #known = new Map<string, ServedKind>();
  #definitions: readonly RawObject[];

  constructor(snapshot: Snapshot) {
    this.#definitions = snapshot.objects.filter((object) => object.kind === 'CustomResourceDefinition');
    const present = new Set(snapshot.objects.map((object) => object.kind));
    const absent = new Set<string>(
      snapshot.observations
        .filter((observation) => observation.state === 'absentApi')
        .map((observation) => observation.kind),
    );
    for (const served of [...known(), ...alwaysServed()]) {
      if (!absent.has(served.kind) || present.has(served.kind))
        this.#kinds.push(this.#inServedVersions(served, snapshot));
    }
    for (const object of snapshot.objects) this.of(object);
  }

  get all(): readonly ServedKind[] {
    return this.#kinds;
  }

  /** The kind of an object, added if it is met for the first time. */
  of(object: RawObject): ServedKind {
    const key = `${object.apiVersion ?? ''}|${object.kind}`;
    let served = this.#known.get(key) ?? this.find(object.kind, object.apiVersion);
    if (served === undefined) {
      served = this.#describe(object);
      this.#kinds.push(served);
    }
    this.#known.set(key, served);
    return served;
  }

  /** A definition that is stored makes its kind known immediately, before there is any object of it. */
  define(definition: RawObject): void {
    this.#definitions = [
      ...this.#definitions.filter((known) => known.metadata.name !== definition.metadata.name),
      definition,
    ];
    const [version] = listAt(definition, 'spec', 'versions');
    this.of({
      kind: textAt(definition, 'spec', 'names', 'kind'),
      apiVersion: `${textAt(definition, 'spec', 'group')}/${textAt(version, 'name')}`,
      metadata: { name: '' },
    });
  }

  /**
   * No definition of the kind of this object exists; it is stored nevertheless, under the plural that the client uses.
   */
  learn(object: RawObject, plural: string, isNamespaced: boolean): ServedKind {
    const { group, version } = groupAndVersion(object.apiVersion ?? 'v1');
    const served: ServedKind = {
      kind: object.kind,
      plural,
      group,
      versions: [version],
      namespaced: isNamespaced,
      shortNames: [],
      categories: [],
      custom: true,
      metadataOnly: false,
      collection: collectionOf(group, object.kind),
    };
    this.#kinds.push(served);
    return served;
  }

  find(kind: string, apiVersion?: string): ServedKind | undefined {
    const group = apiVersion === undefined ? undefined : groupAndVersion(apiVersion).group;
    return this.#kinds.find((served) => served.kind === kind && (group === undefined || served.group === group));
  }

  resource(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#kinds.find(
      (served) => served.plural === plural && served.group === group && served.versions.includes(version),
    );
  }

  /**
   * A custom resource is served in the versions of its definition; without one, in those that objects of its group
   * have.
   */
  #inServedVersions(served: ServedKind, { objects }: Snapshot): ServedKind {
    if (!served.custom) return served;
    const definition = this.#definitions.find(
      (candidate) =>
        textAt(candidate, 'spec', 'group') === served.group &&
        textAt(candidate, 'spec', 'names', 'kind') === served.kind,
    );
    const used =
      definition === undefined
        ? objects
            .map(({ apiVersion = '' }) => groupAndVersion(apiVersion))
            .filter(({ group }) => group === served.group)
        : listAt(definition, 'spec', 'versions').map((entry) => ({ version: textAt(entry, 'name') }));
    const versions = served.versions.filter((version) => used.some((use) => use.version === version));
    return versions.length === 0 ? served : { ...served, versions };
  }

  #describe(object: RawObject): ServedKind {
    const { group, version } = groupAndVersion(object.apiVersion ?? 'v1');
    const definition = this.#definitions.find(
      (candidate) =>
        textAt(candidate, 'spec', 'group') === group && textAt(candidate, 'spec', 'names', 'kind') === object.kind,
    );
    const versions = listAt(definition, 'spec', 'versions').map((entry) => textAt(entry, 'name'));
    return {
      kind: object.kind,
      plural: textAt(definition, 'spec', 'names', 'plural') || pluralOf(object.kind),
      group,
      versions: versions.includes(version) ? versions : [version, ...versions],
      namespaced:
        definition === undefined
          ? object.metadata.namespace !== undefined
          : textAt(definition, 'spec', 'scope') !== 'Cluster',
      shortNames: listAt(definition, 'spec', 'names', 'shortNames').map(String),
      categories: [],
      custom: group.includes('.') && !group.endsWith('.k8s.io'),
      metadataOnly: false,
      collection: collectionOf(group, object.kind),
    };
  }
}
