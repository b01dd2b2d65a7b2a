import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { volumesOfClass } from '../../facts/claim/claimed-volumes.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { createCommand, steps } from './steps.ts';

/** The source of a volume as far as it is known, and the words that explain its placeholders. */
interface VolumeSource {
  readonly source: object;
  readonly words: string;
}

/**
 * Creates a PersistentVolume by hand that fits the claim in every respect and is reserved for it. Only a person knows
 * where the disk is; the kind of its source is that of the volumes the claim was intended for.
 */
export function createVolumeFix(c: PresentClaim, text: string, like?: Volume): Fix {
  const example = like ?? volumesOfClass(c.ask, c.class.name)[0];
  const isBlock = c.claim.spec?.volumeMode === 'Block';
  const { source, words } =
    isBlock && !example?.spec?.local ? csiSource(example?.spec?.csi?.driver) : sourceLike(example);
  return steps(
    `${text} ${words} The claim binds to it within 15 seconds.`,
    [createCommand(volumeManifest(c, `${c.namespace}-${c.name}`, source))],
    'safe',
  );
}

/** Retain, so that no controller deletes what a person has put there; the claimRef keeps other claims away. */
export function volumeManifest(c: PresentClaim, name: string, source: object, uid?: string): object {
  const { accessModes = ['ReadWriteOnce'], volumeMode, volumeAttributesClassName, selector } = c.claim.spec ?? {};
  const labels = selector?.matchLabels;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, ...(labels && Object.keys(labels).length > 0 && { labels }) },
    spec: {
      capacity: { storage: c.claim.status?.capacity?.['storage'] ?? c.request ?? 'PLACEHOLDER_SIZE' },
      accessModes,
      ...(volumeMode !== undefined && { volumeMode }),
      ...(c.class.name !== '' && { storageClassName: c.class.name }),
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: c.namespace,
        name: c.name,
        ...(uid !== undefined && { uid }),
      },
      ...source,
    },
  };
}

/** A source of the same kind as that of another volume; a CSI driver's where none is known. */
function sourceLike(volume: Volume | undefined): VolumeSource {
  const { nfs, csi, local, hostPath } = volume?.spec ?? {};
  if (nfs)
    return {
      source: { nfs: { server: nfs.server ?? 'PLACEHOLDER_SERVER', path: 'PLACEHOLDER_PATH' } },
      words: 'PLACEHOLDER_PATH is a directory that the NFS server exports.',
    };
  if (local)
    return {
      source: { local: { path: 'PLACEHOLDER_PATH' }, nodeAffinity: onOneNode },
      words: 'PLACEHOLDER_PATH is a disk or directory of node PLACEHOLDER_NODE.',
    };
  if (hostPath)
    return {
      source: { hostPath: { path: 'PLACEHOLDER_PATH' } },
      words: 'PLACEHOLDER_PATH is a directory of the node.',
    };
  return csiSource(csi?.driver, volume);
}

const onOneNode = {
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['PLACEHOLDER_NODE'] }] },
    ],
  },
};

/**
 * A disk that exists already, by its id in the storage system. What all volumes of a driver share is taken from `like`.
 */
export function csiSource(driver: string | undefined, like?: Volume): VolumeSource {
  const { fsType, nodeStageSecretRef, nodePublishSecretRef, controllerPublishSecretRef, controllerExpandSecretRef } =
    like?.spec?.csi ?? {};
  return {
    source: {
      csi: {
        driver: driver ?? 'PLACEHOLDER_DRIVER',
        volumeHandle: 'PLACEHOLDER_HANDLE',
        ...(fsType !== undefined && { fsType }),
        ...(nodeStageSecretRef && { nodeStageSecretRef }),
        ...(nodePublishSecretRef && { nodePublishSecretRef }),
        ...(controllerPublishSecretRef && { controllerPublishSecretRef }),
        ...(controllerExpandSecretRef && { controllerExpandSecretRef }),
      },
    },
    words:
      'PLACEHOLDER_HANDLE is the id of the disk in the storage ' +
      `system${
        driver === undefined
          ? ', and PLACEHOLDER_DRIVER the CSI driver that serves it. For a local disk or an NFS export, write ' +
            'that source instead of csi'
          : ''
      }.`,
  };
}
