import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerStatusesOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { parseTime } from '../../kube/time.ts';
import { failureOf, mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

const onRootMismatch = 'OnRootMismatch';
const freshMs = 15 * 60_000;
const silentSeconds = 600;

/** The kubelet gives every file of a volume to the group, one by one, before the pod may start (pkg/volume/volume_linux.go). */
export const mountFsgroupSlow = podRule({
  cause: 'mount-fsgroup-slow',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    if (hasMountedVolumes(p.pod) || !p.isScheduled) return undefined;
    const said = newestMatch(
      p.events.items,
      'VolumePermissionChangeInProgress',
      /Setting volume ownership for (\S+?),? (?:is taking longer|processed (\d+) files)/,
    );
    if (!said) return explainSilence(p);
    const processed = said.match[2];
    const isAlive = p.now - lastSeen(said.event) < freshMs;
    return {
      confidence: 'likely',
      severity: isAlive ? 'info' : 'blocking',
      summary: `the kubelet is still changing the owner of every file on a volume of ${podWords(p)} to its fsGroup${processed === undefined ? '' : `, ${processed} files so far`}: the pod starts when it is through`,
      evidence: [eventSaid(p.pod, said.event), ...groupEvidence(p)],
      fix: slowFixes(p),
    };
  },
});

/** Before 1.33 the kubelet says so in its log alone, and every two minutes that it takes long; then only the lack of any other reason points to it. */
function explainSilence(p: PodCase): Explanation | undefined {
  const context = p.pod.spec?.securityContext;
  const complaints = mountFailuresOf(p);
  if (
    context?.fsGroup === undefined ||
    context.fsGroupChangePolicy === onRootMismatch ||
    !p.events.complete ||
    !complaints.every(saysOnlyThatItTakesLong)
  )
    return undefined;
  const scheduled = parseTime(p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp);
  if (scheduled === undefined || (p.now - scheduled) / 1000 < silentSeconds) return undefined;
  const owned = volumeUsesOf(p).filter(
    (use) =>
      use.volumeObject &&
      isOwned(p, use) === true &&
      (use.needsAttach === false ||
        (use.attachment?.state === 'found' && use.attachment.object.status?.attached === true)),
  );
  // One that the kubelet does not give to the group takes long for another reason.
  const unmounted = complaints.flatMap(unmountedBy);
  if (unmounted.some((name) => !owned.some((use) => use.name === name))) return undefined;
  const first = owned.find(({ name }) => unmounted.length === 0 || unmounted.includes(name));
  if (!first) return undefined;
  const node = p.ask.get('Node', undefined, nodeOf(p), `which version the kubelet on ${nodeOf(p)} has`);
  const version = node.state === 'found' ? parseServerVersion(node.object.status?.nodeInfo?.kubeletVersion) : undefined;
  if (atLeast(version, 1, 33) !== false) return undefined;
  const [evidence, ...rest] = groupEvidence(p);
  if (!evidence) return undefined;
  return {
    confidence: 'possible',
    severity: 'blocking',
    summary: `${podWords(p)} waits for ${volumeWords(first)}, which is attached, and ${complaints.length > 0 ? 'the kubelet only says that it takes too long' : 'nobody complains'}: the kubelet may still be changing the owner of every file to fsGroup ${context.fsGroup}, which takes long on a large volume`,
    evidence: [
      evidence,
      ...rest,
      ...complaints.slice(0, 1).map(({ event }) => eventSaid(p.pod, event)),
      ...(first.volumeObject ? [field(first.volumeObject, 'spec.capacity.storage')] : []),
    ],
    fix: slowFixes(p),
  };
}

/** The kubelet's word about the pod as a whole (pkg/kubelet/volumemanager WaitForAttachAndMount): a symptom of anything, and so a reason for nothing. */
function saysOnlyThatItTakesLong({ kind, operation, volume, text }: MountFailure): boolean {
  return (
    kind === 'general' &&
    operation === undefined &&
    volume === undefined &&
    /timed out waiting for the condition|timeout expired|context deadline exceeded/.test(text)
  );
}

/** The volumes that it says are not mounted yet, by their names in the pod. */
function unmountedBy({ event }: MountFailure): string[] {
  return (/unmounted volumes=\[([^\]]*)\]/.exec(messageOf(event))?.[1] ?? '').split(/[\s,]+/).filter(Boolean);
}

function groupEvidence(p: PodCase): Explanation['evidence'][number][] {
  return [field(p.pod, 'spec.securityContext.fsGroup'), field(p.pod, 'spec.securityContext.fsGroupChangePolicy')];
}

function slowFixes(p: PodCase): Explanation['fix'] {
  return [
    fix(
      `wait; and set fsGroupChangePolicy: ${onRootMismatch} in the pod's template, so that the next start only looks at the top directory`,
      `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.spec.securityContext}'`,
    ),
    fix('or drop fsGroup, where the files already have the right owner', undefined, 'disruptive'),
  ];
}

