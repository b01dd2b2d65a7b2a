import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { conditionOf, containerStatusesOf, isTerminated } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix, volumeWords } from './told-volume.ts';

/** How long the kubelet may take to unmount and to tell: its loops come round every few seconds, a call may take two minutes. */
const unmountSeconds = 120;
/** Usually it takes a few; from here on it is named, though not yet called a fault. */
const usualSeconds = 20;

/** The kubelet keeps a pod until its volumes are unmounted (kubelet.go SyncTerminatedPod), and says nothing of what fails but in its log. */
export const podTerminatingUnmountStuck = podRule({
  cause: 'pod-terminating-unmount-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(p) {
    const { pod } = p;
    const name = nodeOf(p);
    const ended = parseTime(pod.metadata.deletionTimestamp);
    if (
      ended === undefined ||
      !name ||
      (p.now - ended) / 1000 < usualSeconds ||
      (pod.metadata.finalizers ?? []).length > 0
    )
      return undefined;
    const statuses = containerStatusesOf(pod);
    if (statuses.some(({ state }) => state?.running)) return undefined;
    const node = p.ask.get('Node', undefined, name, `whether ${name} is up and which volumes it still uses`);
    if (
      node.state === 'missing' ||
      (node.state === 'found' && conditionOf(node.object.status?.conditions, 'Ready')?.status !== 'True')
    )
      return undefined;
    const uses = volumeUsesOf(p).filter(
      (use) =>
        use.claim !== undefined || use.isInline || use.podVolume.nfs || use.podVolume.flexVolume || use.podVolume.iscsi,
    );
    const inUse =
      node.state === 'found'
        ? uses.find(
            (use) => use.uniqueName !== undefined && (node.object.status?.volumesInUse ?? []).includes(use.uniqueName),
          )
        : undefined;
    const use = inUse ?? uses[0];
    if (!use) return undefined;
    const sharer =
      inUse?.claim &&
      p.ask
        .podsUsing(inUse.claim)
        .items.find(
          (other) => other.metadata.uid !== pod.metadata.uid && other.spec?.nodeName === name && !isTerminated(other),
        );
    const { driver } = use;
    const csiNode =
      driver === undefined
        ? undefined
        : p.ask.get('CSINode', undefined, name, `whether ${driver} is registered on ${name}`);
    const isUnregistered =
      driver !== undefined &&
      csiNode?.state === 'found' &&
      !(csiNode.object.spec?.drivers ?? []).some((entry) => entry.name === driver);
    const hasEnded = statuses.length > 0 && statuses.every(({ state }) => state?.terminated);
    const why = isUnregistered ? `: driver ${driver} is not registered there any more, so nobody can unmount it` : '';
    const isYoung = (p.now - ended) / 1000 < unmountSeconds;
    if (isYoung && !(hasEnded && inUse) && !isUnregistered) return undefined;
    return {
      ...(isYoung && { severity: 'info' as const }),
      confidence: (inUse && !sharer && hasEnded) || isUnregistered ? 'certain' : 'likely',
      ...(isUnregistered && { about: `${driver}@${name}` }),
      summary: `${podWords(p)} should have been gone ${ageText(ended, p.now)} ago and cannot go: the kubelet on ${name} has not unmounted ${volumeWords(use)}${why}`,
      evidence: [
        field(pod, 'metadata.deletionTimestamp'),
        ...(inUse && node.state === 'found' ? [field(node.object, 'status.volumesInUse', inUse.uniqueName)] : []),
        ...(isUnregistered && csiNode?.state === 'found'
          ? [
              field(
                csiNode.object,
                'spec.drivers',
                (csiNode.object.spec?.drivers ?? []).map((entry) => entry.name).join(', ') || 'none',
              ),
            ]
          : []),
        ...(hasEnded ? [note(pod, 'all its containers have ended')] : []),
        ...(sharer ? [note(sharer, 'uses the same volume on the same node')] : []),
      ],
      fix: [
        isUnregistered
          ? fix(
              `get the node plugin of ${driver} to run on ${name} again: the kubelet then unmounts by itself`,
              nodeLogsFix(p, driver).command,
            )
          : nodeLogsFix(p, driver),
        ...restartPluginFix(p, driver),
        fix('read the log of the kubelet on the node for UnmountVolume or TearDown errors (journalctl -u kubelet)'),
        fix(
          'data-loss: only when the volume is verifiably unmounted on the node, remove the pod by force: what is still mounted may be written to from two nodes',
          `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)} --force --grace-period=0`,
          'data-loss',
        ),
      ],
    };
  },
});
