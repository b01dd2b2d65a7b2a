import type { Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { absentKeys, describeReach, isNodeLocal } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { findUnlabeledNode, findUnreachable, hostNames } from './unreachable-volume.ts';

/** A node's local disk is lost with the node (static-provisioner pkg/node-cleanup deletes such claims, where it runs). */
export const localPvNodeGone = podRule({
  cause: 'local-pv-node-gone',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const gone = findVolumeOfLostNode(p);
    if (!gone) return undefined;
    const { claim, volume } = gone;
    const names = hostNames(volume);
    return {
      ...(names.length > 0 && { about: names.join(',') }),
      summary: `the volume of pvc/${claim.name} is on ${names.length > 0 ? `node ${nameAll(names)}` : `a node with ${describeReach(volume)}`}, and no such node exists any more`,
      evidence: evidenceOf(p, gone),
      fix: adviceFor(p, claim),
    };
  },
});

interface StrandedVolume extends PlacedVolume {
  readonly nodes: readonly Node[];
}

function findVolumeOfLostNode(p: PodCase): StrandedVolume | undefined {
  const { volumes, nodes } = findUnreachable(p);
  const gone = volumes.find(
    ({ volume }) =>
      isNodeLocal(volume, nodes) && absentKeys(volume, nodes).length === 0 && !findUnlabeledNode(volume, nodes),
  );
  return gone && { ...gone, nodes };
}

function evidenceOf(p: PodCase, { volume, nodes }: StrandedVolume): EvidenceList {
  return [
    field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
    note(volume, `nodes that exist: ${nameAll(nodes.map((node) => node.metadata.name))}`),
    ...schedulerSaid(p),
  ];
}

function adviceFor(p: PodCase, claim: ClaimCase): Fix[] {
  const { namespace, name } = p.pod.metadata;
  const replacement =
    claim.provisioner === undefined
      ? 'the next claim takes another volume of its class, if there is one'
      : 'a new volume is made elsewhere';
  return [
    fix(
      'look which nodes there are, and bring the lost one back under the same name with its disk: the pod then starts by itself',
      'kubectl get nodes --show-labels',
    ),
    fix(
      `data-loss: give the volume up: delete claim and pod, and ${replacement}`,
      `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)} --wait=false && kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
      'data-loss',
    ),
  ];
}
