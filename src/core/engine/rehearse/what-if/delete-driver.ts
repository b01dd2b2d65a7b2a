import type { CsiDriver, Pod } from '../../../kube/kinds.ts';
import type { Confidence } from '../../../report/report.ts';
import { claimNamesOf } from '../../../graph/cluster-graph.ts';
import { field } from '../../../facts/evidence.ts';
import { servingDriver } from '../../../facts/volume/volume-slots.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count } from './leave-node.ts';

interface Default {
  readonly path: string;
  readonly isSet: (spec: NonNullable<CsiDriver['spec']>) => boolean;
  readonly words: string;
  /** Unless given, pods still start. */
  readonly breaks?: Confidence;
}

/** The defaults for a driver without a CSIDriver object. */
const defaults: readonly Default[] = [
  {
    path: 'spec.attachRequired',
    isSet: ({ attachRequired }) => attachRequired === false,
    words: 'its volumes would have to be attached first, and no attacher does that',
    breaks: 'certain',
  },
  {
    path: 'spec.volumeLifecycleModes',
    isSet: ({ volumeLifecycleModes = [] }) => volumeLifecycleModes.includes('Ephemeral'),
    words: 'inline volumes of it would be refused',
    breaks: 'likely',
  },
  {
    path: 'spec.tokenRequests',
    isSet: ({ tokenRequests = [] }) => tokenRequests.length > 0,
    words: 'it would no longer get service account tokens',
    breaks: 'possible',
  },
  {
    path: 'spec.podInfoOnMount',
    isSet: ({ podInfoOnMount }) => podInfoOnMount === true,
    words: 'it would no longer be told which pod it mounts for',
    breaks: 'possible',
  },
  {
    path: 'spec.storageCapacity',
    isSet: ({ storageCapacity }) => storageCapacity === true,
    words: 'the scheduler would no longer look for free space',
  },
  {
    path: 'spec.fsGroupPolicy',
    isSet: ({ fsGroupPolicy }) => fsGroupPolicy !== undefined && fsGroupPolicy !== 'ReadWriteOnceWithFSType',
    words: 'fsGroup would be applied by the default policy (ReadWriteOnceWithFSType)',
  },
  {
    path: 'spec.seLinuxMount',
    isSet: ({ seLinuxMount }) => seLinuxMount === true,
    words: 'volumes would be relabelled file by file for SELinux',
  },
];

/** Running pods keep their volumes; what the object declares no longer holds for the next mount. */
export function deleteDriver(f: Future, name: string): readonly Pod[] {
  const driver = f.before.graph.find('CSIDriver', undefined, name);
  f.world.remove('CSIDriver', undefined, name);
  const pods = podsOfDriver(f, name);
  const lost = defaults.filter(({ isSet }) => driver?.spec !== undefined && isSet(driver.spec));
  const inline = pods.filter(({ spec }) => (spec?.volumes ?? []).some(({ csi }) => csi?.driver === name));
  for (const { path, words, breaks } of lost) {
    const hit = path === 'spec.volumeLifecycleModes' ? inline : pods;
    f.add({
      effect: breaks && hit.length > 0 ? 'cannot-restart' : 'changes',
      severity: breaks && hit.length > 0 ? 'breaks' : 'notice',
      ...(breaks && { confidence: breaks }),
      ...(path === 'spec.attachRequired' && { cause: 'csidriver-object-missing' }),
      summary:
        `Without the CSIDriver object of ${name}, ` +
        `${words}.${breaks && hit.length > 0 ? ` ${count(hit.length, 'running pod')} could not start again.` : ''}`,
      objects: hit.length > 0 ? hit.map(plainRef) : [{ kind: 'CSIDriver', name }],
      ...(driver && { evidence: [field(driver, path)] }),
    });
  }
  if (lost.length === 0)
    f.add({
      effect: 'changes',
      severity: 'notice',
      summary: `The CSIDriver object of ${name} says nothing beyond the defaults, so pods work without it.`,
      objects: [{ kind: 'CSIDriver', name }],
    });
  f.unforeseen.add(`Whether an operator or the installation of ${name} creates the CSIDriver object again.`);
  return pods;
}

export function podsOfDriver(f: Future, driver: string): readonly Pod[] {
  return f.before.seen('Pod').filter(
    (pod) =>
      (pod.spec?.volumes ?? []).some(({ csi }) => csi?.driver === driver) ||
      claimNamesOf(pod).some((name) => {
        const claim = f.before.graph.find('PersistentVolumeClaim', pod.metadata.namespace, name);
        const volume = claim?.spec?.volumeName
          ? f.before.graph.find('PersistentVolume', undefined, claim.spec.volumeName)
          : undefined;
        return volume !== undefined && servingDriver(volume) === driver;
      }),
  );
}
