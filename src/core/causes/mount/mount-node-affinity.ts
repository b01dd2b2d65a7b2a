import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';
import { describeReach, fitsAffinity } from '../../facts/volume/volume-reach.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The kubelet checks again what the scheduler should have (operation_generator.go checkNodeAffinity): a label was changed since, or nodeName bypassed the scheduler. */
export const mountNodeAffinity = podRule({
  cause: 'mount-node-affinity',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const name = nodeOf(p);
    const failure = failureOf(p, 'nodeAffinity');
    const bound = volumeUsesOf(p).filter((use) => use.volumeObject?.spec?.nodeAffinity?.required !== undefined);
    const node =
      bound.length > 0
        ? p.ask.get('Node', undefined, name, `whether the labels of ${name} fit its volumes`)
        : undefined;
    const said = failure ? [eventSaid(p.pod, failure.event)] : [];
    const remove = fix(
      'or let the scheduler place the pod anew',
      `kubectl ${inNamespace(p.pod.metadata.namespace)}delete pod ${shellWord(p.pod.metadata.name)}`,
      'disruptive',
    );
    const misplaced =
      node?.state === 'found'
        ? bound.find((use) => use.volumeObject && !fitsAffinity(use.volumeObject, node.object))
        : undefined;
    if (misplaced?.volumeObject && node?.state === 'found') {
      const volume = misplaced.volumeObject;
      const keys = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term) =>
        (term.matchExpressions ?? []).flatMap(({ key }) => (key ? [key] : [])),
      );
      return {
        summary: `${podWords(p)} is on ${name}, but ${volumeWords(misplaced)} can only be used where ${describeReach(volume)}: the kubelet refuses to mount it there`,
        evidence: [
          field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
          ...[...new Set(keys)].map((key) =>
            field(node.object, `metadata.labels[${key}]`, node.object.metadata.labels?.[key] ?? 'not set'),
          ),
          ...said,
        ],
        fix: [
          fix(
            `if the label of ${name} was changed by mistake, put it back`,
            `kubectl get node ${shellWord(name)} --show-labels`,
          ),
          remove,
        ],
      };
    }
    const [first] = said;
    if (!failure || !first || node?.state === 'found') return undefined;
    return {
      confidence: 'likely',
      summary: `${volumeWords(toldVolume(p, failure), failure)} cannot be used on ${name}: the labels of the node do not fit the node affinity of the volume`,
      evidence: [first],
      fix: [
        fix(
          'compare the labels of the node with the node affinity of the volume',
          `kubectl get node ${shellWord(name)} --show-labels`,
        ),
        remove,
      ],
    };
  },
});

/** Wherever the volume is attached, it is not mounted there: the pod is on the wrong node before anything else can fail. */
export const mountNodeAffinityAtAttach: PodRule = { ...mountNodeAffinity, stage: 'attach' };
