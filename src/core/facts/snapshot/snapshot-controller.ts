import type { Fix } from '../../report/report.ts';
import type { Container } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Controller } from '../driver/controller.ts';
import { lookAtLeases } from '../driver/driver-lease.ts';
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
  return {
    lease,
    pods: { items, complete: listing.complete },
    ...(object && {
      workload: { kind: object.kind, namespace: object.metadata.namespace ?? home, name: object.metadata.name, object },
    }),
    isNowhere: false,
  };
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

/** The command that shows its log; a search for the pod where it is not known. */
export function snapshotControllerLogs({ pods, workload, lease }: SnapshotController): Fix {
  const text = 'read the log of the snapshot controller';
  const [pod] = pods.items;
  if (pod)
    return {
      text,
      command: `kubectl -n ${shellWord(pod.metadata.namespace ?? 'default')} logs ${shellWord(pod.metadata.name)} -c ${shellWord(controllerContainerOf(pod.spec)?.name ?? '')} --tail=50`,
      risk: 'safe',
    };
  if (workload)
    return {
      text,
      command: `kubectl -n ${shellWord(workload.namespace)} logs ${workload.kind.toLowerCase()}/${shellWord(workload.name)} --tail=50`,
      risk: 'safe',
    };
  const namespace = lease.object?.metadata.namespace;
  return {
    text: 'find the snapshot controller and read its log',
    command:
      namespace === undefined
        ? 'kubectl get pods -A -o wide | grep -i snapshot'
        : `kubectl -n ${shellWord(namespace)} get pods -o wide`,
    risk: 'safe',
  };
}
