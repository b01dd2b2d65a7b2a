import { applyCommand } from './steps.ts';

export const snapshotApi = 'snapshot.storage.k8s.io/v1';
export const defaultClassAnnotation = 'snapshot.storage.kubernetes.io/is-default-class';

/** Creates a VolumeSnapshotClass without parameters: most drivers need none. */
export function createClassCommand(name: string, driver: string, isDefault = false): string {
  return applyCommand({
    apiVersion: snapshotApi,
    kind: 'VolumeSnapshotClass',
    metadata: { name, ...(isDefault && { annotations: { [defaultClassAnnotation]: 'true' } }) },
    driver,
    deletionPolicy: 'Delete',
  });
}
