import type { Fix } from '../../report/report.ts';
import type { Container, ObjectOf } from '../../kube/kinds.ts';
import { fix, shellWord } from '../evidence.ts';
import type { Account } from '../rights.ts';
import type { Controller } from '../driver/controller.ts';
import { lookAtLeases } from '../driver/driver-lease.ts';
import { ownerOf } from '../driver/driver-pods.ts';
import type { PodSpec, Workload } from '../driver/driver-pods.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';

/** The controller of all snapshots in a cluster, which is installed apart from the drivers. */
export interface SnapshotController extends Controller {
  /** Everything was read, and there is neither a lease nor a workload. */
  readonly isNowhere: boolean;
}

const snapshotControllerLease = 'snapshot-controller-leader';
const nothingYet = { items: [], complete: false } as const;

/** Asks from the narrowest question to the widest: each waits for the answer to the one before. */
export function findSnapshotController(ask: Inquiry): SnapshotController {
  const lease = lookAtLeases(ask, [snapshotControllerLease], 'whether the snapshot controller is alive');
  if (!lease.object && ask.isUnasked('Lease', { fieldSelector: `metadata.name=${snapshotControllerLease}` }))
    return { lease, pods: nothingYet, isNowhere: false };
  if (lease.state === 'fresh') return { lease, pods: nothingYet, isNowhere: false };
  const home =
    lease.object?.metadata.namespace ??
    ask.seen('Pod').find((pod) => controllerContainerOf(pod.spec))?.metadata.namespace ??
    homeByWorkload(ask);
  if (typeof home !== 'string')
    return {
      lease,
      pods: { items: [], complete: home.complete },
      isNowhere: lease.state === 'missing' && home.complete,
    };
  const listing = ask.list('Pod', home, `whether the snapshot controller runs in namespace ${home}`);
  if (ask.isUnasked('Pod', { namespace: home })) return { lease, pods: nothingYet, isNowhere: false };
  const items = listing.items.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      pod.status?.phase !== 'Succeeded' &&
      controllerContainerOf(pod.spec),
  );
  const object =
    items.length > 0
      ? undefined
      : workloadsOf(ask, home).items.find((candidate) => controllerContainerOf(candidate.spec?.template?.spec));
  const owner = items[0] && ownerOf(items[0]);
  return {
    lease,
    pods: { items, complete: listing.complete },
    ...(owner && { workload: { ...owner, namespace: home } }),
    ...(object && {
      workload: { kind: object.kind, namespace: object.metadata.namespace ?? home, name: object.metadata.name, object },
    }),
    isNowhere: false,
  };
}

/** The workloads in the namespace of the controller's lease; without a lease those that were read anyway. */
export function deploymentsNearController(ask: Inquiry): readonly ObjectOf<'Deployment'>[] {
  const lease = lookAtLeases(ask, [snapshotControllerLease], 'whether the snapshot controller is alive');
  const home = lease.object?.metadata.namespace;
  return home === undefined
    ? ask.seen('Deployment')
    : ask.list('Deployment', home, 'which version of the snapshot controller runs, and with which flags').items;
}

/** The account that the snapshot controller uses, where its pod or its deployment was read. */
export function accountOfSnapshotController(ask: Inquiry): Account | undefined {
  const pod = ask.seen('Pod').find(({ spec }) => controllerContainerOf(spec));
  const deployment = ask.seen('Deployment').find(({ spec }) => controllerContainerOf(spec?.template?.spec));
  const spec = pod?.spec ?? deployment?.spec?.template?.spec;
  const { namespace } = (pod ?? deployment)?.metadata ?? {};
  return spec && { namespace: namespace ?? 'default', name: spec.serviceAccountName || 'default' };
}

/** By image, or by name where images are digests. */
export function controllerContainerOf(spec: PodSpec | undefined): Container | undefined {
  const containers = spec?.containers ?? [];
  const isController = (text: string | undefined): boolean =>
    text !== undefined && /snapshot-controller(?![a-z-]*webhook)/.test(text);
  return (
    containers.find(({ image }) => isController(image?.split('@')[0])) ??
    containers.find(({ name }) => isController(name))
  );
}

function homeByWorkload(ask: Inquiry): string | { readonly complete: boolean } {
  const { items, complete } = workloadsOf(ask, undefined);
  return (
    items.find((workload) => controllerContainerOf(workload.spec?.template?.spec))?.metadata.namespace ?? { complete }
  );
}

function workloadsOf(ask: Inquiry, namespace: string | undefined): Listing<Workload> {
  const listings = (['Deployment', 'StatefulSet'] as const).map((kind) =>
    ask.list(kind, namespace, 'where the snapshot controller is deployed'),
  );
  return {
    items: listings.flatMap((listing): readonly Workload[] => listing.items),
    complete: listings.every(({ complete }) => complete),
  };
}

/** The command that shows its log; none where neither a pod nor a workload of it is known. */
export function snapshotControllerLogs({ pods, workload }: SnapshotController): Fix[] {
  const text = 'Read the log of the snapshot controller.';
  const [pod] = pods.items;
  const { namespace, target, container } = pod
    ? {
        namespace: pod.metadata.namespace ?? 'default',
        target: shellWord(pod.metadata.name),
        container: controllerContainerOf(pod.spec)?.name,
      }
    : {
        namespace: workload?.namespace ?? '',
        target: workload && `${workload.kind.toLowerCase()}/${shellWord(workload.name)}`,
        container: undefined,
      };
  if (target === undefined) return [];
  const options = container === undefined ? '' : ` -c ${shellWord(container)}`;
  return [fix(text, `kubectl -n ${shellWord(namespace)} logs ${target}${options} --tail=50`)];
}
