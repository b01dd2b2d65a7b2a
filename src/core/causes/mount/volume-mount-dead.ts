import { compareText } from '../../graph/cluster-graph.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import { brokenTexts } from '../../kube/volume-words.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { fuseProcessGoneText } from '../lib/driver-error/senses/file-system.ts';
import { deadMountText } from '../lib/driver-error/senses/node-programs.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { pluginOn } from './plugin-fixes.ts';
import { knownNode, nodeOf, podWords, sentenceStart, volumeWords } from './told-volume.ts';

/**
 * A volume was mounted before the container started, and the mount no longer works: its FUSE process has ended, its
 * server forgot the directory, or its disk fails. The kubelet does not mount again what is mounted.
 */
export const volumeMountDead = podRule({
  cause: 'volume-mount-dead',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod, p.now);
    if (trouble?.volume !== 'unclear' || !brokenTexts.test(trouble.message)) return undefined;
    const use = volumeUsesOf(p).find(
      ({ name, volumeName }) => name === trouble.volumeName || trouble.message.includes(`/${volumeName}/`),
    );
    if (!use) return undefined;
    return deadMountText.test(trouble.message) ? explainDead(p, use, trouble) : explainFailing(p, use, trouble);
  },
});

/** A container that served the mount on the node and has ended since the stuck pod was created. */
interface Server {
  readonly pod: Pod;
  readonly status: ContainerStatus;
  readonly endedAt: number;
}

function explainDead(p: PodCase, use: VolumeUse, trouble: ContainerTrouble): Explanation {
  const server = fuseProcessGoneText.test(trouble.message) ? findServer(p, use) : undefined;
  const sister = server && findSister(p, server);
  const end = server?.status.lastState?.terminated;
  return {
    confidence: 'likely',
    summary:
      `The mount of ${volumeWords(use)} in ${podWords(p)} is dead: container ${trouble.container} ${trouble.messagePath.includes('state.waiting') ? 'does not start:' : 'ended with'} ` +
      `${quoted(trouble.message)}. ${whyWords(p, trouble, server)}` +
      'A pod keeps the mount with which it was started.',
    evidence: [
      field(p.pod, trouble.messagePath, trouble.message),
      ...(server && end
        ? [
            field(
              server.pod,
              `status.containerStatuses[${server.status.name ?? ''}].lastState.terminated`,
              [end.reason, end.exitCode === undefined ? undefined : `exit code ${end.exitCode}`]
                .filter(Boolean)
                .join(', '),
              end.finishedAt,
            ),
          ]
        : []),
      field(p.pod, 'metadata.creationTimestamp', p.pod.metadata.creationTimestamp),
      ...(sister ? [field(sister, 'metadata.creationTimestamp', sister.metadata.creationTimestamp)] : []),
    ],
    fix: [recreateFix(p, use, sister), ...(server ? memoryFixes(server) : []), propagationFix(trouble)].filter(
      (fix) => fix !== undefined,
    ),
  };
}

function whyWords(p: PodCase, trouble: ContainerTrouble, server: Server | undefined): string {
  if (!fuseProcessGoneText.test(trouble.message)) return 'The server no longer has the directory that is mounted. ';
  if (!server) return 'The FUSE process behind it has ended. ';
  const end = server.status.lastState?.terminated;
  const how = end?.reason === 'OOMKilled' ? `was out of memory${limitWords(server)}` : 'ended';
  return (
    `${sentenceStart(`container ${server.status.name ?? ''}`)} of pod/${server.pod.metadata.name} in namespace ` +
    `${server.pod.metadata.namespace ?? ''}, which serves it on ${nodeOf(p)}, ${how} ` +
    `${ageText(server.endedAt, p.now)} ago and was restarted. `
  );
}

function limitOf({ pod, status }: Server): string | undefined {
  return pod.spec?.containers?.find(({ name }) => name === status.name)?.resources?.limits?.['memory'];
}

function limitWords(server: Server): string {
  const limit = limitOf(server);
  return limit === undefined ? '' : ` (limit ${limit})`;
}

