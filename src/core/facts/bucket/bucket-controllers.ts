import type { Container } from '../../kube/kinds.ts';
import { sanitiseLeaseName } from '../../kube/names.ts';
import type { Controller } from '../driver/controller.ts';
import { lookAtLeases } from '../driver/driver-lease.ts';
import { likeness, mentionsDriver, ownerOf } from '../driver/driver-pods.ts';
import type { PodSpec, Workload } from '../driver/driver-pods.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';

/** The controller of all bucket claims, or the sidecar next to one driver. */
export interface BucketController extends Controller {
  /** Everything was read, and there is neither a lease nor a workload. */
  readonly isNowhere: boolean;
  /** Its container in a pod's spec. */
  readonly containerOf: (spec: PodSpec | undefined) => Container | undefined;
}

const nothingYet = { items: [], complete: false } as const;
/** How much of a driver's name a pod's name must contain to count as the driver's pod. */
const leastLikeness = 0.5;

/** v1alpha1 always elects a leader, v1alpha2 only with --leader-elect: a missing lease alone proves nothing. */
const controllerLeases = ['leader-lock-cosi-controller-manager', 'cosi-controller-leader'] as const;

export function findBucketController(ask: Inquiry): BucketController {
  return ask.once('bucket-controller', (own) =>
    find(own, { leases: controllerLeases, who: 'the COSI controller', containerOf: controllerOf, isOurs: () => true }),
  );
}

export function findBucketSidecar(ask: Inquiry, driver: string): BucketController {
  return ask.once(`bucket-sidecar ${driver}`, (own) =>
    find(own, {
      leases: sidecarLeases(driver),
      who: `the COSI sidecar of ${driver}`,
      containerOf: sidecarOf,
      isOurs: (name, spec) => mentionsDriver(spec, driver) || likeness(name, spec, driver) >= leastLikeness,
    }),
  );
}

/** The lease of v1alpha1 is called DRIVER/cosi, in lower case and with dashes. */
export function sidecarLeases(driver: string): readonly [string, ...string[]] {
  return [sanitiseLeaseName(`${driver}/cosi`).toLowerCase(), `cosi-sidecar-leader-${driver}`];
}

/** The drivers of which a sidecar has left a lease, as far as leases are in the snapshot. */
export function driversWithLease(ask: Inquiry): readonly string[] {
  return ask.seen('Lease').flatMap(({ metadata: { name } }) => {
    const second = /^cosi-sidecar-leader-(.+)$/.exec(name)?.[1];
    // Its dots are dashes.
    const first = /^(.+)-cosi$/.exec(name)?.[1];
    return second ?? first ?? [];
  });
}

function controllerOf(spec: PodSpec | undefined): Container | undefined {
  return containerLike(spec, /objectstorage-controller|cosi-controller/);
}

function sidecarOf(spec: PodSpec | undefined): Container | undefined {
  return containerLike(spec, /(?:objectstorage|cosi)-(?:provisioner-)?sidecar/);
}

/** By image, or by name where images are digests. */
function containerLike(spec: PodSpec | undefined, pattern: RegExp): Container | undefined {
  const containers = spec?.containers ?? [];
  return (
    containers.find(({ image }) => pattern.test(image?.split('@')[0] ?? '')) ??
    containers.find(({ name }) => pattern.test(name ?? ''))
  );
}

interface Sought {
  readonly leases: readonly [string, ...string[]];
  readonly who: string;
  readonly containerOf: BucketController['containerOf'];
  readonly isOurs: (name: string, spec: PodSpec | undefined) => boolean;
}

/** Asks from the narrowest question to the widest: each waits for the answer to the one before. */
function find(ask: Inquiry, { leases, who, containerOf, isOurs }: Sought): BucketController {
  const lease = lookAtLeases(ask, leases, `whether ${who} is alive`);
  const none = { lease, pods: nothingYet, isNowhere: false, containerOf };
  const isUnasked = leases.some((name) => ask.isUnasked('Lease', { fieldSelector: `metadata.name=${name}` }));
  if (lease.state === 'fresh' || (!lease.object && isUnasked)) return none;
  const workloads = workloadsOf(ask, lease.object?.metadata.namespace, who);
  const candidates = workloads.items.filter((workload) => containerOf(workload.spec?.template?.spec));
  const ours = candidates.filter(({ metadata, spec }) => isOurs(metadata.name, spec?.template?.spec));
  // The namespace of the lease is the home of its holder.
  const object = ours[0] ?? (lease.object && candidates.length === 1 ? candidates[0] : undefined);
  const home = object?.metadata.namespace ?? lease.object?.metadata.namespace;
  if (home === undefined)
    return {
      ...none,
      pods: { items: [], complete: workloads.complete },
      isNowhere: lease.state === 'missing' && workloads.complete && candidates.length === 0,
    };
  const listing = ask.list('Pod', home, `whether ${who} runs in namespace ${home}`);
  const items = listing.items.filter(
    ({ metadata, spec, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.phase !== 'Succeeded' &&
      containerOf(spec) !== undefined &&
      (object === undefined || isOurs(metadata.name, spec) || candidates.length === 1),
  );
  const owner = items[0] && ownerOf(items[0]);
  return {
    ...none,
    pods: { items, complete: listing.complete },
    ...(owner && { workload: { ...owner, namespace: home } }),
    ...(object && { workload: { kind: object.kind, namespace: home, name: object.metadata.name, object } }),
  };
}

function workloadsOf(ask: Inquiry, namespace: string | undefined, who: string): Listing<Workload> {
  const listings = (['Deployment', 'StatefulSet'] as const).map((kind) =>
    ask.list(kind, namespace, `where ${who} is deployed`),
  );
  return {
    items: listings.flatMap((listing): readonly Workload[] => listing.items),
    complete: listings.every(({ complete }) => complete),
  };
}
