import { field, fix, shellWord } from '../../facts/evidence.ts';
import { blames, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { absentKeys, describeReach, fitsAffinity, placedVolumes } from '../../facts/volume/volume-reach.ts';

/** The scheduler chose a node, and the driver made the volume somewhere else (binder checkBindings). */
export const wffcProvisionedWrongTopology = podRule({
  cause: 'wffc-provisioned-wrong-topology',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.wrongTopology);
    if (p.isScheduled || (blamed === false && blames(p, storageTexts.nodeAffinity) === false)) return undefined;
    for (const { claim, volume } of placedVolumes(p)) {
      const chosen = claim.selectedNode;
      if (chosen === undefined || volume.spec?.nodeAffinity?.required === undefined) continue;
      const node = p.ask.get('Node', undefined, chosen, `where node ${chosen}, chosen for pvc/${claim.name}, is`);
      // A node that lost its labels is another matter: then no key of the affinity is there at all.
      if (node.state !== 'found' || fitsAffinity(volume, node.object) || absentKeys(volume, [node.object]).length > 0)
        continue;
      return {
        about: volume.spec.csi?.driver ?? claim.class.name,
        summary: `node ${chosen} was chosen for pvc/${claim.name}, but its volume was made where that node cannot use it (${describeReach(volume)})`,
        evidence: [
          field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
          ...(claim.claim
            ? [field(claim.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', chosen)]
            : []),
          field(node.object, 'metadata.labels', labelsFor(volume, node.object.metadata.labels ?? {})),
          ...schedulerSaid(p),
        ],
        fix: [
          fix(
            'see where the volume is, and make the provisioner keep to the chosen node (--strict-topology), or limit the class with allowedTopologies',
            `kubectl get storageclass ${shellWord(claim.class.name || '-')} -o yaml`,
          ),
          fix(
            'or see where the volume is now, and let the pod go there',
            `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.nodeAffinity}'`,
          ),
        ],
      };
    }
    const said = blamed
      ? /pv "([^"]+)" node affinity doesn't match node "([^"]+)"/.exec(p.schedulingMessage?.raw ?? '')
      : null;
    const [evidence] = schedulerSaid(p);
    if (!said || !evidence) return undefined;
    return {
      confidence: 'likely',
      summary: `node ${said[2] ?? ''} was chosen, but pv/${said[1] ?? ''} was made where that node cannot use it`,
      evidence: [evidence],
      fix: [
        fix(
          'see where the volume is, and make the provisioner keep to the chosen node (--strict-topology), or limit the class with allowedTopologies',
          `kubectl get pv ${shellWord(said[1] ?? '')} -o jsonpath='{.spec.nodeAffinity}'`,
        ),
      ],
    };
  },
});

function labelsFor(volume: Parameters<typeof describeReach>[0], labels: Readonly<Record<string, string>>): string {
  const keys = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key }) => (key ? [key] : [])),
  );
  return [...new Set(keys)].map((key) => `${key}=${labels[key] ?? '(not set)'}`).join(', ');
}
