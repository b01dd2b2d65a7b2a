import type { Lease } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { steps } from '../lib/steps.ts';

/** `The kube-controller-manager … has not renewed its lease for 13m` */
export function deadManagerText(lease: Lease, now: number): string {
  const renewed = parseTime(lease.spec?.renewTime);
  const since = renewed === undefined ? '' : ` for ${ageText(renewed, now)}`;
  const holder = lease.spec?.holderIdentity;
  return `the kube-controller-manager has not renewed its lease${since}${holder ? ` (last holder "${holder}")` : ''}`;
}

/** How to start the kube-controller-manager again; `then` is a sentence. */
export function startManagerFixes(ask: Inquiry, lease: Lease | undefined, then: string): Fix[] {
  const host = lease?.spec?.holderIdentity?.split('_')[0] || undefined;
  const where = host === undefined ? '' : ` on ${host}, which held its lease last`;
  return [
    steps(
      `Start the kube-controller-manager${where}: as a static pod it is in /etc/kubernetes/manifests there; ` +
        `on a managed control plane, ask the provider. ${then}`,
      [],
    ),
    steps('Read its last log if it does not stay up: the last lines name why it ended.', [logCommand(ask, host)]),
  ];
}

function logCommand(ask: Inquiry, host: string | undefined): string {
  const name = `kube-controller-manager-${host ?? ''}`;
  const pod = host === undefined ? undefined : ask.graph.find('Pod', 'kube-system', name);
  return `kubectl -n kube-system logs ${pod ? shellWord(name) : '-l component=kube-controller-manager'} --previous --tail=50`;
}
