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
  if (query.get('previous') === 'true')
    throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
  const seconds = Number(query.get('sinceSeconds') ?? '0');
  const from = seconds > 0 ? cluster.now - seconds * 1000 : Date.parse(query.get('sinceTime') ?? '');
  const recent = Number.isNaN(from) ? lines : lines.filter(({ at }) => at >= from);
  const tail = query.get('tailLines');
  const last = tail === null ? recent : recent.slice(Math.max(0, recent.length - Number(tail)));
  const stamped = query.get('timestamps') === 'true';
  const text = last.map(({ at, text: line }) => `${stamped ? `${new Date(at).toISOString()} ` : ''}${line}\n`).join('');
  const limit = query.get('limitBytes');
  return limit === null ? text : Buffer.from(text).toString('utf8', 0, Number(limit));
}

function linesOf(pod: RawObject, container: string, started: number, cluster: Cluster): Line[] {
  const driver = driverOf(pod);
  if (container === 'csi-provisioner' && driver !== undefined) return provisionerLines(driver, started, cluster);
  if (container === 'csi-attacher' && driver !== undefined) return attacherLines(driver, started, cluster);
  if (container === 'csi-resizer' && driver !== undefined) return resizerLines(driver, started, cluster);
  if (container.startsWith('csi-') || container === 'snapshot-controller')
    return [
      klog(started, 'I', 'main.go:143', `Version: ${versionOf(pod, container)}`),
      klog(started + 900, 'I', 'leaderelection.go:271', 'successfully acquired lease'),
    ];
  if (container === 'liveness-probe')
    return [klog(started, 'I', 'main.go:133', 'Calling CSI driver to discover driver name')];
  if (driver !== undefined)
    return [
      klog(started, 'I', 'driver.go:88', `Driver: ${driver} is listening on unix:///csi/csi.sock`),
      ...driverLines(pod, driver, started, cluster),
    ];
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
        'controller.go:957',
        `error syncing claim "${uid ?? ''}": failed to provision volume with StorageClass ` +
          `"${textAt(claim, 'spec', 'storageClassName')}": ${textAt(failure, 'message')}`,
      ),
    ];
  });
  return [
    klog(started, 'I', 'feature_gate.go:387', 'feature gates: {map[Topology:true]}'),
    klog(started + 1_200, 'I', 'controller.go:824', `Starting provisioner controller ${driver}!`),
    ...lines,
  ];
}

/** In the words of external-attacher: the attachments that the driver refused. */
function attacherLines(driver: string, started: number, cluster: Cluster): Line[] {
  const refused = cluster
    .list('VolumeAttachment')
    .filter((attachment) => textAt(attachment, 'spec', 'attacher') === driver)
    .filter((attachment) => textAt(attachment, 'status', 'attachError', 'message') !== '');
  return [
    klog(started + 900, 'I', 'leaderelection.go:271', 'successfully acquired lease'),
    ...refused.map((attachment) =>
      klog(
        Math.max(started + 2_000, Date.parse(textAt(attachment, 'status', 'attachError', 'time')) || started),
        'E',
        'csi_handler.go:234',
        `"Error processing" err=${JSON.stringify(`failed to attach: ${textAt(attachment, 'status', 'attachError', 'message')}`)} ` +
          `VolumeAttachment="${attachment.metadata.name}"`,
      ),
    ),
  ];
}

/** In the words of external-resizer: the claims that it could not grow. */
function resizerLines(driver: string, started: number, cluster: Cluster): Line[] {
  const failed = cluster
    .list('Event')
    .filter((event) => textAt(event, 'reason') === 'VolumeResizeFailed')
    .filter((event) => textAt(event, 'source', 'component') === `external-resizer ${driver}`);
  return [
    klog(started + 900, 'I', 'leaderelection.go:271', 'successfully acquired lease'),
    ...failed.map((event) =>
      klog(timeOf(event, started), 'E', 'controller.go:311', `Error syncing PVC: ${textAt(event, 'message')}`),
    ),
  ];
}

/** The calls that failed, as the interceptor of csi-driver-host-path logs them. */
function driverLines(pod: RawObject, driver: string, started: number, cluster: Cluster): Line[] {
  const node = textAt(pod, 'spec', 'nodeName');
  const isController = listAt(pod, 'spec', 'containers').some((each) => textAt(each, 'name') === 'csi-provisioner');
  const events = cluster.list('Event').filter((event) => textAt(event, 'message').includes('rpc error: '));
  return events.flatMap((event) => {
    const error = /rpc error: [^]*/.exec(textAt(event, 'message'))?.[0] ?? '';
    const at = timeOf(event, started);
    const about = cluster.get(
      textAt(event, 'involvedObject', 'kind'),
      textAt(event, 'involvedObject', 'namespace'),
      textAt(event, 'involvedObject', 'name'),
    );
    if (about === undefined) return [];
    const provisioner = textAt(about, 'metadata', 'annotations', 'volume.kubernetes.io/storage-provisioner');
    if (textAt(event, 'reason') === 'ProvisioningFailed' && isController && provisioner === driver)
      return callLines(at, 'Controller/CreateVolume', { name: `pvc-${about.metadata.uid ?? ''}` }, error);
    const volume = /volume "([^"]+)"/.exec(textAt(event, 'message'))?.[1] ?? '';
    const handle = textAt(cluster.get('PersistentVolume', undefined, volume), 'spec', 'csi', 'volumeHandle');
    const isHere = textAt(about, 'spec', 'nodeName') === node && !isController && handle !== '';
    return textAt(event, 'reason') === 'FailedMount' && isHere
      ? callLines(at, 'Node/NodeStageVolume', { volume_id: handle }, error)
      : [];
  });
}

function callLines(at: number, method: string, request: object, error: string): Line[] {
  return [
    klog(at - 40, 'I', 'server.go:101', `GRPC call: /csi.v1.${method}`),
    klog(at - 39, 'I', 'server.go:105', `GRPC request: ${JSON.stringify(request)}`),
    klog(at - 1, 'E', 'server.go:108', `GRPC error: ${error}`),
  ];
}

function timeOf(event: RawObject, started: number): number {
  return Math.max(started + 2_000, Date.parse(textAt(event, 'lastTimestamp')) || started);
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
