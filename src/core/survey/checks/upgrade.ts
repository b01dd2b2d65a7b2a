import { selinuxUpgradeConflict } from '../../causes/mount/selinux-upgrade-conflict.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { refOf } from '../../graph/inquiry.ts';
import type { CheckFinding } from '../../report/check.ts';

/** What the next Kubernetes will refuse. Only claims that several pods share are checked, of what has been read. */
export function upgradeFindings(ask: Inquiry, namespace: string | undefined): CheckFinding[] {
  const counts = new Map<string, number>();
  for (const pod of ask.seen('Pod'))
    for (const name of claimNamesOf(pod)) {
      const key = `${pod.metadata.namespace ?? ''}/${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return ask.seen('PersistentVolumeClaim').flatMap((claim) => {
    const { namespace: place = '', name } = claim.metadata;
    if ((counts.get(`${place}/${name}`) ?? 0) < 2 || (namespace !== undefined && place !== namespace)) return [];
    const subject = new ClaimCase(ask, place, name, claim);
    const found =
      isPresent(subject) && selinuxUpgradeConflict.on === 'claim' ? selinuxUpgradeConflict.explain(subject) : undefined;
    if (!found) return [];
    const { summary, evidence, fix, confidence = 'certain' } = found;
    const { cause: id, severity } = selinuxUpgradeConflict;
    return [{ id, type: 'cause', severity, confidence, object: refOf(claim), summary, group: summary, evidence, fix }];
  });
}
