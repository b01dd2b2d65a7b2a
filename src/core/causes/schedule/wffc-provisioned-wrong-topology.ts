import type { Node, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { absentKeys, describeReach, fitsAffinity, placedVolumes } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';

/** The scheduler chose a node, and the driver created the volume where that node cannot use it (binder checkBindings). */
export const wffcProvisionedWrongTopology = podRule({
  cause: 'wffc-provisioned-wrong-topology',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.wrongTopology);
    if (p.isScheduled || (blamed === false && blames(p, storageTexts.nodeAffinity) === false)) return undefined;
    const misplaced = findMisplaced(p);
    if (misplaced) return explainMisplaced(p, misplaced);
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
    summary: `node ${chosen.metadata.name} was chosen for pvc/${claim.name}, but its volume was made where that node cannot use it (${describeReach(volume)})`,
    evidence: evidenceOf(p, misplaced),
    fix: adviceFor(misplaced),
  };
}

function evidenceOf(p: PodCase, { claim, volume, chosen }: MisplacedVolume): EvidenceList {
  return [
    field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
    ...(claim.claim
      ? [field(claim.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', chosen.metadata.name)]
      : []),
    field(chosen, 'metadata.labels', affinityLabels(volume, chosen)),
    ...schedulerSaid(p),
  ];
}

/** The labels of the node that the volume's affinity asks for. */
function affinityLabels(volume: Volume, { metadata: { labels = {} } }: Node): string {
  const keys = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key }) => (key ? [key] : [])),
  );
  return [...new Set(keys)].map((key) => `${key}=${labels[key] ?? '(not set)'}`).join(', ');
}

const keepToNode =
  'see where the volume is, and make the provisioner keep to the chosen node (--strict-topology), or limit the class with allowedTopologies';

function adviceFor({ claim, volume }: MisplacedVolume): Fix[] {
  return [
    fix(keepToNode, `kubectl get storageclass ${shellWord(claim.class.name || '-')} -o yaml`),
    fix('or see where the volume is now, and let the pod go there', showAffinity(volume.metadata.name)),
  ];
}

function showAffinity(volumeName: string): string {
  return `kubectl get pv ${shellWord(volumeName)} -o jsonpath='{.spec.nodeAffinity}'`;
}

/** The volume or the node could not be read: the scheduler names both. */
function explainUnread(p: PodCase): Explanation | undefined {
  const said = /pv "([^"]+)" node affinity doesn't match node "([^"]+)"/.exec(p.schedulingMessage?.raw ?? '');
  const [evidence] = schedulerSaid(p);
  if (!said || !evidence) return undefined;
  const [, volumeName = '', nodeName = ''] = said;
  return {
    confidence: 'likely',
    summary: `node ${nodeName} was chosen, but pv/${volumeName} was made where that node cannot use it`,
    evidence: [evidence],
    fix: [fix(keepToNode, showAffinity(volumeName))],
  };
}
