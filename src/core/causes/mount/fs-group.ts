import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';

/**
 * Whether the kubelet applies fsGroup to the volume (kcsi csi_mounter.go supportsFSGroup); undefined when that cannot
 * be known.
 */
export function appliesFsGroup(p: PodCase, { volumeObject: volume }: VolumeUse): boolean | undefined {
  if (!volume) return undefined;
  const csi = volume.spec?.csi;
  if (!csi?.driver) return !(volume.spec?.nfs || volume.spec?.hostPath);
  const driver = p.ask.get(
    'CSIDriver',
    undefined,
    csi.driver,
    `whether the kubelet applies fsGroup to volumes of ${csi.driver}`,
  );
  if (driver.state === 'unknown') return undefined;
  const policy = driver.state === 'found' ? driver.object.spec?.fsGroupPolicy : undefined;
  if (policy === 'None' || policy === 'File') return policy === 'File';
  const modes = volume.spec?.accessModes ?? [];
  return Boolean(csi.fsType) && modes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}
