import { eventSaid, field } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { mountSenseOf } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-sense.ts';
import { describeError } from './driver-answer.ts';
import { fixesForSense } from './sense-fixes.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { sourceOf } from './volume-source.ts';

/** The kubelet mounts the volume itself, with the programs of the node: the output of the mount helper is the only proof. */
export const mountInTreeFailed = podRule({
  cause: 'mount-in-tree-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'inTree');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const source = sourceOf(use) ?? /kubernetes\.io~([a-z-]+)\//.exec(failure.text)?.[1];
    const sense = mountSenseOf(failure.text);
    return {
      confidence: 'likely',
      ...(sense?.isOfNode && { about: `${source ?? ''}@${nodeOf(p)}/${sense.id}` }),
      summary: `The kubelet on ${nodeOf(p)} could not mount ${volumeWords(use, failure)}${source === undefined ? '' : ` (${source})`} for ${podWords(p)}: ${describeReason(failure, sense)}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(use?.volumeObject && source !== undefined ? [field(use.volumeObject, `spec.${source}`)] : []),
      ],
      fix: fixesForSense({ p, use, driver: undefined, text: failure.text }, hasNoOutput(failure) ? silentMount : sense),
    };
  },
});

/** The message quotes the command, but the command printed nothing. */
function hasNoOutput({ text }: MountFailure): boolean {
  return /Mounting command:/.test(text) && !/Output:\s*\S/.test(text);
}

const silentMount: MountSense = { id: 'mountFailed', meaning: '' };

function describeReason(failure: MountFailure, sense: MountSense | undefined): string {
  return hasNoOutput(failure)
    ? 'the mount command failed, and its output is not in the event.'
    : describeError(failure.text, sense);
}
