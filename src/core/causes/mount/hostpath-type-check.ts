import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { podWords, sentenceStart } from './told-volume.ts';
import type { Explanation } from '../lib/rule.ts';
import { pathEvidence } from './path-on-node.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { knownNode, nodeOf } from './told-volume.ts';
import { findVolumeFailure } from './waiting-volumes.ts';
import type { VolumeFailure } from './waiting-volumes.ts';
import { hostPathTypeText } from '../lib/driver-error/sentences/kubelet.ts';

/**
 * The type of a hostPath volume is a test of the path, except for the two types that create it (pkg/volume/hostpath
 * checkType).
 */
export const hostpathTypeCheck = podRule({
  cause: 'hostpath-type-check',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = findVolumeFailure(p, hostPathTypeText);
    if (!failure) return undefined;
    const [, path = 'the path', type = 'what the volume asks for'] = failure.match;
    return {
      confidence: 'likely',
      summary:
        `${sentenceStart(failure.volume?.label ?? 'a volume')} of ${podWords(p)} requires that ${path} on ` +
        `${nodeOf(p)} is ${withArticle(type)}. The kubelet reports that it is not.${unseenWords(p, path)}`,
      evidence: evidenceOf(p, failure),
      fix: adviceFor(p, failure, path, type),
    };
  },
});

/** The types that create what is missing, by the type that only checks. */
const creatingTypes: Readonly<Record<string, string>> = { Directory: 'DirectoryOrCreate', File: 'FileOrCreate' };

function adviceFor(p: PodCase, { volume }: VolumeFailure, path: string, wanted: string): Fix[] {
  const node = nodeOf(p);
  const type = volume?.source.hostPath?.type ?? '';
  const creating = creatingTypes[type];
  const isOfPod = volume?.owner.kind === 'Pod';
  if (isOfPod && isOfSystem.test(path)) return [dropCheckFix(p, volume?.name, path), mountIntoKubeletFix(p, path)];
  const provide =
    type === 'Directory'
      ? steps(
          `If an empty directory is right, create ${path} on ${node}. If a disk belongs there, mount it instead. ` +
            'The kubelet retries within about 2 minutes.',
          [onNode(node, `mkdir -p ${shellWord(path)}`)],
        )
      : steps(
          `Correct ${node}: provide ${withArticle(wanted)} at ${path}, by starting or installing what creates it. ` +
            'The kubelet retries within about 2 minutes.',
          [],
        );
  const correct = changePodFix(
    p.pod,
    { volumes: [{ name: volume?.name, hostPath: { path, type: creating ?? '' } }] },
    (where) =>
      creating === undefined
        ? `If the pod can do without the check, remove the type ${where}.`
        : `If an empty one is right on every node, set the type to ${creating} ${where}; the kubelet then creates it.`,
  );
  return isOfPod ? [provide, correct] : [provide];
}

/** Directories that nearly every Linux machine has. */
const isOfSystem =
  /^\/(?:lib\/modules|dev|sys|proc|run|etc|usr|var|lib|boot|bin|sbin)(?:\/(?:udev|class|block|dev|disk|fs))*\/?$/;

/** A kubelet in a container checks the path there; the container runtime mounts it from the host. */
function unseenWords(p: PodCase, path: string): string {
  if (!isOfSystem.test(path)) return '';
  const isRke = Object.keys(knownNode(p)?.metadata.annotations ?? {}).some((key) => key.startsWith('rke.cattle.io/'));
  return (
    ' Nearly every machine has this directory, so the kubelet most likely runs in a container that does not see it' +
    `${isRke ? ' (nodes of RKE 1, as this one, do that)' : ''}.`
  );
}

function dropCheckFix(p: PodCase, volume: string | undefined, path: string): Fix {
  return changePodFix(
    p.pod,
    { volumes: [{ name: volume, hostPath: { path, type: '' } }] },
    (where) =>
      `Remove the type of volume "${volume ?? ''}" ${where}: the kubelet then no longer checks the path, and the ` +
      'container runtime mounts it from the host. If another volume then fails in the same way, do the same for it.',
  );
}

function mountIntoKubeletFix(p: PodCase, path: string): Fix {
  return steps(
    `Or mount ${path} into the container of the kubelet on every node (extra_binds of the kubelet in the cluster.yml ` +
      `of RKE). If the kubelet of ${nodeOf(p)} runs on the machine itself, provide the directory there.`,
    [],
    'disruptive',
  );
}

function evidenceOf(p: PodCase, failure: VolumeFailure): Explanation['evidence'] {
  const { volume } = failure;
  const type = volume?.source.hostPath?.type;
  return [
    ...pathEvidence(p, failure, 'hostPath'),
    ...(volume && type !== undefined ? [field(volume.owner, `${volume.path}.hostPath.type`, type)] : []),
  ];
}

function withArticle(text: string): string {
  return /^(a|an|the) /.test(text) ? text : `a ${text.trim()}`;
}
