import { findController, knownLogs } from '../../facts/driver/drivers.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { sentence } from '../lib/sentence.ts';
import { sentenceStart } from '../mount/told-volume.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import {
  attacherOwnTexts,
  beingDeletedText,
  csiNodeMissingText,
  driverNotOnNodeText,
  volumeMissingText,
} from '../lib/driver-error/senses/kubernetes.ts';
import { saysNoAnswer } from '../lib/driver-error/senses/time.ts';

/** Errors in which Kubernetes reports about its own objects: causes of their own, and no answer of the storage. */
const kubernetesTexts = [csiNodeMissingText, driverNotOnNodeText, beingDeletedText, volumeMissingText];

/** What was answered to ControllerPublishVolume, or what kept the attacher from calling it. */
export function answerOf({ error }: AttachTrouble): AttachError | undefined {
  if (!error || saysNoAnswer(error) || kubernetesTexts.some((text) => text.test(error.raw))) return undefined;
  return error;
}

/**
 * The same, but only in the words of the driver or the storage: those of the attacher and the API server are no answer
 * of theirs.
 */
export function driverAnswerOf(trouble: AttachTrouble): AttachError | undefined {
  const error = answerOf(trouble);
  return error && (error.speaker === 'apiServer' || isOwnOfAttacher(error)) ? undefined : error;
}

function isOwnOfAttacher({ raw }: AttachError): boolean {
  return attacherOwnTexts.test(raw);
}

/** Who reported the error, at the beginning of a sentence. */
function speakerText({ driver }: AttachTrouble, error: AttachError): string {
  if (error.speaker === 'apiServer' || isOwnOfAttacher(error))
    return `The attacher${driver === undefined ? '' : ` of ${driver}`}`;
  return driver ?? (error.speaker === 'driver' ? 'The driver' : 'The storage');
}

/** `csi.example.com could not attach the volume of pvc/data to node-b: "what it said".` */
export function refusalText(trouble: AttachTrouble, error: AttachError, verb: string, telling?: RegExp): string {
  const { node, volumeText } = trouble;
  return sentence(`${speakerText(trouble, error)} ${verb} ${volumeText} to ${node}: ${quoteOf(error, telling)}`);
}

/** The words in quotation marks, the telling part never cut; the bare code where there are no words. */
export function quoteOf({ words, code }: Pick<AttachError, 'words' | 'code'>, telling?: RegExp): string {
  if (words === '') return `"code = ${code ?? 'Unknown'}", without a description`;
  return quoteWords(words, telling?.exec(words)?.[0]);
}

/** The volume at the beginning of a sentence. */
export function volumeStart({ volumeText }: AttachTrouble): string {
  return sentenceStart(volumeText);
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
  return driver === undefined ? [] : knownLogs(findController(ask, driver, 'attacher'), 'driver');
}
