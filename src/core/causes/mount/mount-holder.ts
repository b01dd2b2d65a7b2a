import { note } from '../../facts/evidence.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import type { Pod, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { mountedDirectoryIn } from '../lib/driver-error/sentences/pod-volumes.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { pluginOn } from './plugin-fixes.ts';
import { knownNode, nodeOf } from './told-volume.ts';

interface Holder {
  readonly path: string;
  readonly uid: string;
  /** The name of the volume in that path. */
  readonly volume: string;
  /** Undefined where no pod with that uid was read, which in a dump proves nothing. */
  readonly pod: Pod | undefined;
}

/** The pod in whose directory the driver found the device mounted. */
function holderOf({ p, text }: FailedMount): Holder | undefined {
  const found = mountedDirectoryIn(text);
  if (found === undefined || found.uid === p.pod.metadata.uid) return undefined;
  const { uid } = found;
  const pod = p.ask.seen('Pod').find(({ metadata }) => metadata.uid === uid);
  return { ...found, pod };
}

/** Another PersistentVolume for the same disk or directory of the storage. */
function twinOf({ p, use, driver }: FailedMount, { volume }: Holder): Volume | undefined {
  const handle = use?.volumeObject?.spec?.csi?.volumeHandle;
  const other = p.ask.graph.find('PersistentVolume', undefined, volume);
  const isTwin =
    other !== undefined &&
    other.metadata.name !== use?.volumeName &&
    other.spec?.csi?.driver === driver &&
    other.spec?.csi?.volumeHandle === handle;
  return isTwin ? other : undefined;
}

export function holderWords(m: FailedMount): string {
  const holder = holderOf(m);
  if (!holder) return '';
  if (!holder.pod) return ` The path is that of a pod with uid ${holder.uid}, and no such pod was read.`;
  const twin = twinOf(m, holder);
  const { name, namespace } = holder.pod.metadata;
  return (
    ` pod/${name} in namespace ${namespace ?? ''} has it mounted` +
    `${twin ? ` through pv/${twin.metadata.name}, which has the same volumeHandle "${twin.spec?.csi?.volumeHandle ?? ''}"` : ''}.`
  );
}

export function holderEvidence(m: FailedMount): Evidence[] {
  const holder = holderOf(m);
  if (!holder?.pod) return [];
  return [note(holder.pod, `has uid ${holder.uid}, which is in the path of the mount`)];
}

/** OpenEBS lets several pods of a node mount a volume only if its own object says so. */
const sharedResources: Readonly<Record<string, string>> = {
  'zfs.csi.openebs.io': 'zfsvolumes.zfs.openebs.io',
  'local.csi.openebs.io': 'lvmvolumes.local.openebs.io',
};

/** Undefined where the text does not lead to a pod. */
export function holderFixes(m: FailedMount): Fix[] | undefined {
  const holder = holderOf(m);
  if (!holder) return undefined;
  if (holder.pod && !isTerminated(holder.pod)) return sharingFixes(m, holder, holder.pod);
  return holder.pod || isWindows(knownNode(m.p)) ? undefined : [leftMountFix(m, holder)];
}

function sharingFixes(m: FailedMount, holder: Holder, pod: Pod): Fix[] {
  const { p, driver, use } = m;
  const handle = use?.handle;
  const resource = sharedResources[driver ?? ''];
  const twin = twinOf(m, holder);
  const claim = twin?.spec?.claimRef;
  const namespace = pluginOn(p.ask, driver, nodeOf(p))?.metadata.namespace ?? 'openebs';
  return [
    ...(resource !== undefined && handle !== undefined
      ? [
          steps(
            `Mark the volume as shared if both pods may write to it at the same time: ${driver ?? 'the driver'} otherwise allows one mount on a node. ${retryWords} For new volumes, set the parameter shared: "yes" in their class.`,
            [
              `kubectl -n ${shellWord(namespace)} patch ${resource} ${shellWord(handle)} --type=merge -p '{"spec":{"shared":"yes"}}'`,
            ],
          ),
        ]
      : []),
    ...(claim?.name !== undefined && claim.namespace === p.pod.metadata.namespace
      ? [
          steps(
            `${resource === undefined ? 'Let' : 'Or let'} both pods use pvc/${claim.name}: two PersistentVolumes for one disk do not know of each other.`,
            [],
            'disruptive',
          ),
        ]
      : []),
    stopPodFix(
      pod,
      (what) =>
        `If only one of them may have it, ${what}. The kubelet then unmounts it there. Do not unmount it by hand: that takes the file system from a running pod.`,
    ),
  ];
}

function leftMountFix({ p }: FailedMount, { path, uid }: Holder): Fix {
  const node = nodeOf(p);
  const onHost = path.replace(/^\/host\//, '/');
  return steps(
    `Unmount what a deleted pod has left on ${node}, if the first line prints nothing: no pod there has uid ${uid} then. ` +
      `If it prints a pod, that one has the volume mounted: stop it instead. ${retryWords}`,
    [
      `kubectl get pods -A --field-selector spec.nodeName=${shellWord(node)} -o ` +
        `custom-columns='NS:.metadata.namespace,POD:.metadata.name,UID:.metadata.uid' | grep -F -e ${shellWord(uid)}`,
      onNode(node, `umount ${shellWord(onHost)}`),
    ],
    'disruptive',
  );
}
