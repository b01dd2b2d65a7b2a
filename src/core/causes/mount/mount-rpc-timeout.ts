import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import { deadlineWords } from '../lib/driver-error/sentences/kubelet.ts';
import { describeError, driverWords, volumeEvidence } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { driverStartedAt, explainOver, isHistory, runsAgain } from './after-repair.ts';
import type { Fix } from '../../report/report.ts';
import { tryPathFix } from './network-fixes.ts';
import { readPluginLog, restartPlugin } from './plugin-fixes.ts';
import { retryWords } from './failed-mount.ts';
import { fixesForSense } from './sense-fixes.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

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
    const restarted = driverStartedAt(p, driver);
    if (isHistory(p, failure, restarted))
      return explainOver(p, `${driverWords(driver)} was restarted on ${nodeOf(p)}.`, [
        eventSaid(p.pod, failure.event),
        ...runsAgain(p, driver, restarted),
      ]);
    if (namesReason(failure)) return explainNamed(p, failure, driver);
    return {
      confidence: 'likely',
      about: `${driver ?? ''}@${nodeOf(p)}`,
      summary:
        `${driverWords(driver)} on ${nodeOf(p)} did not answer within 2 minutes when the kubelet asked it to ` +
        `mount ${volumeWords(use, failure)} for ${podWords(p)} ("DeadlineExceeded"). ` +
        'The text does not say what it waits for.',
      evidence: evidenceOf(p, failure),
      fix: [
        ...pathFixes(p, failure, driver),
        readPluginLog(
          p.ask,
          driver,
          nodeOf(p),
          `Read in the log of ${driver ?? 'the driver'} on ${nodeOf(p)} what the call waits for: ` +
            'for a server that does not answer (restore the network or the storage), for a file system check (wait), ' +
            'or for nothing (the next fix).',
        ),
        restartPlugin(
          p.ask,
          driver,
          nodeOf(p),
          `If the driver hangs, save its log and restart the node plugin on ${nodeOf(p)}. ${retryWords}`,
        ),
      ],
    };
  },
});

/** A file system behind the network mostly waits for a server that the node does not reach. */
function pathFixes(p: PodCase, failure: MountFailure, driver: string | undefined): Fix[] {
  const fix = tryPathFix({ p, use: toldVolume(p, failure), driver, text: failure.text });
  return fix ? [fix] : [];
}

/** The driver itself gave up, and says what it waited for; the kubelet's own deadline has no such words. */
function namesReason({ text }: MountFailure): boolean {
  const words = ownWords(text).replace(deadlineWords, '');
  return (words.match(/[a-z]{3,}/gi) ?? []).length >= 3 && mountSenseOf(text) !== undefined;
}

function explainNamed(p: PodCase, failure: MountFailure, driver: string | undefined): Explanation {
  const use = toldVolume(p, failure);
  const sense = mountSenseOf(failure.text);
  return {
    confidence: 'likely',
    about: `${driver ?? ''}@${nodeOf(p)}`,
    summary:
      `${driverWords(driver)} on ${nodeOf(p)} gave up mounting ${volumeWords(use, failure)} for ` +
      `${podWords(p)}, since it took too long: ${describeError(failure.text, sense)}`,
    evidence: evidenceOf(p, failure),
    fix: fixesForSense({ p, use, driver, text: failure.text }, sense),
  };
}

/** A driver that changes the owner of every file itself may run out of time, so fsGroup is evidence too. */
function evidenceOf(p: PodCase, failure: MountFailure): Explanation['evidence'] {
  const hasGroup = p.pod.spec?.securityContext?.fsGroup !== undefined;
  return [
    eventSaid(p.pod, failure.event),
    ...volumeEvidence(p, failure),
    ...(hasGroup ? [field(p.pod, 'spec.securityContext.fsGroup')] : []),
  ];
}
