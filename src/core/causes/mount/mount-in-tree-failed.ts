import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { mountSenseOf } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import { anyOutputText, inTreePluginText, repeatedCommandText } from '../lib/driver-error/senses/mount-command.ts';
import { describeError } from './driver-answer.ts';
import { fixesForSense } from './sense-fixes.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { sourceOf } from './volume-source.ts';

/**
 * The kubelet mounts the volume itself, with the programs of the node: the output of the mount helper is the only
 * proof.
 */
export const mountInTreeFailed = podRule({
  cause: 'mount-in-tree-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'inTree');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const source = sourceOf(use) ?? inTreePluginText.exec(failure.text)?.[1];
    const sense = mountSenseOf(failure.text);
    return {
      confidence: 'likely',
      ...(sense?.isOfNode && { about: `${source ?? ''}@${nodeOf(p)}/${sense.id}` }),
      summary:
        `The kubelet on ${nodeOf(p)} could not mount ` +
        `${volumeWords(use, failure)}${source === undefined ? '' : ` (${source})`} for ${podWords(p)}: ` +
        `${describeReason(failure, sense)}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(use?.volumeObject && source !== undefined ? [field(use.volumeObject, `spec.${source}`)] : []),
      ],
      fix: [
        ...accountKeyFixes(p, use, failure),
        ...fixesForSense({ p, use, driver: undefined, text: failure.text }, hasNoOutput(failure) ? silentMount : sense),
      ],
    };
  },
});

/** The message quotes the command, but the command printed nothing. */
function hasNoOutput({ text }: MountFailure): boolean {
  return repeatedCommandText.test(text) && !anyOutputText.test(text);
}

/**
 * An Azure file share is mounted with the key of its account, and mount(8) does not distinguish a rotated key from
 * other reasons.
 */
function accountKeyFixes(p: PodCase, use: VolumeUse | undefined, failure: MountFailure): Fix[] {
  const ofVolume = use?.volumeObject?.spec?.azureFile;
  const name = ofVolume?.secretName ?? use?.podVolume.azureFile?.secretName;
  const isRefused = hasNoOutput(failure) || mountSenseOf(failure.text)?.id === 'denied';
  if (name === undefined || !isRefused) return [];
  const namespace = ofVolume?.secretNamespace ?? p.pod.metadata.namespace ?? 'default';
  return [
    steps(
      `If the key of the storage account was rotated after Secret "${name}" was written, write the current key ` +
        'into it. PLACEHOLDER_ACCOUNT and PLACEHOLDER_KEY: the account and its key. ' +
        'The kubelet retries within about 2 minutes.',
      [
        `kubectl -n ${shellWord(namespace)} create secret generic ${shellWord(name)} ` +
          '--from-literal=azurestorageaccountname=PLACEHOLDER_ACCOUNT ' +
          '--from-literal=azurestorageaccountkey=PLACEHOLDER_KEY --dry-run=client -o yaml | kubectl apply -f -',
      ],
    ),
  ];
}

const silentMount: MountSense = { id: 'mountFailed', meaning: '' };

function describeReason(failure: MountFailure, sense: MountSense | undefined): string {
  return hasNoOutput(failure)
    ? 'the mount command failed, and its output is not in the event.'
    : describeError(failure.text, sense);
}
