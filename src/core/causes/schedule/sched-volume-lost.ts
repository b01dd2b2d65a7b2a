import type { Node, Volume } from '../../kube/kinds.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import {
  absentKeys,
  describeReach,
  fitsAffinity,
  isNodeLocal,
  placedVolumes,
} from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';

/** Volumes of the pod that no existing node may use, by the affinity that was written when they were made. */
function unreachable(p: PodCase): { readonly lost: readonly PlacedVolume[]; readonly nodes: readonly Node[] } {
  const none = { lost: [], nodes: [] };
  if (p.isScheduled || blames(p, storageTexts.nodeAffinity) === false) return none;
  const bound = placedVolumes(p).filter(({ volume }) => volume.spec?.nodeAffinity?.required !== undefined);
  if (bound.length === 0) return none;
  const fits = fitNodes(p);
  if (!fits.complete || fits.items.length === 0) return none;
  const nodes = fits.items.map(({ node }) => node);
  return { lost: bound.filter(({ volume }) => !nodes.some((node) => fitsAffinity(volume, node))), nodes };
}

/** kubelet puts the topology labels of a driver on its node when the driver registers (csi nodeinfomanager); they can get lost. */
export const schedPvAffinityKeyAbsent = podRule({
  cause: 'sched-pv-affinity-key-absent',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const { lost, nodes } = unreachable(p);
    for (const { claim, volume } of lost) {
      const stray = strayNode(volume, nodes);
      const keys = stray ? keysMissingOn(volume, stray) : absentKeys(volume, nodes);
      if (keys.length === 0) continue;
      const driver = servingDriver(volume);
      const isRegistered =
        driver !== undefined &&
        p.ask.seen('CSINode').some((csiNode) => csiNode.spec?.drivers?.some(({ name }) => name === driver));
      return {
        about: keys.join(','),
        summary: `the volume of pvc/${claim.name} can be used only on nodes with the label ${nameAll(keys)}, and ${stray ? `node ${stray.metadata.name}, where it is, has lost it` : 'no node has it'}${driver && !isRegistered ? `; driver ${driver}, which brings it, is registered on no node that was read` : ''}`,
        evidence: [
          field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
          ...(stray ? [stray] : nodes.slice(0, 4)).map((node) =>
            field(node, `metadata.labels[${keys[0] ?? ''}]`, node.metadata.labels?.[keys[0] ?? ''] ?? 'not set'),
          ),
          ...schedulerSaid(p),
        ],
        fix: [
          fix(
            driver
              ? `see where ${driver} is registered, and restart its node plugin: the kubelet puts the label back when it registers`
              : `look at the nodes, and put the label ${keys[0] ?? ''} back on the node that holds the volume`,
            `kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name,KEYS:.spec.drivers[*].topologyKeys'`,
          ),
          fix(
            'see which of the labels the nodes have',
            `kubectl get nodes ${keys.map((key) => `-L ${shellWord(key)}`).join(' ')}`,
          ),
        ],
      };
    }
    return undefined;
  },
});

/** A disk in a node goes with its node (static-provisioner pkg/node-cleanup deletes such claims, where it runs). */
export const localPvNodeGone = podRule({
  cause: 'local-pv-node-gone',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const { lost, nodes } = unreachable(p);
    const gone = lost.find(
      ({ volume }) => isNodeLocal(volume, nodes) && absentKeys(volume, nodes).length === 0 && !strayNode(volume, nodes),
    );
    if (!gone) return undefined;
    const { claim, volume } = gone;
    const reach = describeReach(volume);
    const names = hostNames(volume);
    const { namespace, name } = p.pod.metadata;
    return {
      ...(names.length > 0 && { about: names.join(',') }),
      summary: `the volume of pvc/${claim.name} is on ${names.length > 0 ? `node ${nameAll(names)}` : `a node with ${reach}`}, and no such node exists any more`,
      evidence: [
        field(volume, 'spec.nodeAffinity.required', reach),
        note(volume, `nodes that exist: ${nameAll(nodes.map((node) => node.metadata.name))}`),
        ...schedulerSaid(p),
      ],
      fix: [
        fix(
          'look which nodes there are, and bring the lost one back under the same name with its disk: the pod then starts by itself',
          'kubectl get nodes --show-labels',
        ),
        fix(
          `data-loss: give the volume up: delete claim and pod, and ${claim.provisioner === undefined ? 'the next claim takes another volume of its class, if there is one' : 'a new volume is made elsewhere'}`,
          `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)} --wait=false && kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
          'data-loss',
        ),
      ],
    };
  },
});

/** The node of a node-local volume that is there under its name, without the label that would prove it. */
function strayNode(volume: Volume, nodes: readonly Node[]): Node | undefined {
  const names = hostNames(volume);
  return isNodeLocal(volume, nodes) || absentKeys(volume, nodes).length > 0
    ? nodes.find((node) => names.includes(node.metadata.name) && keysMissingOn(volume, node).length > 0)
    : undefined;
}

function keysMissingOn(volume: Volume, node: Node): string[] {
  return [
    ...new Set(
      (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
        matchExpressions.flatMap(({ key, operator, values = [] }) =>
          key && operator === 'In' && !values.includes(node.metadata.labels?.[key] ?? '') ? [key] : [],
        ),
      ),
    ),
  ];
}

function hostNames(volume: Volume): string[] {
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...new Set(
      terms.flatMap(({ matchExpressions = [] }) =>
        matchExpressions
          .filter(({ key = '', operator }) => operator === 'In' && !/zone|region/i.test(key))
          .flatMap(({ values = [] }) => values),
      ),
    ),
  ];
}
