import type { Fix } from '../../report/report.ts';
import { driverContainerOf } from '../../facts/driver/driver-pods.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { MountFailure } from './mount-failure.ts';

/** The volume of the pod that the kubelet speaks of: by the name of its PersistentVolume, or by its name in the pod. */
export function toldVolume(p: PodCase, { volume }: Pick<MountFailure, 'volume'>): VolumeUse | undefined {
  if (volume === undefined) return undefined;
  const uses = volumeUsesOf(p);
  return uses.find((use) => use.volumeName === volume) ?? uses.find((use) => use.name === volume);
}

/** How a volume is called in a sentence: by its claim if it has one. */
export function volumeWords(use: VolumeUse | undefined, failure?: Pick<MountFailure, 'volume'>): string {
  if (use?.claim) return `volume ${use.name} (pvc/${use.claim.name})`;
  const name = use?.name ?? failure?.volume;
  return name === undefined ? 'a volume' : `volume ${name}`;
}

export function podWords(p: PodCase): string {
  return `pod/${p.pod.metadata.name}`;
}

export function nodeOf(p: PodCase): string {
  return p.pod.spec?.nodeName ?? '';
}

/** Where the node side of a driver writes its log. */
export function nodeLogsFix(p: PodCase, driver: string | undefined): Fix {
  const node = nodeOf(p);
  const text = `read the log of ${driver ?? 'the driver'} on ${node}`;
  const plugin = driver === undefined ? undefined : findNodePlugin(p.ask, driver, node).pods.items[0];
  if (!plugin) return fix(text, `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`);
  const container = driverContainerOf(plugin.spec)?.name;
  return fix(
    text,
    `kubectl ${inNamespace(plugin.metadata.namespace)}logs ${shellWord(plugin.metadata.name)}${container === undefined ? '' : ` -c ${shellWord(container)}`} --tail=50`,
  );
}

/** The pod of the node plugin, to be made again by its DaemonSet. */
export function restartPluginFix(p: PodCase, driver: string | undefined): Fix[] {
  const plugin = driver === undefined ? undefined : findNodePlugin(p.ask, driver, nodeOf(p)).pods.items[0];
  return plugin
    ? [
        fix(
          `restart the node plugin on ${nodeOf(p)}: its DaemonSet makes the pod again`,
          `kubectl ${inNamespace(plugin.metadata.namespace)}delete pod ${shellWord(plugin.metadata.name)}`,
          'disruptive',
        ),
      ]
    : [];
}
