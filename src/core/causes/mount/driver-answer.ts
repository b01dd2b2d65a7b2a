import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Evidence } from '../../report/report.ts';
import { grpcCodeOf } from '../lib/driver-error/grpc-codes.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import {
  driverOfSocketText,
  socketMissingTexts,
  socketRefusedText,
  socketSilentText,
} from '../lib/driver-error/senses/network.ts';
import type { Explanation } from '../lib/rule.ts';
import { driverStartedAt, explainOver, isHistory, runsAgain } from './after-repair.ts';
import { helperEvidence, helperWords } from './helper-pod.ts';
import type { MountFailure } from './mount-failure.ts';
import { isSaidByKubelet } from './failed-mount.ts';
import { fixesForSense } from './sense-fixes.ts';
import { surroundingEvidence, surroundingWords } from './surroundings.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * A call to the driver on the node has failed. No object keeps what the driver answered, so the kubelet's event is the
 * only proof. `verb` completes "could not …".
 */
export function explainDriverError(p: PodCase, failure: MountFailure, verb: string): Explanation {
  const use = toldVolume(p, failure);
  const driver = use?.driver ?? driverInPath(failure.text);
  const sense = mountSenseOf(failure.text);
  const m = { p, use, driver, text: failure.text };
  const restarted = sense?.id === 'driverDown' ? driverStartedAt(p, driver) : undefined;
  if (isHistory(p, failure, restarted))
    return explainOver(p, `${driverWords(driver)} runs again on ${nodeOf(p)}.`, [
      eventSaid(p.pod, failure.event),
      ...runsAgain(p, driver, restarted),
    ]);
  return {
    confidence: 'likely',
    ...(sense?.isOfNode && { about: `${driver ?? ''}@${nodeOf(p)}/${sense.id}` }),
    summary: `${summarise(p, failure, driver, verb)}${surroundingWords(m, sense)}`,
    evidence: [
      eventSaid(p.pod, failure.event),
      ...helperEvidence(p, failure.text),
      ...surroundingEvidence(m, sense),
      ...volumeEvidence(p, failure),
    ],
    fix: fixesForSense(m, sense),
  };
}

function summarise(p: PodCase, failure: MountFailure, driver: string | undefined, verb: string): string {
  const volume = volumeWords(toldVolume(p, failure), failure);
  const sense = mountSenseOf(failure.text);
  if (sense?.id === 'driverDown')
    return `${driverWords(driver)} does not answer on ${nodeOf(p)}: ${socketWords(failure.text)} ${podWords(p)} cannot mount ${volume}.`;
  const who = isSaidByKubelet(failure.text) ? 'The kubelet' : driverWords(driver);
  return (
    `${who} could not ${verb} ${volume} on ${nodeOf(p)} for ${podWords(p)}: ` +
    `${describeError(failure.text, sense)}${helperWords(p, failure.text)}`
  );
}

/** What the kubelet's words prove about the driver's socket. */
function socketWords(text: string): string {
  if (socketMissingTexts.test(text)) return 'its socket does not exist ("connect: no such file or directory").';
  if (socketRefusedText.test(text)) return 'no process listens on its socket ("connection refused").';
  if (socketSilentText.test(text))
    return 'its socket is open, but the process behind it does not respond ("error reading server preface").';
  return `the kubelet reports ${quoted(ownWords(text))}.`;
}

/** The words in quotation marks, and what they prove. */
export function describeError(text: string, sense: MountSense | undefined): string {
  const words = ownWords(text);
  const code = grpcCodeOf(text);
  if (words === '') return code === undefined ? 'it gave no reason.' : `it answered with code ${code} and no text.`;
  const said = `${quoted(words)}.`;
  return sense?.meaning ? `${said} ${sense.meaning}` : said;
}

/** Quotation marks inside others are hard to read; a quote without any cannot be told from the sentence around it. */
export function quoted(words: string): string {
  return `"${words.replace(/\.$/, '').replace(/\\*"/g, "'")}"`;
}

export function driverWords(driver: string | undefined): string {
  return driver === undefined ? 'The driver' : `Driver ${driver}`;
}

/** What the driver got to know of a CSI volume. */
export function volumeEvidence(p: PodCase, failure: MountFailure): Evidence[] {
  const volume = toldVolume(p, failure)?.volumeObject;
  if (!volume?.spec?.csi) return [];
  return [
    field(volume, 'spec.csi.volumeHandle'),
    ...(volume.spec.csi.fsType ? [field(volume, 'spec.csi.fsType')] : []),
  ];
}

/** Without the right to read volumes, the path of the socket still names the driver. */
function driverInPath(text: string): string | undefined {
  return driverOfSocketText.exec(text)?.[1];
}
