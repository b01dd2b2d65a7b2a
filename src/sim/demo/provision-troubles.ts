import type { RawObject } from '../../core/kube/snapshot.ts';
import type { DemoClock } from './builders.ts';
import { claim, failsToProvision, waitsForProvisioner } from './claims.ts';
import type { ClaimFacts } from './claims.ts';
import { diskDriver, filesDriver, storageNamespace } from './names.ts';
import { unboundImmediate, unschedulablePod } from './pods.ts';

/** Claims that a driver was asked to serve. */
export function provisionTroubles(clock: DemoClock): readonly RawObject[] {
  return [
    ...backendFull(clock),
    ...cloneOfPending(clock),
    ...secretMissing(clock),
    ...selectorOnDynamic(clock),
    ...snapshotMissing(clock),
    ...provisionerDown(clock),
    ...unknownProvisioner(clock),
  ];
}

function refused(
  clock: DemoClock,
  facts: Omit<ClaimFacts, 'namespace' | 'provisioner'>,
  message: string,
): readonly RawObject[] {
  const about = claim(clock, { ...facts, namespace: 'data', provisioner: diskDriver });
  return [about, ...failsToProvision(clock, about, message, Math.min(facts.age, 57))];
}

/** provision-resource-exhausted */
function backendFull(clock: DemoClock): readonly RawObject[] {
  return [
    ...refused(
      clock,
      { name: 'warehouse', age: 48, size: '20Ti', className: 'fast-immediate' },
      'rpc error: code = ResourceExhausted desc = pool ssd-1 has 1.2 TiB free, 20 TiB were requested',
    ),
    ...unschedulablePod(clock, {
      namespace: 'data',
      name: 'warehouse-0',
      age: 47,
      claims: { data: 'warehouse' },
      unschedulable: unboundImmediate,
    }),
  ];
}

/** clone-source-not-bound: it waits for the claim above. */
function cloneOfPending(clock: DemoClock): readonly RawObject[] {
  const source = { kind: 'PersistentVolumeClaim', name: 'warehouse' };
  return refused(
    clock,
    {
      name: 'warehouse-copy',
      age: 40,
      size: '20Ti',
      className: 'fast-immediate',
      spec: { dataSource: source, dataSourceRef: source },
    },
    'error getting handle for DataSource Type PersistentVolumeClaim by Name warehouse: ' +
      'the PVC DataSource warehouse must have a status of Bound. Got Pending',
  );
}

/** provision-secret-missing */
function secretMissing(clock: DemoClock): readonly RawObject[] {
  return refused(
    clock,
    { name: 'cold-storage', age: 130, size: '500Gi', className: 'archive' },
    `error getting secret archive-login in namespace ${storageNamespace}: secrets "archive-login" not found`,
  );
}

/** provision-selector-unsupported */
function selectorOnDynamic(clock: DemoClock): readonly RawObject[] {
  return refused(
    clock,
    {
      name: 'lookup',
      age: 25,
      size: '10Gi',
      className: 'fast-immediate',
      spec: { selector: { matchLabels: { tier: 'gold' } } },
    },
    'claim Selector is not supported',
  );
}

/** restore-snapshot-missing: the snapshot is called metrics-nightly. */
function snapshotMissing(clock: DemoClock): readonly RawObject[] {
  const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'metric-nightly' };
  return refused(
    clock,
    {
      name: 'metrics-restored',
      age: 19,
      size: '50Gi',
      className: 'fast-immediate',
      spec: { dataSource: source, dataSourceRef: source },
    },
    'error getting handle for DataSource Type VolumeSnapshot by Name metric-nightly: ' +
      'error getting snapshot metric-nightly from api server: ' +
      'volumesnapshots.snapshot.storage.k8s.io "metric-nightly" not found',
  );
}

/** provisioner-not-running: one dead controller, claims in three namespaces. */
function provisionerDown(clock: DemoClock): readonly RawObject[] {
  const waiting = [
    { namespace: 'web', name: 'assets', age: 88, size: '20Gi' },
    { namespace: 'web', name: 'thumbnails', age: 64, size: '20Gi' },
    { namespace: 'shop', name: 'media', age: 41, size: '200Gi' },
    { namespace: 'ci', name: 'test-results', age: 22, size: '50Gi' },
  ];
  const objects = waiting.flatMap((facts) => {
    const about = claim(clock, { ...facts, className: 'shared', modes: ['ReadWriteMany'], provisioner: filesDriver });
    return [about, waitsForProvisioner(clock, about, filesDriver, Math.min(facts.age, 58))];
  });
  return [
    ...objects,
    ...unschedulablePod(clock, {
      namespace: 'web',
      name: 'site-0',
      age: 87,
      claims: { assets: 'assets' },
      unschedulable: unboundImmediate,
    }),
    ...unschedulablePod(clock, {
      namespace: 'shop',
      name: 'media-0',
      age: 40,
      claims: { media: 'media' },
      unschedulable: unboundImmediate,
    }),
  ];
}

/** provisioner-unknown: the driver of this class was uninstalled long ago. */
function unknownProvisioner(clock: DemoClock): readonly RawObject[] {
  const driver = 'nfs.csi.example.com';
  const about = claim(clock, {
    namespace: 'shop',
    name: 'exports',
    age: 6 * 60,
    size: '15Gi',
    className: 'old-nfs',
    modes: ['ReadWriteMany'],
    provisioner: driver,
  });
  return [about, waitsForProvisioner(clock, about, driver, 58)];
}
