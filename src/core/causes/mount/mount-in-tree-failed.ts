import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-sense.ts';
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
      summary: `the kubelet on ${nodeOf(p)} cannot mount ${volumeWords(use, failure)} of ${podWords(p)}${source === undefined ? '' : ` (${source})`}: ${describeReason(failure, sense)}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(use?.volumeObject && source !== undefined ? [field(use.volumeObject, `spec.${source}`)] : []),
      ],
      fix: adviceFor(p, failure, sense),
    };
  },
});

/** The message quotes the command, but the command printed nothing. */
function hasNoOutput({ text }: MountFailure): boolean {
  return /Mounting command:/.test(text) && !/Output:\s*\S/.test(text);
}

function describeReason(failure: MountFailure, sense: MountSense | undefined): string {
  if (hasNoOutput(failure)) return 'the mount command fails, most often for want of the right credentials or network';
  const words = ownWords(failure.text);
  return sense && sense.id !== 'mountFailed' ? `${sense.meaning} (${words})` : words;
}

function adviceFor(p: PodCase, failure: MountFailure, sense: MountSense | undefined): Fix[] {
  const first =
    sense && !hasNoOutput(failure)
      ? sense.advice
      : 'try the same mount by hand on the node, and check the secret that the volume uses (was a key rotated?)';
  return [
    fix(first),
    fix(
      'look at the kernel log of the node (dmesg), and at the log of the kubelet',
      `kubectl debug node/${shellWord(nodeOf(p))} -it --image=busybox`,
      'disruptive',
    ),
  ];
}
