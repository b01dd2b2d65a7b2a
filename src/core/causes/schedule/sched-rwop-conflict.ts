import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { blames, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';

const oncePod = 'ReadWriteOncePod';

/** VolumeRestrictions: one pod in the whole cluster, until it is removed; a pod that is still going away counts. */
export const schedRwopConflict = podRule({
  cause: 'sched-rwop-conflict',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.oncePod);
    if (p.isScheduled || blamed === false) return undefined;
    const claims = p.claims.filter((claim) => claim.claim?.spec?.accessModes?.includes(oncePod));
    for (const claim of claims) {
      const holder = p.ask
        .podsUsing(claim)
        .items.find(
          (pod) =>
            pod.metadata.uid !== p.pod.metadata.uid &&
            pod.metadata.name !== p.pod.metadata.name &&
            pod.spec?.nodeName &&
            pod.status?.phase !== 'Succeeded' &&
            pod.status?.phase !== 'Failed',
        );
      if (!holder || !claim.claim) continue;
      const { name, deletionTimestamp } = holder.metadata;
      const leaving = parseTime(deletionTimestamp);
      const others = otherReasonsText(p);
      return {
        summary: `pvc/${claim.name} may be used by one pod at a time (${oncePod}), and pod/${name} on node ${holder.spec?.nodeName ?? ''} uses it${deletionTimestamp === undefined ? '' : `; that pod is being deleted${leaving === undefined ? '' : ` for ${ageText(leaving, p.now)}`}`}${others ? `; other nodes refuse as well (${others})` : ''}`,
        evidence: [
          field(claim.claim, 'spec.accessModes'),
          field(holder, 'spec.nodeName'),
          ...(deletionTimestamp === undefined ? [] : [field(holder, 'metadata.deletionTimestamp')]),
          ...schedulerSaid(p),
        ],
        fix: [
          deletionTimestamp === undefined
            ? fix(
                `stop pod/${name} if this pod shall take over; in a Deployment use the strategy Recreate`,
                `kubectl ${inNamespace(claim.namespace)}delete pod ${shellWord(name)}`,
                'disruptive',
              )
            : fix(
                `see what keeps pod/${name} from going away`,
                `kubectl ${inNamespace(claim.namespace)}describe pod ${shellWord(name)}`,
              ),
          fix(
            'or, if several pods are to share it, move to a claim with ReadWriteOnce (one node) or ReadWriteMany: the mode of this one cannot be changed',
          ),
        ],
      };
    }
    const [said] = schedulerSaid(p);
    const [claim] = claims.length > 0 ? claims : p.claims;
    if (!blamed || !said || !claim) return undefined;
    return {
      confidence: 'likely',
      summary: `pvc/${claim.name} may be used by one pod at a time (${oncePod}), and the scheduler finds that another pod uses it`,
      evidence: [said],
      fix: [fix('find the other pod', `kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`)],
    };
  },
});
