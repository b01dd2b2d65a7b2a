import { field, note } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, containerStatusesOf, isTerminated } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { CsiNode, Node, Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { driversText, registeredDrivers } from './csinode.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { whyAbsent } from './absent-plugin.ts';
import { runPluginFixes } from './driver-not-on-node.ts';
import { registrationOf } from './needed-drivers.ts';
import { pluginOn, restartPlugin } from './plugin-fixes.ts';
import { nodeOf, podWords, volumeWords } from './told-volume.ts';

/**
 * How long the kubelet may take to unmount and to report it: its loops run every few seconds, a call may take two
 * minutes.
 */
const unmountSeconds = 120;
/** Usually it takes a few seconds; from here on it is reported, though not yet as a fault. */
const usualSeconds = 20;

/**
 * The kubelet keeps a pod until its volumes are unmounted (kubelet.go SyncTerminatedPod), and reports failures in its
 * log only.
 */
export const podTerminatingUnmountStuck = podRule({
  cause: 'pod-terminating-unmount-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(p) {
    const ended = parseTime(p.pod.metadata.deletionTimestamp);
    const seconds = ended === undefined ? 0 : (p.now - ended) / 1000;
    const stuck = ended !== undefined && seconds >= usualSeconds ? findStuckVolume(p) : undefined;
    if (ended === undefined || !stuck) return undefined;
    const { usedOn, sharer, unregistered, hasEnded } = stuck;
    const isProven = usedOn !== undefined && hasEnded;
    const isYoung = seconds < unmountSeconds;
    if (isYoung && !isProven && !unregistered) return undefined;
    return {
      ...(isYoung && { severity: 'info' as const }),
      confidence: (isProven && !sharer) || unregistered ? 'certain' : 'likely',
      ...(unregistered && { about: `${unregistered.driver}@${nodeOf(p)}` }),
      summary:
        `${podWords(p)} should have been gone ${ageText(ended, p.now)} ago and is not: ` +
        `the kubelet on ${nodeOf(p)} has not unmounted ` +
        `${volumeWords(stuck.use)}.${unregistered ? ` Driver ${unregistered.driver} is no longer registered there, so it cannot be unmounted.` : ''}`,
      evidence: evidenceOf(p, stuck),
      fix: adviceFor(p, stuck),
    };
  },
});

interface StuckVolume {
  readonly use: VolumeUse;
  /** The node whose status says that the volume is still in use. */
  readonly usedOn: Node | undefined;
  /** Another pod on the node that uses the same claim. */
  readonly sharer: Pod | undefined;
  readonly unregistered: UnregisteredDriver | undefined;
  /** All containers have ended. */
  readonly hasEnded: boolean;
}

function findStuckVolume(p: PodCase): StuckVolume | undefined {
  const statuses = containerStatusesOf(p.pod);
  const isHeldOtherwise = (p.pod.metadata.finalizers ?? []).length > 0 || statuses.some(({ state }) => state?.running);
  if (nodeOf(p) === '' || isHeldOtherwise) return undefined;
  const node = p.ask.get('Node', undefined, nodeOf(p), `whether ${nodeOf(p)} is up and which volumes it still uses`);
  const machine = node.state === 'found' ? node.object : undefined;
  if (node.state === 'missing' || (machine && !isNodeReady(machine))) return undefined;
  const uses = volumeUsesOf(p).filter(needsUnmount);
  const inUse = machine && uses.find((use) => isInUse(use, machine));
  const use = inUse ?? uses[0];
  if (!use) return undefined;
  return {
    use,
    usedOn: inUse && machine,
    sharer: inUse && findSharer(p, inUse),
    unregistered: findUnregisteredDriver(p, use),
    hasEnded: statuses.length > 0 && statuses.every(({ state }) => state?.terminated),
  };
}

function isNodeReady({ status }: Node): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True';
}

/** Secrets, config maps and the like are unmounted without anyone's help. */
function needsUnmount({ claim, isInline, podVolume }: VolumeUse): boolean {
  return Boolean(claim !== undefined || isInline || podVolume.nfs || podVolume.flexVolume || podVolume.iscsi);
}

function isInUse({ uniqueName }: VolumeUse, { status }: Node): boolean {
  return uniqueName !== undefined && (status?.volumesInUse ?? []).includes(uniqueName);
}

function findSharer(p: PodCase, { claim }: VolumeUse): Pod | undefined {
  if (!claim) return undefined;
  return p.ask
    .podsUsing(claim)
    .items.find(
      (other) =>
        other.metadata.uid !== p.pod.metadata.uid && other.spec?.nodeName === nodeOf(p) && !isTerminated(other),
    );
}

