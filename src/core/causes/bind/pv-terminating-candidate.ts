import { shellWord } from '../../kube/shell-word.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { fileOf, saveCommand, steps } from '../lib/steps.ts';
import { closestVolumeRule } from './closest-volume.ts';

/** component-helpers FindMatchingVolume skips a volume with a deletionTimestamp, even if everything else fits. */
export const pvTerminatingCandidate = closestVolumeRule('pv-terminating-candidate', 'terminating', {
  describe(_c, { volume: { metadata } }) {
    const { finalizers = [] } = metadata;
    return finalizers.length > 0
      ? `is being deleted and held by finalizer ${finalizers.join(', ')}`
      : 'is being deleted';
  },
  evidence: (_c, volume) => [field(volume, 'spec.persistentVolumeReclaimPolicy')],
  advise: (c, miss) => [
    createVolumeFix(c, 'Create another volume for the claim.', miss.volume),
    ...recreateVolume(c, miss),
  ],
});

/** A deletion cannot be taken back. With policy Retain the storage stays, and a new object can represent it. */
function recreateVolume(c: PresentClaim, { volume, failed }: NearMiss): Fix[] {
  if (failed.includes('claimed') || volume.spec?.persistentVolumeReclaimPolicy !== 'Retain') return [];
  const { name } = volume.metadata;
  return [
    steps(
      `If the storage behind pv/${name} is meant for this claim, save the volume, wait until its deletion has ` +
        'ended, and recreate it for the claim. Its policy is Retain, so the storage stays.',
      [
        saveCommand(volume),
        `kubectl wait --for=delete ${shellWord(`pv/${name}`)} --timeout=5m`,
        `kubectl patch --local -f ${shellWord(fileOf(volume))} --type=merge -p ` +
          `${shellWord(JSON.stringify(cleanVolume(c, volume)))} -o yaml | kubectl create -f -`,
      ],
    ),
  ];
}

function cleanVolume(c: PresentClaim, { metadata }: Volume): object {
  return {
    metadata: {
      name: metadata.name,
      uid: null,
      resourceVersion: null,
      creationTimestamp: null,
      deletionTimestamp: null,
      deletionGracePeriodSeconds: null,
    },
    spec: {
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: c.namespace,
        name: c.name,
        uid: null,
        resourceVersion: null,
      },
    },
    status: null,
  };
}
