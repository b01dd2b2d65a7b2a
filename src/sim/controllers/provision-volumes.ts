import { matchesTopologyTerms } from '../../core/kube/selectors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { runningSidecar } from './sidecars.ts';
import {
  bindsLate,
  classOf,
  isBound,
  isLeaving,
  labelsOf,
  requestOf,
  selectedNode,
  storageProvisioner,
} from './storage-objects.ts';

/** The external provisioner of each running driver: creates the volumes that the volume controller requests. */
export function provisionVolumes({ cluster, backend }: Workplace): void {
  for (const claim of cluster.list('PersistentVolumeClaim')) {
    const driver = textAt(claim, 'metadata', 'annotations', storageProvisioner);
    const storageClass = classOf(claim, cluster);
    const isWaiting =
      driver !== '' && !isBound(claim) && !isLeaving(claim) && textAt(claim, 'spec', 'volumeName') === '';
    const node = textAt(claim, 'metadata', 'annotations', selectedNode);
    if (!isWaiting || storageClass === undefined || (bindsLate(storageClass) && node === '')) continue;
    const pod = runningSidecar(cluster, 'csi-provisioner', driver);
    if (pod === undefined || cluster.get('PersistentVolume', undefined, volumeName(claim)) !== undefined) continue;
    const from = `${driver}_${pod.metadata.name}`;
    const { namespace = '', name } = claim.metadata;
    cluster.report(claim, {
      reason: 'Provisioning',
      message: `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
      from,
    });
    const refusal = refusalOf(claim, storageClass, cluster) ?? backend.refusesVolume(driver, claim, cluster);
    if (refusal !== undefined) {
      cluster.report(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: refusal, from });
      continue;
    }
    const volume = cluster.put(provisioned(claim, storageClass, driver, cluster));
    cluster.report(claim, {
      reason: 'ProvisioningSucceeded',
      message: `Successfully provisioned volume ${volume.metadata.name}`,
      from,
    });
  }
}

const volumeName = ({ metadata }: RawObject): string => `pvc-${metadata.uid ?? ''}`;

/** What the provisioner finds out before it calls the driver, in its own words. */
function refusalOf(claim: RawObject, storageClass: RawObject, cluster: Cluster): string | undefined {
  const secret = (part: string): string =>
    textAt(storageClass, 'parameters', `csi.storage.k8s.io/provisioner-secret-${part}`);
  if (secret('name') !== '' && cluster.get('Secret', secret('namespace'), secret('name')) === undefined)
    return `error getting secret ${secret('name')} in namespace ${secret('namespace')}: secrets "${secret('name')}" not found`;
  if (valueAt(claim, 'spec', 'selector') !== undefined) return 'claim Selector is not supported';
  return sourceFault(claim, cluster);
}

function sourceFault(claim: RawObject, cluster: Cluster): string | undefined {
  const source = valueAt(claim, 'spec', 'dataSourceRef') ?? valueAt(claim, 'spec', 'dataSource');
  const kind = textAt(source, 'kind');
  const name = textAt(source, 'name');
  if (name === '') return undefined;
  const found = cluster.get(kind, textAt(source, 'namespace') || claim.metadata.namespace, name);
  const prefix = `error getting handle for DataSource Type ${kind} by Name ${name}:`;
  if (kind === 'PersistentVolumeClaim') {
    if (found === undefined)
      return (
        `${prefix} error getting PVC ${name} (namespace "${claim.metadata.namespace ?? ''}") from api server: ` +
        `persistentvolumeclaims "${name}" not found`
      );
    return isBound(found)
      ? undefined
      : `${prefix} the PVC DataSource ${name} must have a status of Bound. Got ${textAt(found, 'status', 'phase')}`;
  }
  if (kind !== 'VolumeSnapshot') return undefined;
  if (found === undefined)
    return `${prefix} error getting snapshot ${name} from api server: volumesnapshots.snapshot.storage.k8s.io "${name}" not found`;
  return valueAt(found, 'status', 'readyToUse') === true ? undefined : `${prefix} snapshot ${name} is not Ready`;
}

function provisioned(claim: RawObject, storageClass: RawObject, driver: string, cluster: Cluster): RawObject {
  const { name, namespace, uid = '' } = claim.metadata;
  const affinity = affinityFor(claim, storageClass, driver, cluster);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName(claim),
      annotations: {
        'pv.kubernetes.io/provisioned-by': driver,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
      finalizers: ['external-provisioner.volume.kubernetes.io/finalizer', 'kubernetes.io/pv-protection'],
    },
    spec: {
      accessModes: valueAt(claim, 'spec', 'accessModes'),
      capacity: { storage: requestOf(claim) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      csi: {
        driver,
        volumeHandle: `vol-${uid.replaceAll('-', '').slice(0, 17)}`,
        ...(textAt(storageClass, 'parameters', 'csi.storage.k8s.io/fstype') === ''
          ? {}
          : { fsType: textAt(storageClass, 'parameters', 'csi.storage.k8s.io/fstype') }),
      },
      ...(affinity === undefined ? {} : { nodeAffinity: affinity }),
      persistentVolumeReclaimPolicy: textAt(storageClass, 'reclaimPolicy') || 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: textAt(claim, 'spec', 'volumeMode') || 'Filesystem',
    },
    status: { phase: 'Pending' },
  };
}

/** Where the new volume can be used: where the node that was chosen is, or any node with the driver. */
function affinityFor(
  claim: RawObject,
  storageClass: RawObject,
  driver: string,
  cluster: Cluster,
): Record<string, unknown> | undefined {
  const chosen = textAt(claim, 'metadata', 'annotations', selectedNode);
  const allowed = listAt(storageClass, 'allowedTopologies') as Parameters<typeof matchesTopologyTerms>[0];
  for (const csiNode of cluster.list('CSINode')) {
    const entry = listAt(csiNode, 'spec', 'drivers').find((candidate) => textAt(candidate, 'name') === driver);
    const node = cluster.get('Node', undefined, csiNode.metadata.name);
    if (entry === undefined || node === undefined || (chosen !== '' && chosen !== node.metadata.name)) continue;
    if (chosen === '' && !matchesTopologyTerms(allowed, labelsOf(node))) continue;
    const keys = listAt(entry, 'topologyKeys').map(String);
    if (keys.length === 0) return undefined;
    const matchExpressions = keys.map((key) => ({ key, operator: 'In', values: [labelsOf(node)[key] ?? ''] }));
    return { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  }
  return undefined;
}