interface UnregisteredDriver {
  readonly driver: string;
  readonly csiNode: CsiNode;
}

function findUnregisteredDriver(p: PodCase, { driver }: VolumeUse): UnregisteredDriver | undefined {
  if (driver === undefined) return undefined;
  const csiNode = p.ask.get('CSINode', undefined, nodeOf(p), `whether ${driver} is registered on ${nodeOf(p)}`);
  if (csiNode.state !== 'found' || registeredDrivers(csiNode.object).includes(driver)) return undefined;
  return { driver, csiNode: csiNode.object };
}

function evidenceOf({ pod }: PodCase, stuck: StuckVolume): Explanation['evidence'] {
  const { use, usedOn, sharer, unregistered, hasEnded } = stuck;
  return [
    field(pod, 'metadata.deletionTimestamp'),
    ...(usedOn ? [field(usedOn, 'status.volumesInUse', use.uniqueName)] : []),
    ...(unregistered ? [field(unregistered.csiNode, 'spec.drivers', driversText(unregistered.csiNode))] : []),
    ...(hasEnded ? [note(pod, 'all its containers have ended')] : []),
    ...attachedEvidence(use),
    ...(sharer ? [note(sharer, 'uses the same volume on the same node')] : []),
  ];
}

/** The kubelet lets a volume be detached when it has unmounted it. */
function attachedEvidence({ attachment }: VolumeUse): Evidence[] {
  return attachment?.state === 'found' && attachment.object.status?.attached === true
    ? [field(attachment.object, 'status.attached')]
    : [];
}

/** The node has no pod of the driver, so something keeps it off. */
function runAgainFixes(p: PodCase, driver: string): Fix[] {
  const registration = registrationOf(p.ask, driver, nodeOf(p), {});
  return runPluginFixes(registration, whyAbsent(registration));
}

/** The kubelet says in its log only why it cannot unmount, and each answer leads to another step. */
function readKubeletFix({ pod }: PodCase, use: VolumeUse, isFirst: boolean): Fix {
  const node = pod.spec?.nodeName ?? '';
  const uid = pod.metadata.uid;
  const about = ['UnmountVolume', 'TearDown', ...(uid === undefined ? [] : [uid])].join('|');
  const path =
    uid === undefined || use.volumeObject?.spec?.csi === undefined
      ? undefined
      : `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~csi/${use.volumeName}/mount`;
  const empty =
    path === undefined
      ? ''
      : ' "not mounted", and no line about the pod from /proc/mounts: remove the empty directory that is left ' +
        `(rmdir ${path}; rmdir, never rm -r).`;
  return steps(
    `${isFirst ? 'Read' : 'If that does not help, read'} in the log of the kubelet on ${node} why it fails to unmount, and act on it. "busy": stop the process that ` +
      `holds the mount.${empty} No answer of the driver: restart its node plugin. The kubelet then finishes within minutes.`,
    [
      onNode(
        node,
        `sh -c "journalctl -u kubelet --since -15m | grep -E '${about}' | tail; grep ${uid ?? 'kubernetes.io'} /proc/mounts"`,
      ),
    ],
  );
}

function adviceFor(p: PodCase, { use, unregistered }: StuckVolume): Fix[] {
  const { driver } = use;
  const node = nodeOf(p);
  const hasPlugin = pluginOn(p.ask, driver, node) !== undefined;
  const isAbsent = unregistered && driver !== undefined && !hasPlugin;
  const restart = isAbsent
    ? runAgainFixes(p, driver)
    : [
        restartPlugin(
          p.ask,
          driver,
          node,
          unregistered
            ? `Get the node plugin of ${unregistered.driver} to run on ${node} again: save its log and restart it. ` +
                'The kubelet then unmounts the volume and the pod goes.'
            : `${hasPlugin ? 'Save' : 'If the driver does not answer, save'} the log of the node plugin on ${node}, which shows why the unmount fails, and restart it. ` +
                'The kubelet then tries again.',
        ),
      ];
  const isKnown = unregistered !== undefined || hasPlugin;
  const look = readKubeletFix(p, use, !isKnown);
  return [
    // What the kubelet logged decides, unless the driver is known to be what to restart.
    ...(isKnown ? [...restart, look] : [look, ...restart]),
    steps(
      `Only when the volume is proven to be unmounted on ${node}: remove the pod by force. ` +
        'What is still mounted may be written to from two nodes.',
      [
        ...((p.pod.metadata.ownerReferences ?? []).length > 0 ? [] : [saveCommand(p.pod)]),
        kubectl('delete', p.pod, '--force --grace-period=0'),
      ],
      'data-loss',
    ),
  ];
}
