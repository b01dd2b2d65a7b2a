import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eachOf } from './each-of.ts';
import { existingRoots, usualKubeletRoots } from './find-endpoints.ts';

/** A volume that the kubelet of this node has asked a driver to mount for a pod. */
export interface PublishedVolume {
  readonly driver: string;
  readonly volumeId: string;
  /** The name of the PersistentVolume. */
  readonly volume: string;
  /** What the kubelet passes to NodePublishVolume as target_path. */
  readonly path: string;
}

const atOnce = 16;
/** The kubelet writes a few hundred bytes. */
const largestRecord = 64 * 1024;
const mostVolumes = 2000;

/**
 * The volumes of this node, from the record that the kubelet keeps next to each mount (pkg/volume/csi/csi_util.go,
 * saveVolumeData). The mounts themselves are never entered: one whose server is gone would block for ever.
 */
export async function findPublishedVolumes(
  roots: readonly string[] = usualKubeletRoots,
): Promise<readonly PublishedVolume[]> {
  const found: PublishedVolume[] = [];
  for (const root of (await existingRoots(roots)).roots) {
    const pods = join(root, 'pods');
    const directories = (await namesIn(pods)).map((pod) => join(pods, pod, 'volumes', 'kubernetes.io~csi'));
    await eachOf(directories, atOnce, async (directory) => {
      for (const name of await namesIn(directory)) {
        const volume = found.length < mostVolumes ? await readRecord(join(directory, name)) : undefined;
        if (volume) found.push(volume);
      }
    });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function namesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function readRecord(directory: string): Promise<PublishedVolume | undefined> {
  try {
    const text = await readFile(join(directory, 'vol_data.json'), 'utf8');
    const record = text.length > largestRecord ? undefined : (JSON.parse(text) as unknown);
    if (typeof record !== 'object' || record === null) return undefined;
    const {
      driverName: driver,
      volumeHandle: volumeId,
      specVolID: volume,
    } = record as Readonly<Record<string, unknown>>;
    if (typeof driver !== 'string' || typeof volumeId !== 'string' || typeof volume !== 'string') return undefined;
    return { driver, volumeId, volume, path: join(directory, 'mount') };
  } catch {
    return undefined;
  }
}
