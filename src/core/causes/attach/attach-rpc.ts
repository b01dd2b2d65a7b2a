import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import { senseOf } from '../provision/rpc/error-senses.ts';
import { isAboutNode } from './attach-csinode.ts';
import { shortWords } from './attach-error.ts';
import type { AttachError } from './attach-error.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleEvidence, holdingNodeOf } from './holding-node.ts';
import {
  beingDeletedText,
  credentialTexts,
  elsewhereTexts,
  limitTexts,
  saysAttachedElsewhere,
  saysCredentials,
  saysLimit,
  saysNoAnswer,
  saysTimeout,
  volumeMissingText,
} from './error-texts.ts';

/** Until then a call that takes long is only that. */
const patienceSeconds = 135;

/** The words of the driver, not those of Kubernetes about its own objects. */
function answerOf(trouble: AttachTrouble): AttachError | undefined {
  const { error } = trouble;
  if (
    !error ||
    isAboutNode(trouble) ||
    saysNoAnswer(error) ||
    [beingDeletedText, volumeMissingText].some((text) => text.test(error.raw))
  )
    return undefined;
  return error;
}

function registrationOf({
  ask,
  node,
  driver,
}: AttachTrouble):
  | {
      readonly csiNode: CsiNode;
      readonly entry: NonNullable<NonNullable<CsiNode['spec']>['drivers']>[number] | undefined;
    }
  | undefined {
  const csiNode = ask.get('CSINode', undefined, node, `how ${driver ?? 'the driver'} is registered on ${node}`);
  return csiNode.state === 'found'
    ? { csiNode: csiNode.object, entry: csiNode.object.spec?.drivers?.find(({ name }) => name === driver) }
    : undefined;
}

function driverLogs({ ask, driver }: AttachTrouble): Fix[] {
  return driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'), 'driver')];
}

/** ControllerPublishVolume NOT_FOUND: the volume or the node is unknown to the storage. */
export const attachRpcNotFound = attachRules('attach-rpc-not-found', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (error?.code !== 'NotFound') return undefined;
  const { volume, node, driver, lead, attachment } = trouble;
  const registration = registrationOf(trouble);
  const nodeId = registration?.entry?.nodeID;
  const used =
    attachment.state === 'found'
      ? attachment.object.metadata.annotations?.['csi.alpha.kubernetes.io/node-id']
      : undefined;
  const handle = volume?.state === 'found' ? handleOf(volume.object) : undefined;
  const blames = blamedBy(error.words, handle, nodeId ?? used ?? node);
  const evidence: [Evidence, ...Evidence[]] = [
    error.evidence,
    ...handleEvidence(trouble),
    ...(registration && nodeId !== undefined
      ? [field(registration.csiNode, `spec.drivers[${driver ?? ''}].nodeID`, nodeId)]
      : []),
  ];
  const remake = fix(
    'if the volume was deleted in the storage, restore its data into a new claim: this one cannot come back',
    undefined,
  );
  const restart = fix(
    `if the storage does not know the node by ${nodeId ?? 'its id'}, restart the node plugin of ${driver ?? 'the driver'} on ${node}, so that it registers again`,
    `kubectl get csinode ${shellWord(node)} -o yaml`,
  );
  return {
    confidence: confidenceOf(trouble),
    ...(blames === 'node' && { about: `${driver ?? ''} on ${node}` }),
    summary: `${lead}: the storage does not know ${blames === 'node' ? `node ${node}${nodeId ? ` (${nodeId})` : ''}` : blames === 'volume' ? `the volume${handle ? ` (${handle})` : ''}` : 'the volume or the node'}: ${shortWords(error)}`,
    evidence,
    fix: [...(blames === 'node' ? [restart, remake] : [remake, restart]), ...driverLogs(trouble)],
  };
});

function blamedBy(words: string, handle: string | undefined, nodeId: string): 'volume' | 'node' | undefined {
  const text = words.toLowerCase();
  const saysVolume =
    (handle !== undefined && text.includes(handle.toLowerCase())) || /\b(?:volume|disk|lun|image)\b/.test(text);
  const saysNode =
    text.includes(nodeId.toLowerCase()) || /\b(?:node|instance|vm|server|host|droplet|machine)\b/.test(text);
  if (saysVolume === saysNode) {
    const subject =
      /^(?:the |could not find |unable to find |failed to (?:find|get) )*(volume|disk|node|instance|vm|server|host)\b/.exec(
        text,
      )?.[1];
    return subject === undefined ? undefined : subject === 'volume' || subject === 'disk' ? 'volume' : 'node';
  }
  return saysVolume ? 'volume' : 'node';
}

