import { field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { hostPathTypeFailed, pathEvidence } from './path-on-node.ts';
import { nodeOf } from './told-volume.ts';
import { findVolumeFailure } from './waiting-volumes.ts';
import type { VolumeFailure } from './waiting-volumes.ts';

/** The type of a hostPath volume is a test of the path, except for the two types that create it (pkg/volume/hostpath checkType). */
export const hostpathTypeCheck = podRule({
  cause: 'hostpath-type-check',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = findVolumeFailure(p, hostPathTypeFailed);
    if (!failure) return undefined;
    const [, path = 'the path', type = 'what the volume asks for'] = failure.match;
    return {
      confidence: 'likely',
      summary: `${path} on ${nodeOf(p)} is not ${withArticle(type)}, as ${failure.volume?.label ?? 'a volume'} of pod/${p.pod.metadata.name} demands`,
      evidence: evidenceOf(p, failure),
      fix: [
        fix(
          'put what the pod expects at that path on the node, or correct path or type of the hostPath volume (DirectoryOrCreate and FileOrCreate make it themselves)',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});

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
