import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { describeReach, fitsAffinity } from '../../facts/volume/volume-reach.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The kubelet repeats the scheduler's check (operation_generator.go checkNodeAffinity). It fails where a label was changed
 * since, or where spec.nodeName bypassed the scheduler.
 */
export const mountNodeAffinity = podRule({
  cause: 'mount-node-affinity',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const bound = volumeUsesOf(p).filter((use) => use.volumeObject?.spec?.nodeAffinity?.required !== undefined);
    const node = bound.length > 0 ? findNode(p) : undefined;
    if (!node) return explainReported(p);
    const misplaced = findMisplaced(bound, node);
    if (!misplaced) return undefined;
    const { use, volume } = misplaced;
    return {
      summary: `${podWords(p)} is on ${nodeOf(p)}, but ${volumeWords(use)} can only be used where ${describeReach(volume)}: the kubelet refuses to mount it there`,
      evidence: [
        field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
        ...labelEvidence(volume, node),
        ...failureEvidence(p, failureOf(p, 'nodeAffinity')),
      ],
      fix: adviceFor(p, `if the label of ${nodeOf(p)} was changed by mistake, put it back`),
    };
  },
});

/** Judged at the attach stage too: wherever the volume gets attached, this node cannot mount it. */
export const mountNodeAffinityAtAttach: PodRule = { ...mountNodeAffinity, stage: 'attach' };

function findNode(p: PodCase): Node | undefined {
  const node = p.ask.get('Node', undefined, nodeOf(p), `whether the labels of ${nodeOf(p)} fit its volumes`);
  return node.state === 'found' ? node.object : undefined;
}

interface MisplacedVolume {
  readonly use: VolumeUse;
  readonly volume: Volume;
}

function findMisplaced(uses: readonly VolumeUse[], node: Node): MisplacedVolume | undefined {
  for (const use of uses) {
    const volume = use.volumeObject;
    if (volume && !fitsAffinity(volume, node)) return { use, volume };
  }
  return undefined;
}

function labelEvidence({ spec }: Volume, node: Node): Evidence[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const keys = terms.flatMap((term) => (term.matchExpressions ?? []).flatMap(({ key }) => (key ? [key] : [])));
  return [...new Set(keys)].map((key) =>
    field(node, `metadata.labels[${key}]`, node.metadata.labels?.[key] ?? 'not set'),
  );
}

/** The volume or the node cannot be read: only the kubelet's event proves it. */
function explainReported(p: PodCase): Explanation | undefined {
  const failure = failureOf(p, 'nodeAffinity');
  if (!failure) return undefined;
  return {
    confidence: 'likely',
    summary: `${volumeWords(toldVolume(p, failure), failure)} cannot be used on ${nodeOf(p)}: the labels of the node do not fit the node affinity of the volume`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: adviceFor(p, 'compare the labels of the node with the node affinity of the volume'),
  };
}

function adviceFor(p: PodCase, first: string): Fix[] {
  const { namespace, name } = p.pod.metadata;
  return [
    fix(first, `kubectl get node ${shellWord(nodeOf(p))} --show-labels`),
    fix(
      'or let the scheduler place the pod anew',
      `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
      'disruptive',
    ),
  ];
}