/** Drivers name their mount pods after the volume; others mount in the pod of the node plugin. */
function findServer(p: PodCase, use: VolumeUse): Server | undefined {
  const node = nodeOf(p);
  const names = [use.volumeName, use.handle ?? ''].filter((name) => name !== '');
  const plugin = pluginOn(p.ask, use.driver, node);
  const isServer = (pod: Pod): boolean =>
    pod.metadata.uid !== p.pod.metadata.uid &&
    pod.spec?.nodeName === node &&
    (pod.metadata.uid === plugin?.metadata.uid || names.some((name) => pod.metadata.name.includes(name)));
  const since = parseTime(p.pod.metadata.creationTimestamp) ?? 0;
  const ended = [...p.ask.seen('Pod').filter(isServer), ...(plugin ? [plugin] : [])].flatMap((pod): Server[] =>
    containerStatusesOf(pod).flatMap((status) => {
      const endedAt = parseTime(status.lastState?.terminated?.finishedAt);
      return endedAt !== undefined && endedAt > since ? [{ pod, status, endedAt }] : [];
    }),
  );
  return ended.sort((a, b) => b.endedAt - a.endedAt || compareText(a.pod.metadata.name, b.pod.metadata.name))[0];
}

/** A pod of the same owner on the node that was started after the mount was served again, and works. */
function findSister(p: PodCase, { endedAt }: Server): Pod | undefined {
  const owner = ownerOf(p.pod);
  return (
    owner &&
    p.ask
      .seen('Pod')
      .filter(
        (pod) =>
          pod.metadata.uid !== p.pod.metadata.uid &&
          pod.metadata.namespace === p.pod.metadata.namespace &&
          ownerOf(pod)?.name === owner.name &&
          pod.spec?.nodeName === nodeOf(p) &&
          (parseTime(pod.metadata.creationTimestamp) ?? 0) > endedAt &&
          isReady(pod),
      )
      .sort((a, b) => compareText(a.metadata.name, b.metadata.name))[0]
  );
}

function recreateFix(p: PodCase, use: VolumeUse, sister: Pod | undefined): Fix {
  const proof = sister ? ` pod/${sister.metadata.name}, which is newer, works.` : '';
  return steps(
    `Recreate the pod: ${volumeWords(use)} is then mounted anew for it.${proof} ` +
      'Do not restart what serves the mount: that breaks the mounts of other pods.',
    restartPodCommands(p.pod),
    'disruptive',
  );
}

function memoryFixes(server: Server): Fix[] {
  if (server.status.lastState?.terminated?.reason !== 'OOMKilled') return [];
  const limit = limitOf(server);
  return [
    steps(
      `Raise the memory limit of what serves the mount${limit === undefined ? '' : ` (${limit} now)`} where the driver ` +
        'takes it from: its values, or the parameters of the class for a mount pod. It applies to the next mount.',
      [],
    ),
  ];
}

function propagationFix({ volumeName }: ContainerTrouble): Fix | undefined {
  return volumeName === undefined
    ? undefined
    : steps(
        'For the next time: if the driver restores its mounts, set mountPropagation: HostToContainer on the ' +
          `volumeMount of "${volumeName}", so that running containers see the restored mount.`,
        [],
      );
}

/** The words are about the disk or the file system below. */
function explainFailing(p: PodCase, use: VolumeUse, trouble: ContainerTrouble): Explanation {
  const node = nodeOf(p);
  const look: Evidence[] = use.volumeObject?.spec?.csi ? [field(use.volumeObject, 'spec.csi.volumeHandle')] : [];
  return {
    confidence: 'likely',
    summary:
      `${sentenceStart(volumeWords(use))} fails under ${podWords(p)}: container ${trouble.container} ended with ` +
      `${quoted(trouble.message)}. It is mounted, and its disk or its file system returns errors on ${node}.`,
    evidence: [field(p.pod, trouble.messagePath, trouble.message), ...look],
    fix: [
      steps(
        `Repair what the kernel log of ${node} names (the first line reads it): a lost path to the storage or a failing ` +
          'disk is for the storage team; where it reports damage, take a snapshot or a copy before any repair. ' +
          'Then recreate the pod, so that the volume is mounted anew.',
        [
          ...(isWindows(knownNode(p)) ? [] : [onNode(node, 'sh -c "dmesg | tail -n 30"')]),
          ...restartPodCommands(p.pod),
        ],
        'disruptive',
      ),
    ],
  };
}
