import type { Claim, Node, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { absentKeys, describeReach, isNodeLocal } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { kubectl, steps, typedName } from '../lib/steps.ts';
import { findUnlabeledNode, findUnreachable, hostNames } from './unreachable-volume.ts';

/**
 * A node's local disk is lost with the node (static-provisioner pkg/node-cleanup deletes such claims, where it runs).
 */
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
      summary:
        names.length > 0
          ? `The volume of pvc/${claim.name} is on ${nameAll(names)}, which does not exist any more.`
          : `The volume of pvc/${claim.name} is on a node with ${describeReach(volume)}, and no such node exists.`,
      evidence: evidenceOf(p, gone),
      fix: adviceFor(p, gone, names),
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

function adviceFor(p: PodCase, { claim, volume }: StrandedVolume, names: readonly string[]): Fix[] {
  const lost = names.length > 0 ? nameAll(names) : `the node with ${describeReach(volume)}`;
  return [
    steps(
      `Restore ${lost} under the same name with its disk: start its machine, or let it join the cluster again. ` +
        `${typedName(p.pod)} is then scheduled there automatically, with its data.`,
      [],
    ),
    ...(claim.claim ? [giveUp(p, claim, claim.claim, volume)] : []),
  ];
}

/** A claim that only unscheduled pods use is deleted at once, so nothing waits for the pod. */
function giveUp(
  { pod }: PodCase,
  { provisioner, class: { name: className } }: ClaimCase,
  claim: Claim,
  volume: Volume,
): Fix {
  const next =
    provisioner === undefined
      ? `The new claim binds to another volume of StorageClass "${className}", if one is Available.`
      : 'A new, empty volume is created where the pod is scheduled.';
  const leftOver = isLeftBehind(volume)
    ? ' The last line removes the old volume, which its provisioner cannot clean up without the node.'
    : '';
  return steps(
    `If the node and its data are lost, recreate pvc/${claim.metadata.name} without its volume; first make sure that ` +
      `the application has other copies of the data, or a backup. ${next} ${typedName(pod)} then starts without the ` +
      `old data.${leftOver}`,
    [
      ...recreateCommands(claim, { spec: { volumeName: null } }),
      ...(isLeftBehind(volume) ? [kubectl('delete', volume)] : []),
    ],
    'data-loss',
  );
}

/** Policy Delete, and nothing but its own protection holds the object, which ends with the claim. */
function isLeftBehind({ metadata: { finalizers = [] }, spec }: Volume): boolean {
  return (
    spec?.persistentVolumeReclaimPolicy === 'Delete' &&
    finalizers.every((name) => name === 'kubernetes.io/pv-protection')
  );
}
