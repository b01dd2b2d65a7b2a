import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';
import { allFailuresOf, failureOf, lastsSeconds } from './mount-failure.ts';
import type { FailureKind } from '../lib/driver-error/kubelet-complaint.ts';
import type { MountFailure } from './mount-failure.ts';
import { grpcCodeOf } from '../lib/driver-error/grpc-codes.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix, toldVolume, volumeWords } from './told-volume.ts';

/** Nothing of it is kept in any object: only the kubelet's event tells what the driver on the node answered. */
function answerRule(cause: string, kind: FailureKind, verb: string): PodRule {
  return podRule({
    cause,
    stage: 'mount',
    severity: 'blocking',
    explain: (p) => explainAnswer(p, failureOf(p, kind), verb),
  });
}

/** NodeStageVolume: the device is formatted and mounted once for the node (operation_generator.go MountVolume.MountDevice). */
export const mountStageRpc = answerRule('mount-stage-rpc', 'stage', 'prepare');
/** NodePublishVolume: it is mounted into the pod (MountVolume.SetUp). */
export const mountPublishRpc = answerRule('mount-publish-rpc', 'publish', 'mount');
/** The same for raw devices (MapVolume.SetUpDevice, MapPodDevice). */
export const mountBlockMap = answerRule('mount-block-map', 'block', 'hand over the device of');

function explainAnswer(p: PodCase, failure: MountFailure | undefined, verb: string): Explanation | undefined {
  if (!failure) return undefined;
  const use = toldVolume(p, failure);
  const driver = use?.driver ?? driverInPath(failure.text);
  const node = nodeOf(p);
  const sense = mountSenseOf(failure.text);
  const isDown = sense?.id === 'driverDown';
  const code = grpcCodeOf(failure.text);
  const words = ownWords(failure.text);
  const name = driver === undefined ? 'the driver' : `driver ${driver}`;
  const what = volumeWords(use, failure);
  const meaning = sense
    ? `${sense.meaning}${isDown ? '' : ` (${words})`}`
    : `it answers ${code === undefined ? '' : `${code}: `}${words}`;
  return {
    confidence: 'likely',
    ...(sense?.isOfNode && { about: `${driver ?? ''}@${node}/${sense.id}` }),
    summary: isDown
      ? `${name} on ${node} is down, so ${what} of ${podWords(p)} cannot be mounted: ${sense.meaning}`
      : `${name} cannot ${verb} ${what} on ${node} for ${podWords(p)}: ${meaning}`,
    evidence: [eventSaid(p.pod, failure.event), ...handleEvidence(p, failure)],
    fix: [
      ...(sense ? [fix(sense.advice)] : []),
      nodeLogsFix(p, driver),
      ...(isDown ? restartPluginFix(p, driver) : []),
    ],
  };
}

function handleEvidence(p: PodCase, failure: MountFailure): readonly Explanation['evidence'][number][] {
  const volume = toldVolume(p, failure)?.volumeObject;
  if (!volume?.spec?.csi) return [];
  return [
    field(volume, 'spec.csi.volumeHandle'),
    ...(volume.spec.csi.fsType ? [field(volume, 'spec.csi.fsType')] : []),
  ];
}

/** Who may not read volumes still learns the driver from the path of its socket. */
function driverInPath(text: string): string | undefined {
  return /\/plugins\/(?:kubernetes\.io\/csi\/)?([^/\s"']+)\/\S*sock/.exec(text)?.[1];
}

/** The kubelet waits two minutes for a driver (kcsi csiTimeout), and then calls again. */
export const mountRpcTimeout = podRule({
  cause: 'mount-rpc-timeout',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'timeout');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    const isSlowOwner = p.pod.spec?.securityContext?.fsGroup !== undefined;
    return {
      confidence: 'likely',
      about: `${driver ?? ''}@${nodeOf(p)}`,
      summary: `${driver === undefined ? 'the driver' : `driver ${driver}`} on ${nodeOf(p)} did not answer within two minutes when asked to mount ${volumeWords(use, failure)} for ${podWords(p)}: a hung storage system, a long file system check, or a very large volume`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...handleEvidence(p, failure),
        ...(isSlowOwner ? [field(p.pod, 'spec.securityContext.fsGroup')] : []),
      ],
      fix: [
        fix('check that the node reaches the storage, and that the storage answers'),
        nodeLogsFix(p, driver),
        ...restartPluginFix(p, driver),
      ],
    };
  },
});

/** "An operation is already in progress" is a driver's way to say that an earlier call has not come back. */
const longPendingSeconds = 600;

export const mountRpcPending = podRule({
  cause: 'mount-rpc-pending',
  stage: 'mount',
  severity: 'info',
  explain(p) {
    const failure = failureOf(p, 'pending');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    const isHung = lastsSeconds(p, failure) > longPendingSeconds;
    const first = allFailuresOf(p).find(
      ({ volume, kind }) => volume === failure.volume && kind !== 'pending' && kind !== 'general',
    );
    const name = driver === undefined ? 'the driver' : `driver ${driver}`;
    return {
      confidence: 'likely',
      ...(isHung && { severity: 'blocking' as const }),
      summary: `${name} on ${nodeOf(p)} is still busy with an earlier call for ${volumeWords(use, failure)} of ${podWords(p)}${isHung ? ', for more than ten minutes: that call hangs' : ''}${first ? `; before that it answered ${ownWords(first.text)}` : ''}`,
      evidence: [eventSaid(p.pod, failure.event), ...(first ? [eventSaid(p.pod, first.event)] : [])],
      fix: isHung ? [nodeLogsFix(p, driver), ...restartPluginFix(p, driver)] : [nodeLogsFix(p, driver)],
    };
  },
});