/** A server that does not let root change owners (NFS root_squash, SMB), or a read-only volume. */
export const mountFsgroupFailed = podRule({
  cause: 'mount-fsgroup-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'fsGroup');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    const object =
      driver === undefined
        ? undefined
        : p.ask.get('CSIDriver', undefined, driver, `whether ${driver} leaves the owner of files alone`);
    const why = /read-only file system/i.test(failure.text)
      ? 'it is read-only'
      : /not permitted|permission denied/i.test(failure.text)
        ? 'the storage does not let the node change owners'
        : 'that fails';
    return {
      confidence: 'likely',
      ...(driver !== undefined && { about: driver }),
      summary:
        `the kubelet cannot give ${volumeWords(use, failure)} of ${podWords(p)} to fsGroup ${p.pod.spec?.securityContext?.fsGroup ?? ''}: ${why}`.replace(
          'fsGroup :',
          'its fsGroup:',
        ),
      evidence: [
        eventSaid(p.pod, failure.event),
        field(p.pod, 'spec.securityContext.fsGroup'),
        ...(object?.state === 'found'
          ? [field(object.object, 'spec.fsGroupPolicy', object.object.spec?.fsGroupPolicy ?? 'not set')]
          : []),
      ],
      fix: [
        fix(
          "take fsGroup out of the pod's template, and let the storage give the files to the right user",
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.spec.securityContext}'`,
        ),
        ...(driver === undefined
          ? []
          : [
              fix(
                'or, if no volume of the driver can be given to a group, let the kubelet leave them all alone',
                `kubectl patch csidriver ${shellWord(driver)} -p '{"spec":{"fsGroupPolicy":"None"}}'`,
                'disruptive',
              ),
            ]),
      ],
    };
  },
});

/** Whether the kubelet applies fsGroup to the volume (kcsi csi_mounter.go supportsFSGroup); undefined when nobody can tell. */
function isOwned(p: PodCase, use: VolumeUse): boolean | undefined {
  const csi = use.volumeObject?.spec?.csi;
  if (!csi?.driver)
    return use.volumeObject === undefined
      ? undefined
      : !(use.volumeObject.spec?.nfs || use.volumeObject.spec?.hostPath);
  const object = p.ask.get(
    'CSIDriver',
    undefined,
    csi.driver,
    `whether the kubelet applies fsGroup to volumes of ${csi.driver}`,
  );
  if (object.state === 'unknown') return undefined;
  const policy = object.state === 'found' ? object.object.spec?.fsGroupPolicy : undefined;
  if (policy === 'None' || policy === 'File') return policy === 'File';
  const modes = use.volumeObject?.spec?.accessModes ?? [];
  return Boolean(csi.fsType) && modes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}

/** Told only where a container fails: most programs never notice. */
export const mountFsgroupSkipped = podRule({
  cause: 'mount-fsgroup-skipped',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const { pod } = p;
    const group = pod.spec?.securityContext?.fsGroup;
    if (group === undefined || !hasMountedVolumes(pod) || pod.metadata.deletionTimestamp !== undefined)
      return undefined;
    const failing = containerStatusesOf(pod).find(
      ({ state, lastState, ready }) =>
        ready !== true &&
        (state?.waiting?.reason === 'CrashLoopBackOff' ||
          (state?.terminated?.exitCode ?? lastState?.terminated?.exitCode ?? 0) !== 0),
    );
    if (!failing) return undefined;
    const skipped = volumeUsesOf(p).find(
      (use) =>
        use.volumeObject?.spec?.volumeMode !== 'Block' &&
        use.volumeObject?.spec?.csi !== undefined &&
        isOwned(p, use) === false,
    );
    const volume = skipped?.volumeObject;
    const driver = skipped?.driver;
    if (!volume || driver === undefined) return undefined;
    const object = p.ask.get('CSIDriver', undefined, driver);
    const policy = object.state === 'found' ? (object.object.spec?.fsGroupPolicy ?? 'not set') : 'not set';
    const why =
      policy === 'None'
        ? `fsGroupPolicy of ${driver} is None`
        : volume.spec?.csi?.fsType
          ? 'its access modes do not hold ReadWriteOnce'
          : 'it has no fsType';
    return {
      about: driver,
      summary: `fsGroup ${group} of ${podWords(p)} is not applied to ${volumeWords(skipped)}, because ${why}: container ${failing.name ?? ''} may lack the right to write there`,
      evidence: [
        field(pod, 'spec.securityContext.fsGroup'),
        ...(object.state === 'found' ? [field(object.object, 'spec.fsGroupPolicy', policy)] : []),
        field(volume, 'spec.csi.fsType'),
        field(volume, 'spec.accessModes'),
      ],
      fix: [
        fix(
          'run the container as a user that owns the files, or give them the right owner in the storage',
          `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(failing.name ?? '')} --previous --tail=20`,
        ),
        ...(policy === 'None'
          ? []
          : [
              fix(
                'or let the kubelet apply fsGroup to every volume of the driver, if its volumes can take it',
                `kubectl patch csidriver ${shellWord(driver)} -p '{"spec":{"fsGroupPolicy":"File"}}'`,
                'disruptive',
              ),
            ]),
      ],
    };
  },
});
