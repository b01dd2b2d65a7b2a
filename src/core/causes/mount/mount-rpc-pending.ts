import { eventSaid } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { driverWords, quoted } from './driver-answer.ts';
import { failureEvidence } from './failure-evidence.ts';
import { allFailuresOf, failureOf, lastsSeconds } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import { readPluginLog, restartPlugin } from './plugin-fixes.ts';
import { retryWords } from './failed-mount.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

const longPendingSeconds = 600;

/** Drivers answer "an operation is already in progress" while an earlier call for the volume has not returned. */
export const mountRpcPending = podRule({
  cause: 'mount-rpc-pending',
  stage: 'mount',
  severity: 'info',
  explain(p) {
    const failure = failureOf(p, 'pending');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    const earlier = findEarlierError(p, failure);
    const isHung = lastsSeconds(p, failure) > longPendingSeconds;
    return {
      confidence: 'likely',
      ...(isHung && { severity: 'blocking' as const }),
      summary:
        `${driverWords(driver)} on ${nodeOf(p)} is still working on an earlier call for ` +
        `${volumeWords(use, failure)} of ` +
        `${podWords(p)}${isHung ? ', for more than 10 minutes: that call hangs' : ''}.${earlier ? ` Before that it reported ${quoted(ownWords(earlier.text))}.` : ''}`,
      evidence: [eventSaid(p.pod, failure.event), ...failureEvidence(p, earlier)],
      fix: adviceFor(p, driver, isHung),
    };
  },
});

/** What the driver answered before it was busy often says why. */
function findEarlierError(p: PodCase, { volume }: MountFailure): MountFailure | undefined {
  return allFailuresOf(p).find(
    (other) => other.volume === volume && other.kind !== 'pending' && other.kind !== 'general',
  );
}

function adviceFor(p: PodCase, driver: string | undefined, isHung: boolean): Fix[] {
  const node = nodeOf(p);
  if (!isHung)
    return [
      readPluginLog(
        p.ask,
        driver,
        node,
        `Wait while the call runs. If it does not end, the log of ${driver ?? 'the driver'} on ${node} shows what it waits for.`,
      ),
    ];
  return [
    restartPlugin(
      p.ask,
      driver,
      node,
      `Save the log of the node plugin on ${node}, which shows what the call waits for, and restart it: that ends the call. ${retryWords}`,
    ),
  ];
}
