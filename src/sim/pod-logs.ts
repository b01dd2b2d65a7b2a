import type { RawObject } from '../core/kube/snapshot.ts';
import type { Cluster } from './cluster.ts';
import { driverOf } from './controllers/sidecars.ts';
import { listAt, textAt } from './fields.ts';
import { badRequest } from './status.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

/** What a container has written, made from the objects that it works on. */
export function podLog(pod: RawObject, query: URLSearchParams, cluster: Cluster): string {
  const container = containerOf(pod, query.get('container') ?? '');
  const started = Date.parse(textAt(pod, 'status', 'startTime') || textAt(pod, 'metadata', 'creationTimestamp'));
  const lines = linesOf(pod, container, started, cluster).toSorted((left, right) => left.at - right.at);
  const since = Number(query.get('sinceSeconds') ?? '0');
  const recent = since > 0 ? lines.filter(({ at }) => at >= cluster.now - since * 1000) : lines;
  const tail = query.get('tailLines');
  const last = tail === null ? recent : recent.slice(Math.max(0, recent.length - Number(tail)));
  const stamped = query.get('timestamps') === 'true';
  return last.map(({ at, text }) => `${stamped ? `${new Date(at).toISOString()} ` : ''}${text}\n`).join('');
}

function linesOf(pod: RawObject, container: string, started: number, cluster: Cluster): Line[] {
  const driver = driverOf(pod);
  if (container === 'csi-provisioner' && driver !== undefined) return provisionerLines(driver, started, cluster);
  if (container.startsWith('csi-') || container === 'snapshot-controller')
    return [
      klog(started, 'I', 'main.go:143', `Version: ${versionOf(pod, container)}`),
      klog(started + 900, 'I', 'leaderelection.go:271', 'successfully acquired lease'),
    ];
  if (container === 'liveness-probe')
    return [klog(started, 'I', 'main.go:133', 'Calling CSI driver to discover driver name')];
  if (driver !== undefined)
    return [klog(started, 'I', 'driver.go:88', `Driver: ${driver} is listening on unix:///csi/csi.sock`)];
  return [
    { at: started, text: `${container}: started` },
    { at: started + 1_000, text: `${container}: ready` },
  ];
}

/** In the words of external-provisioner: what each claim of the driver met last. */
function provisionerLines(driver: string, started: number, cluster: Cluster): Line[] {
  const claims = cluster
    .list('PersistentVolumeClaim')
    .filter((claim) => textAt(claim, 'metadata', 'annotations', 'volume.kubernetes.io/storage-provisioner') === driver);
  const events = cluster.list('Event');
  const lines = claims.flatMap((claim) => {
    const { namespace = '', name, uid } = claim.metadata;
    const key = `"${namespace}/${name}"`;
    const failure = events.findLast(
      (event) => textAt(event, 'involvedObject', 'uid') === uid && textAt(event, 'reason') === 'ProvisioningFailed',
    );
    const volume = textAt(claim, 'spec', 'volumeName');
    if (volume !== '')
      return [
        klog(
          Math.max(started + 2_000, Date.parse(textAt(claim, 'metadata', 'creationTimestamp'))),
          'I',
          'controller.go:955',
          `"Successfully provisioned volume" PVC=${key} StorageClass="${textAt(claim, 'spec', 'storageClassName')}" PV="${volume}"`,
        ),
      ];
    if (failure === undefined) return [];
    return [
      klog(
        Math.max(started + 2_000, Date.parse(textAt(failure, 'lastTimestamp'))),
        'E',
        'controller.go:974',
        `"Failed to provision volume" err=${JSON.stringify(textAt(failure, 'message'))} PVC=${key} StorageClass="${textAt(claim, 'spec', 'storageClassName')}"`,
      ),
    ];
  });
  return [
    klog(started, 'I', 'feature_gate.go:387', 'feature gates: {map[Topology:true]}'),
    klog(started + 1_200, 'I', 'controller.go:824', `Starting provisioner controller ${driver}!`),
    ...lines,
  ];
}

function klog(at: number, level: 'E' | 'I' | 'W', where: string, message: string): Line {
  const time = new Date(at).toISOString();
  const stamp = `${time.slice(5, 7)}${time.slice(8, 10)} ${time.slice(11, 23)}000`;
  return { at, text: `${level}${stamp}       1 ${where}] ${message}` };
}

function versionOf(pod: RawObject, container: string): string {
  const spec = listAt(pod, 'spec', 'containers').find((candidate) => textAt(candidate, 'name') === container);
  return textAt(spec, 'image').split(':').at(-1) ?? '';
}

function containerOf(pod: RawObject, named: string): string {
  const names = ['containers', 'initContainers'].flatMap((list) =>
    listAt(pod, 'spec', list).map((container) => textAt(container, 'name')),
  );
  if (named !== '' && !names.includes(named))
    throw badRequest(`container ${named} is not valid for pod ${pod.metadata.name}`);
  const container = named === '' ? (names[0] ?? '') : named;
  if (named === '' && names.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  if (textAt(pod, 'status', 'phase') === 'Pending')
    throw badRequest(
      textAt(pod, 'spec', 'nodeName') === ''
        ? `pod ${pod.metadata.name} does not have a host assigned`
        : `container "${container}" in pod "${pod.metadata.name}" is waiting to start: ContainerCreating`,
    );
  return container;
}
