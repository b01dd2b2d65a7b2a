import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { isWindows } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { pluginOn } from './plugin-fixes.ts';
import { knownNode, nodeOf } from './told-volume.ts';

const addressInText =
  /(?:dial (?:tcp|udp) |portal:? |addr(?:ess)?[=: ]+|-t (?:nfs4?|cifs|ceph|lustre)\s+(?:-o \S+ )?(?:\/\/)?|https?:\/\/)\[?([\w.-]+)\]?(?:[:,](\d+))?/i;

/** The port of the protocol, where the text names none. */
function portOf(text: string, use: VolumeUse | undefined): string | undefined {
  if (use?.volumeObject?.spec?.nfs || /nfs/i.test(text)) return '2049';
  if (/-t lustre\b/.test(text)) return '988';
  return /-t (?:cifs|smb3?)\b/.test(text) ? '445' : undefined;
}

export function networkFix({ p, use, text }: FailedMount): Fix {
  const match = addressInText.exec(text);
  const host =
    match?.[1] ?? use?.volumeObject?.spec?.nfs?.server ?? use?.volumeObject?.spec?.csi?.volumeAttributes?.['server'];
  const port = match?.[2] ?? portOf(text, use);
  const node = nodeOf(p);
  const asked = `Ask your network or storage team to open the path from ${node} to ${host ?? 'the storage'}${port === undefined ? '' : ` on port ${port}`}`;
  if (host === undefined || port === undefined || isWindows(knownNode(p)))
    return steps(`${asked}, or to bring the server back. ${retryWords}`, []);
  return steps(
    `${asked}. This tests it: "open" means that the path is free and the server has to be checked. ${retryWords}`,
    [`kubectl debug node/${shellWord(node)} -it --image=busybox -- nc -zv -w 5 ${shellWord(host)} ${port}`],
  );
}

/** Longhorn serves a ReadWriteMany volume from a pod of its own, behind a Service of the cluster. */
export function shareManagerFixes({ p, driver, use, text }: FailedMount): Fix[] {
  const handle = use?.handle;
  if (driver !== 'driver.longhorn.io' || handle === undefined || !/-t nfs\b/.test(text)) return [];
  const namespace = pluginOn(p.ask, driver, nodeOf(p))?.metadata.namespace ?? 'longhorn-system';
  const pod = shellWord(`share-manager-${handle}`);
  return [
    steps(
      `Get pod/share-manager-${handle} in namespace ${namespace} running: it serves the volume over NFS, and its events and the state of the Longhorn volume name what holds it up. ${retryWords}`,
      [
        `kubectl -n ${shellWord(namespace)} describe pod ${pod}`,
        `kubectl -n ${shellWord(namespace)} get volumes.longhorn.io ${shellWord(handle)} -o yaml`,
      ],
    ),
  ];
}
