import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { describeReach, fitsAffinity } from '../../facts/volume/volume-reach.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf, mountFailuresOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The kubelet repeats the scheduler's check (operation_generator.go checkNodeAffinity). It fails where a label was
 * changed since, or where spec.nodeName bypassed the scheduler.
 */
export const mountNodeAffinity = podRule({
  cause: 'mount-node-affinity',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const bound = volumeUsesOf(p).filter(
      (use) => use.volumeObject?.spec?.nodeAffinity?.required !== undefined && !isPastCheck(p, use),
    );
    const node = bound.length > 0 ? findNode(p) : undefined;
    if (!node) return explainReported(p);
    const misplaced = findMisplaced(bound, node);
    if (!misplaced) return undefined;
    const { use, volume } = misplaced;
    return {
      summary:
        `${podWords(p)} is on ${nodeOf(p)}, and ${volumeWords(use)} can only be used where ` +
        `${describeReach(volume)}. The kubelet refuses to mount it there.`,
      evidence: [
        field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
        ...labelEvidence(volume, node),
        ...failureEvidence(p, failureOf(p, 'nodeAffinity')),
      ],
      fix: adviceFor(p, volume, node),
    };
  },
});

/** Judged at the attach stage too: wherever the volume gets attached, this node cannot mount it. */
export const mountNodeAffinityAtAttach: PodRule = { ...mountNodeAffinity, stage: 'attach' };

/** The kubelet calls the driver, or mounts, only after its check has passed. */
function isPastCheck(p: PodCase, use: VolumeUse): boolean {
  return mountFailuresOf(p).some(
    (failure) => ['stage', 'publish', 'block', 'inTree'].includes(failure.kind) && toldVolume(p, failure) === use,
  );
}

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
    summary:
      `The kubelet refuses to mount ${volumeWords(toldVolume(p, failure), failure)} on ${nodeOf(p)} for ` +
      `${podWords(p)}: the labels of the node do not match the node affinity of the volume.`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [replaceFix(p)],
  };
}

function adviceFor(p: PodCase, volume: Volume, node: Node): Fix[] {
  const lost = findLostLabel(volume, node);
  if (!lost) return [replaceFix(p)];
  const { key, value } = lost;
  const label = steps(
    `If the machine ${nodeOf(p)} is where the volume is and its label was changed by mistake, restore the ` +
      'label. The kubelet retries within about 2 minutes.',
    [`kubectl label node ${shellWord(nodeOf(p))} ${shellWord(`${key}=${value}`)} --overwrite`],
    'disruptive',
  );
  return node.metadata.labels?.[key] === undefined ? [label, replaceFix(p)] : [replaceFix(p), label];
}

/** The one label that would make the node fit; undefined where there are several ways. */
function findLostLabel({ spec }: Volume, node: Node): { readonly key: string; readonly value: string } | undefined {
  const [term, ...more] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const unmet = (term?.matchExpressions ?? []).filter(
    ({ key, operator, values }) =>
      key !== undefined && operator === 'In' && !(values ?? []).includes(node.metadata.labels?.[key] ?? ''),
  );
  const [only, ...others] = unmet;
  const [value, ...choices] = only?.values ?? [];
  if (more.length > 0 || others.length > 0 || choices.length > 0) return undefined;
  return only?.key === undefined || value === undefined ? undefined : { key: only.key, value };
}

/** The scheduler reads the affinity of volumes; a nodeName of the pod's own skipped it. */
function replaceFix({ pod }: PodCase): Fix {
  return steps(
    'Recreate the pod without spec.nodeName: the scheduler then places it where its volume can be used. ' +
      'If its template sets nodeName, remove it there.',
    restartPodCommands(pod),
    pod.status?.phase === 'Running' ? 'disruptive' : 'safe',
  );
}
