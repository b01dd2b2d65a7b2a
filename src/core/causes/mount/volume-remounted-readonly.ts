import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerOf } from '../../facts/pod/named-mount.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import type { Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { isReadOnlyBySpec } from './full-volume.ts';
import { knownNode, nodeOf, podWords, volumeWords } from './told-volume.ts';

/**
 * The spec lets the container write to the volume, and the kernel refuses: after an I/O error ext4 remounts itself
 * read-only (errors=remount-ro), and a storage that fences a node answers with the same error.
 */
export const volumeRemountedReadonly = podRule({
  cause: 'volume-remounted-readonly',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod, p.now);
    if (trouble?.volume !== 'readOnly') return undefined;
    const use = volumeUsesOf(p).find(({ name }) => name === trouble.volumeName);
    if (use === undefined) return explainUnnamed(p, trouble);
    if (isReadOnlyBySpec(p, trouble)) return undefined;
    return {
      confidence: 'likely',
      summary:
        `Container ${trouble.container} of ${podWords(p)} may write to ${trouble.volumePath ?? use.name}, and ` +
        `ended with ${quoted(trouble.message)}. ` +
        `The file system of ${volumeWords(use)} has become read-only on ${nodeOf(p)}, as after an I/O ` +
        'error of its storage.',
      evidence: [
        field(p.pod, trouble.messagePath, trouble.message),
        field(p.pod, `spec.containers[${trouble.container}].volumeMounts[${use.name}].readOnly`, 'false'),
        ...(use.volumeObject ? [field(use.volumeObject, 'spec.accessModes')] : []),
      ],
      fix: fixesFor(p, use),
    };
  },
});

/** No path is named: it may as well be the file system of the image, unless that is writable for sure. */
function explainUnnamed(p: PodCase, trouble: ContainerTrouble) {
  if (containerOf(p.pod, trouble.container)?.securityContext?.readOnlyRootFilesystem === true) return undefined;
  return {
    confidence: 'possible' as const,
    summary:
      `Container ${trouble.container} of ${podWords(p)} ended with ${quoted(trouble.message)}. ` +
      `It names no path: one of its volumes may have become read-only on ${nodeOf(p)}.`,
    evidence: [field(p.pod, trouble.messagePath, trouble.message)] as const,
    fix: [
      steps('Read what it wrote before that: the path it names shows which volume it is.', [
        `kubectl ${inNamespace(p.pod.metadata.namespace)}logs ${shellWord(p.pod.metadata.name)} -c ` +
          `${shellWord(trouble.container)} --previous --tail=50`,
      ]),
    ],
  };
}

function fixesFor(p: PodCase, use: VolumeUse): Fix[] {
  const node = nodeOf(p);
  const look = isWindows(knownNode(p))
    ? []
    : [onNode(node, `sh -c "dmesg | grep -iE 'remount|read-only|I/O error|blocklist' | tail -n 30"`)];
  const restart = steps(
    `Repair what the kernel log of ${node} names first (the first line reads it): ` +
      'the path to the storage, a lost disk, a client that the storage has fenced. ' +
      `Then recreate the pod: ${volumeWords(use)} is unmounted, and mounted again with write access, once no ` +
      `other pod on ${node} uses it.`,
    [...look, ...restartPodCommands(p.pod)],
    'disruptive',
  );
  const damaged = steps(
    'If the kernel log reports damage (corrupt, bad block, structure needs cleaning), copy or snapshot the ' +
      'volume before anything is repaired. Never format it.',
    [],
  );
  return [restart, damaged];
}
