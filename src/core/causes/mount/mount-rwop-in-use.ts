import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/** A pod that bypassed the scheduler finds out at the kubelet only (operation_generator.go GenerateMountVolumeFunc). */
export const mountRwopInUse = podRule({
  cause: 'mount-rwop-in-use',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const node = nodeOf(p);
    const failure = failureOf(p, 'oncePod');
    const said = failure ? [eventSaid(p.pod, failure.event)] : [];
    for (const use of volumeUsesOf(p)) {
      const modes = use.volumeObject?.spec?.accessModes ?? use.claim?.claim?.spec?.accessModes ?? [];
      if (!use.claim?.claim || modes.length !== 1 || modes[0] !== 'ReadWriteOncePod') continue;
      const holder = p.ask
        .podsUsing(use.claim)
        .items.find(
          (pod) => pod.metadata.uid !== p.pod.metadata.uid && pod.spec?.nodeName === node && !isTerminated(pod),
        );
      if (!holder) continue;
      const { name, deletionTimestamp } = holder.metadata;
      return {
        summary: `pvc/${use.claim.name} may be used by one pod at a time (ReadWriteOncePod), and pod/${name} on the same node ${node} ${deletionTimestamp === undefined ? 'uses it' : 'still uses it while it is being deleted'}`,
        evidence: [
          field(use.volumeObject ?? use.claim.claim, 'spec.accessModes'),
          field(holder, 'spec.nodeName'),
          ...said,
        ],
        fix: [
          fix(
            `stop pod/${name} if ${podWords(p)} shall take over`,
            `kubectl ${inNamespace(use.claim.namespace)}delete pod ${shellWord(name)}`,
            'disruptive',
          ),
          fix('or use a claim with ReadWriteOnce, which several pods of one node may share'),
        ],
      };
    }
    const [first] = said;
    if (!failure || !first) return undefined;
    return {
      confidence: 'likely',
      summary: `${volumeWords(toldVolume(p, failure), failure)} may be used by one pod at a time (ReadWriteOncePod), and another pod on ${node} uses it`,
      evidence: [first],
      fix: [fix('find the other pod', `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`)],
    };
  },
});