/** ControllerPublishVolume RESOURCE_EXHAUSTED: the node is full, whatever its CSINode promises. */
export const attachRpcLimit = attachRules('attach-rpc-limit', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysLimit(error)) return undefined;
  const { node, driver, lead, ask } = trouble;
  const registration = registrationOf(trouble);
  const limit = registration?.entry?.allocatable?.count;
  const held = ask
    .seen('VolumeAttachment')
    .filter(
      ({ spec, status }) => spec?.nodeName === node && spec.attacher === driver && status?.attached === true,
    ).length;
  return {
    confidence: confidenceOf(trouble),
    about: `${driver ?? ''} on ${node}`,
    summary: `${lead}: ${node} takes no more volumes (${shortWords(error, limitTexts)}), ${limit === undefined ? `and ${driver ?? 'the driver'} tells the scheduler of no limit` : `though ${driver ?? 'the driver'} tells the scheduler that it takes ${limit}`}`,
    evidence: [
      error.evidence,
      ...(registration
        ? [
            field(
              registration.csiNode,
              `spec.drivers[${driver ?? ''}].allocatable.count`,
              limit === undefined ? 'not set' : `${limit}${held > 0 ? `; ${held} attached` : ''}`,
            ),
          ]
        : []),
    ],
    fix: [
      fix(
        `move a pod with volumes away from ${node}, or make this pod again so that it is placed elsewhere`,
        `kubectl get volumeattachments -o custom-columns='NODE:.spec.nodeName,DRIVER:.spec.attacher,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached' --sort-by=.spec.nodeName`,
      ),
      fix(
        `set the attach limit of ${driver ?? 'the driver'} to what the machine really takes (network cards and foreign disks use slots too); from 1.35 on spec.nodeAllocatableUpdatePeriodSeconds of the CSIDriver keeps it true`,
        `kubectl get csinode ${shellWord(node)} -o yaml`,
      ),
    ],
  };
});

/** ControllerPublishVolume FAILED_PRECONDITION: the storage has it on a machine of which Kubernetes has no attachment. */
export const attachRpcAttachedElsewhere = attachRules('attach-rpc-attached-elsewhere', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysAttachedElsewhere(error) || saysCredentials(error)) return undefined;
  const { lead, driver } = trouble;
  const holding = holdingNodeOf(trouble, error);
  const where =
    holding?.words ??
    `elsewhere${driver === undefined ? '' : ', on a machine for which Kubernetes holds no attachment'}`;
  return {
    confidence: confidenceOf(trouble),
    summary: `${lead}: the storage has it in use ${where}: ${shortWords(error, elsewhereTexts)}`,
    evidence: [error.evidence, ...handleEvidence(trouble), ...(holding?.evidence ?? [])],
    fix: [
      ...(holding?.fix ?? [
        fix(
          'find out who uses it: a machine that left the cluster, another cluster, or someone who attached it by hand',
          undefined,
        ),
        fix(
          'data-loss: detach it in the storage, once nothing there has it mounted; two writers destroy a file system',
          undefined,
          'data-loss',
        ),
      ]),
      ...driverLogs(trouble),
    ],
  };
});

/** The storage refuses the driver's own rights; the secret of the volume, if any, is read without trouble. */
export const attachRpcCredentials = attachRules('attach-rpc-credentials', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysCredentials(error) || /is forbidden: User/.test(error.raw)) return undefined;
  const { lead, driver, volume } = trouble;
  const reference = volume?.state === 'found' ? volume.object.spec?.csi?.controllerPublishSecretRef : undefined;
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}: the storage refuses the credentials or the rights of ${driver ?? 'the driver'}: ${shortWords(error, credentialTexts)}`,
    evidence: [
      error.evidence,
      ...(volume?.state === 'found' && reference?.name
        ? [
            field(
              volume.object,
              'spec.csi.controllerPublishSecretRef',
              `${reference.namespace ?? ''}/${reference.name}`,
            ),
          ]
        : []),
    ],
    fix: [
      fix(
        `give the identity of the driver's controller the right to attach volumes (cloud role, or the secret with the login)`,
        undefined,
      ),
      ...driverLogs(trouble),
    ],
  };
});

/** external-attacher csiAttach gives a call 15 seconds (`--timeout`) and tries again. */
export const attachRpcTimeout = attachRules('attach-rpc-timeout', 'info', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysTimeout(error)) return undefined;
  const { lead, driver, waitedSeconds } = trouble;
  const isLong = waitedSeconds > patienceSeconds;
  return {
    severity: isLong ? 'blocking' : 'info',
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}${isLong ? '' : ' yet'}: ${driver ?? 'the driver'} does not finish the call in time, and it is tried again`,
    evidence: [error.evidence],
    fix: [
      ...driverLogs(trouble),
      fix('see whether the storage is slow or out of reach', undefined),
      fix(
        'if it only needs longer, give the attacher a larger --timeout',
        driver === undefined ? undefined : `kubectl get deploy,sts -A | grep -i -e csi -e ${shellWord(driver)}`,
      ),
    ],
  };
});

/** Any other answer of the driver: retried for ever, so that only its words tell what to do. */
export const attachRpcError = attachRules('attach-rpc-error', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || saysTimeout(error)) return undefined;
  const { lead, driver } = trouble;
  const sense = senseOf(error.raw);
  return {
    confidence: confidenceOf(trouble),
    summary: `${lead}: ${driver ?? 'the storage'} answers${error.code ? ` ${error.code}` : ''}: ${shortWords(error)}`,
    evidence: [error.evidence],
    fix: [
      ...(sense?.advice ? [fix(sense.advice, undefined)] : []),
      ...driverLogs(trouble),
      fix('act on the words of the driver: the attacher tries again by itself, at most five minutes apart', undefined),
    ],
  };
});
