import { findController, knownLogs } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { dropAttacherFinalizer, saveAttachment } from './attachment-commands.ts';
import { saysTimeout } from '../lib/driver-error/senses/time.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { instanceGoneText, machineGoneTexts, notThereToDetachTexts } from '../lib/driver-error/senses/missing.ts';
import { grantFix } from '../lib/grant.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import { quoteOf } from './attach-rpc.ts';
import { probeFix } from './attacher-fixes.ts';
import {
  detachErrorOf,
  detachEvidence,
  detachRules,
  isLeaving,
  isNodeReady,
  nodeOf,
  releaseFixes,
  retainCommands,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { handleText } from './holding-node.ts';
import { volumeObjectOf } from './attach-trouble.ts';

const retryText = 'The attacher retries automatically, at most 5 minutes apart.';

/** external-attacher saveDetachError: the call is repeated without end, and no event is written. */
export const detachRpcError = detachRules('detach-rpc-error', 'blocking', (detach) => {
  const error = detachErrorOf(detach);
  if (!isLeaving(detach) || !error) return undefined;
  const isGone = isMachineGone(detach, error);
  const waiting = waitingPod(detach);
  return {
    summary:
      `${detach.lead}. ${sentence(`${speakerText(detach, error)} could not detach it: ${quoteOf(error)}`)}` +
      `${goneText(detach, isGone)}${waiting ? ` pod/${waiting.metadata.name} on ${waiting.spec?.nodeName ?? ''} waits for that.` : ''}`,
    evidence: [
      error.evidence,
      ...detachEvidence(detach),
      ...(nodeOf(detach).state === 'missing' ? [absent('Node', detach.node)] : []),
      ...(waiting ? [field(waiting, 'spec.nodeName')] : []),
    ],
    fix: isGone && !isAlive(detach) ? goneFixes(detach) : [...fixesFor(detach, error), ...releaseFixes(detach)],
  };
});

function speakerText({ driver }: DetachCase, { speaker }: AttachError): string {
  if (speaker === 'apiServer') return 'The attacher';
  return driver ?? 'The driver';
}

function isMachineGone(detach: DetachCase, { words }: AttachError): boolean {
  return instanceGoneText.test(words) || (machineGoneTexts.test(words) && !isAlive(detach));
}

/** A kubelet that reports disproves that its machine is gone: the driver asks for the wrong name, or in the wrong place. */
function isAlive(detach: DetachCase): boolean {
  const node = nodeOf(detach);
  return node.state === 'found' && isNodeReady(node.object);
}

/** Repeating the call never succeeds: the driver should take a machine that is gone for a detach that is done. */
function goneText(detach: DetachCase, isGone: boolean): string {
  const isNodeGone = nodeOf(detach).state === 'missing';
  if (!isGone) return isNodeGone ? ` Node ${detach.node} does not exist any more.` : '';
  return isNodeGone
    ? ` Node ${detach.node} does not exist any more either, so the driver should report success.`
    : ' A volume cannot be attached to a machine that does not exist, so the driver should report success.';
}

/** A pod on another node that needs the volume and has not got it. */
function waitingPod(detach: DetachCase): Pod | undefined {
  if (detach.seenFrom !== 'attachment') return undefined;
  const claim = volumeObjectOf(detach)?.spec?.claimRef;
  const { namespace, name } = claim ?? {};
  if (!namespace || !name) return undefined;
  return detach.ask
    .podsUsing({ namespace, name })
    .items.find(
      (pod) =>
        pod.spec?.nodeName !== undefined &&
        pod.spec.nodeName !== detach.node &&
        !isTerminated(pod) &&
        !hasMountedVolumes(pod),
    );
}

/** The check in the cloud comes first; the attachment goes only after it. */
function goneFixes(detach: DetachCase): Fix[] {
  const { driver, ask, node, attachment } = detach;
  const check = checkInCloud(detach);
  const drop = dropAttacherFinalizer(attachment);
  const logs = driver === undefined ? [] : knownLogs(findController(ask, driver, 'attacher'), 'driver');
  if (drop === undefined) return [check, ...logs];
  const retain = retainCommands(detach);
  return [
    steps(
      `${check.text} If it is attached to none and the machine of ${node} is gone, remove exactly the finalizer of the ` +
        'attacher: the attachment then disappears, and the volume can be attached elsewhere within about 5 minutes. ' +
        'If the machine still runs, two writers destroy the file system.',
      [...commandsOf(check), ...retain, saveAttachment(attachment), drop],
      'data-loss',
    ),
    steps(
      `Upgrade ${driver ?? 'the driver'} to a release that answers with success when the machine of a volume is gone, as the CSI ` +
        'specification asks: otherwise the next node that is deleted leaves the same behind.',
      [],
    ),
    ...logs,
  ];
}

function commandsOf({ command, commands }: Fix): readonly string[] {
  return commands ?? (command === undefined ? [] : [command]);
}

/** The driver should answer with success; until it does, only a person can end the attachment. */
function checkInCloud(detach: DetachCase): Fix {
  const volume = volumeObjectOf(detach);
  const handle = volume?.spec?.csi?.volumeHandle;
  const isEbs = detach.driver === 'ebs.csi.aws.com';
  return steps(
    `Ask ${ownerOfStorage(detach.driver) ?? 'the owner of the cloud account'} to check that ` +
      `${handleText(volume) ?? 'the volume'} is attached to no machine: the one of ${detach.node} no longer ` +
      'exists there, so the detach cannot ' +
      `succeed.${isEbs && handle === undefined ? ' PLACEHOLDER_VOLUME is the id of the volume.' : ''}`,
    isEbs
      ? [
          `aws ec2 describe-volumes --volume-ids ${handle ?? 'PLACEHOLDER_VOLUME'} --query 'Volumes[].[State,Attachments]'`,
        ]
      : [],
  );
}

function fixesFor(detach: DetachCase, error: AttachError): Fix[] {
  const { driver, ask, node } = detach;
  if (accountForbiddenText.test(error.raw)) return [grantFix(error.raw, driver, retryText)];
  if (saysTimeout(error) && driver !== undefined) return [probeFix(ask, driver)];
  const name = handleText(volumeObjectOf(detach)) ?? 'the volume';
  if (isMachineGone(detach, error)) return [checkInCloud(detach)];
  const logs = driver === undefined ? [] : knownLogs(findController(ask, driver, 'attacher'), 'driver');
  if (error.code === 'NotFound' || notThereToDetachTexts.test(error.words))
    return [
      steps(
        `Ask your storage team whether ${name} is really off ${node}. If so, upgrade ` +
          `${driver ?? 'the driver'}: the CSI specification wants success for a volume that is not attached. ` +
          `${retryText}`,
        [],
      ),
      ...logs,
    ];
  const advice = senseOf(error.raw)?.advice;
  return [
    advice === undefined
      ? steps(
          `Ask your storage team, with the quoted words, why ${name} cannot be detached from ${node}, and ` +
            `correct what they name. ${retryText}`,
          [],
        )
      : steps(
          `${advice.replace(/ The (?:claim is then provisioned|call is repeated) automatically\.$/, '')} ${retryText}`,
          [],
        ),
    ...logs,
  ];
}
