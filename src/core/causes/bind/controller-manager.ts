import type { Lease } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';

const manager = 'kube-controller-manager';

/** The host that held the lease last: leader election calls itself HOST_UUID. */
function managerHost(lease: Lease | undefined): string | undefined {
  return /^(.+)_[^_]+$/.exec(lease?.spec?.holderIdentity ?? '')?.[1];
}

/**
 * Brings the kube-controller-manager back. What to do depends on what is found, so that the pods and the last log come
 * first; managed clusters show neither.
 */
export function startManagerFix(lease: Lease | undefined, then: string): Fix {
  const host = managerHost(lease);
  const where = host === undefined ? 'its control plane node' : host;
  const pod = host === undefined ? `-l component=${manager}` : shellWord(`${manager}-${host}`);
  return steps(
    `Start the ${manager} again${host === undefined ? '' : `, which last ran on ${host}`}. ` +
      `If no pod is listed, put its manifest back into /etc/kubernetes/manifests of ${where}; ` +
      'if it restarts, its log names what it lacks (an address, a certificate, a flag). ' +
      `On a managed cluster, ask the provider. ${then}`,
    [`kubectl -n kube-system get pods -l component=${manager} -o wide`, `kubectl -n kube-system logs ${pod} --tail=50`],
  );
}
