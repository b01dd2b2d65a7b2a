import type { Node, Volume } from '../../kube/kinds.ts';
import { flagOf, mentionsDriver, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { Fix } from '../../report/report.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, nameNodes, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { absentKeys, describeReach, fitsAffinity, placedVolumes } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { openNodeFixes } from './open-node.ts';
import { affinityKeys, labelsText } from './volume-place.ts';

/**
 * The scheduler chose a node, and the driver created the volume where that node cannot use it (binder checkBindings).
 */
export const wffcProvisionedWrongTopology = podRule({
  cause: 'wffc-provisioned-wrong-topology',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.wrongTopology);
    if (p.isScheduled || (blamed === false && blames(p, storageTexts.nodeAffinity) === false)) return undefined;
    const misplaced = findMisplaced(p);
    const isReported = blamed === true || blames(p, storageTexts.nodeAffinity) === true;
    if (misplaced && (isReported || openNear(p, misplaced.volume).length === 0)) return explainMisplaced(p, misplaced);
    return blamed ? explainUnread(p) : undefined;
  },
});

interface MisplacedVolume extends PlacedVolume {
  readonly chosen: Node;
}

function findMisplaced(p: PodCase): MisplacedVolume | undefined {
  for (const { claim, volume } of placedVolumes(p)) {
    const name = claim.selectedNode;
    if (name === undefined || volume.spec?.nodeAffinity?.required === undefined) continue;
    const node = p.ask.get('Node', undefined, name, `where node ${name}, chosen for pvc/${claim.name}, is`);
    // A node that lost its labels is another cause: then it has none of the affinity's keys.
    if (node.state === 'found' && !fitsAffinity(volume, node.object) && absentKeys(volume, [node.object]).length === 0)
      return { claim, volume, chosen: node.object };
  }
  return undefined;
}

function explainMisplaced(p: PodCase, misplaced: MisplacedVolume): Explanation {
  const { claim, volume, chosen } = misplaced;
  return {
    about: volume.spec?.csi?.driver ?? claim.class.name,
    summary:
      `The scheduler selected ${chosen.metadata.name} for pvc/${claim.name}, but ` +
      `${volume.spec?.csi?.driver ?? 'the provisioner'} created the volume where that node cannot use it ` +
      `(${describeReach(volume)}).`,
    evidence: evidenceOf(p, misplaced),
    fix: adviceFor(p, misplaced),
  };
}

function evidenceOf(p: PodCase, { claim, volume, chosen }: MisplacedVolume): EvidenceList {
  return [
    field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
    ...(claim.claim
      ? [field(claim.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', chosen.metadata.name)]
      : []),
    field(chosen, 'metadata.labels', labelsText(chosen, affinityKeys(volume))),
    ...schedulerSaid(p),
  ];
}

/** The pod can still go to its volume; the driver has to be corrected for the next one. */
function adviceFor(p: PodCase, { claim, volume }: MisplacedVolume): Fix[] {
  const near = fitNodes(p).items.filter(({ node }) => fitsAffinity(volume, node));
  const open = openNear(p, volume);
  const driver = volume.spec?.csi?.driver ?? claim.provisioner ?? 'the driver';
  return [...goThere(p, near, open), followNode(p, driver)];
}

/** Nodes that could take the pod and use its volume: the scheduler chooses one of them when it tries again. */
function openNear(p: PodCase, volume: Volume): NodeFit[] {
  return fitNodes(p).items.filter(({ node, refusal }) => !refusal && fitsAffinity(volume, node));
}

function goThere(p: PodCase, near: readonly NodeFit[], open: readonly NodeFit[]): Fix[] {
  if (open.length === 0) return openNodeFixes(p, near);
  return [
    steps(
      `Let the scheduler try again: pod/${p.pod.metadata.name} can run on ${nameNodes(open)}, where the volume ` +
        'is, and it is scheduled there automatically, within 5 minutes.',
      [],
    ),
  ];
}

/**
 * With strict topology the provisioner passes only the selected node's topology to the driver (external-provisioner
 * README).
 */
function followNode(p: PodCase, driver: string): Fix {
  const text =
    `For new volumes, run the external-provisioner of ${driver} with --strict-topology, so that the driver ` +
    'gets only the topology of the selected node. ' +
    'If it already does, the driver ignores it: report that to its maintainers, and set ' +
    'allowedTopologies in the class.';
  const workload = p.ask
    .seen('Deployment')
    .find(({ spec }) => mentionsDriver(spec?.template?.spec, driver) && sidecarOf(spec?.template?.spec, 'provisioner'));
  const containers = workload?.spec?.template?.spec?.containers ?? [];
  const index = containers.findIndex((each) => each === sidecarOf(workload?.spec?.template?.spec, 'provisioner'));
  const container = containers[index];
  if (!workload || !container?.args || flagOf(container, 'strict-topology') !== undefined)
    return steps(text, [], 'disruptive');
  const patch = [{ op: 'add', path: `/spec/template/spec/containers/${index}/args/-`, value: '--strict-topology' }];
  return steps(text, [kubectl('patch', workload, `--type=json -p ${shellWord(JSON.stringify(patch))}`)], 'disruptive');
}

/** The volume or the node could not be read: the scheduler names both. */
function explainUnread(p: PodCase): Explanation | undefined {
  const said = /pv "([^"]+)" node affinity doesn't match node "([^"]+)"/.exec(p.schedulingMessage?.raw ?? '');
  const [evidence] = schedulerSaid(p);
  if (!said || !evidence) return undefined;
  const [, volumeName = '', nodeName = ''] = said;
  return {
    confidence: 'likely',
    summary:
      `The scheduler selected ${nodeName}, but pv/${volumeName} was created where that node cannot use it. ` +
      'The volume could not be read.',
    evidence: [evidence],
    fix: [
      steps(
        `Let the scheduler try again: if a node in the topology of pv/${volumeName} takes ` +
          `pod/${p.pod.metadata.name}, it is scheduled there automatically, within 5 minutes.`,
        [],
      ),
      followNode(p, p.claims[0]?.provisioner ?? 'the driver'),
    ],
  };
}
