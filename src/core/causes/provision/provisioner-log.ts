import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';

/**
 * Only the log shows the reason, so the step names what to do for each of the usual lines. A provisioner that may not
 * take its lock never names the claim, so those lines are searched for too.
 */
export function readProvisionerLog(
  c: PresentClaim,
  { leader, pods }: Pick<DriverController, 'leader' | 'pods'>,
  lead = 'Read',
): Fix {
  const pod = leader ?? pods.items[0];
  const { namespace = 'PLACEHOLDER_NAMESPACE', name = 'PLACEHOLDER_POD' } = pod?.metadata ?? {};
  const account = pod ? (pod.spec?.serviceAccountName ?? 'default') : 'PLACEHOLDER_ACCOUNT';
  const find = pod ? [] : ['kubectl get pods -A -o wide | grep -i -e csi -e provisioner'];
  const unknown = pod
    ? ''
    : ' PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are those of the provisioner in the list, PLACEHOLDER_ACCOUNT is its service account.';
  const words = [c.claim.metadata.uid ?? c.name, `${c.namespace}/${c.name}`, 'forbidden', 'selfLink'];
  return steps(
    `${lead} what the provisioner logged about the claim, and check the usual reason. If the last answer ` +
      'is "no", or the log says "forbidden", reapply the RBAC of the driver\'s release; if it says ' +
      '"selfLink", upgrade the provisioner; if it names another provisioner, recreate the class with that ' +
      'name; if it says "already exists" or "DeadlineExceeded", an earlier call hangs: check the health of the storage, ' +
      `then restart the provisioner. The provisioner then continues at its next retry, within 5 minutes.${unknown}`,
    [
      ...find,
      `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=1h | grep -F ` +
        `${words.map((word) => `-e ${shellWord(word)}`).join(' ')}`,
      `kubectl auth can-i create persistentvolumes --as=${shellWord(`system:serviceaccount:${namespace}:${account}`)}`,
    ],
  );
}
