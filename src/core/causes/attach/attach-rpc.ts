import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import {
  beingDeletedText,
  csiNodeMissingText,
  driverNotOnNodeText,
  volumeMissingText,
} from '../lib/driver-error/senses/kubernetes.ts';
import { saysNoAnswer } from '../lib/driver-error/senses/time.ts';

/** Errors in which Kubernetes speaks about its own objects: causes of their own, and no answer of the storage. */
const kubernetesTexts = [csiNodeMissingText, driverNotOnNodeText, beingDeletedText, volumeMissingText];

/** What the driver answered to ControllerPublishVolume. */
export function answerOf({ error }: AttachTrouble): AttachError | undefined {
  if (!error || saysNoAnswer(error) || kubernetesTexts.some((text) => text.test(error.raw))) return undefined;
  return error;
}

interface Registration {
  readonly csiNode: CsiNode;
  readonly entry: NonNullable<NonNullable<CsiNode['spec']>['drivers']>[number] | undefined;
}

/** The CSINode of the node, with the entry of the driver in it. */
export function registrationOf({ ask, node, driver }: AttachTrouble): Registration | undefined {
  const csiNode = ask.get('CSINode', undefined, node, `how ${driver ?? 'the driver'} is registered on ${node}`);
  return csiNode.state === 'found'
    ? { csiNode: csiNode.object, entry: csiNode.object.spec?.drivers?.find(({ name }) => name === driver) }
    : undefined;
}

/** How to read the log of the driver's controller. */
export function driverLogs({ ask, driver }: AttachTrouble): Fix[] {
  return driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'), 'driver')];
}
