import type { Inquiry } from '../../graph/inquiry.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Lease } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { onNode } from '../lib/node-commands.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Named } from '../lib/steps.ts';

/** `lease kube-system/kube-controller-manager was last renewed 25m ago (holder "control-1_abc")` */
export function staleLeaseWords({ metadata, spec }: Lease, now: number): string {
  const renewed = parseTime(spec?.renewTime);
  const since = renewed === undefined ? 'is not renewed' : `was last renewed ${ageText(renewed, now)} ago`;
  return `lease ${metadata.namespace ?? ''}/${metadata.name} ${since}${spec?.holderIdentity ? ` (holder "${spec.holderIdentity}")` : ''}`;
}

/** The kube-controller-manager does not run: its lease is stale. */
export function startManagerFix(ask: Inquiry, lease: Lease, then: string): Fix {
  const host = hostOf(lease);
  const isNode = ask.seen('Node').some(({ metadata }) => metadata.name === host);
  const place = host === '' ? 'the control plane' : `control-plane host ${host}`;
  return steps(
    `Start the kube-controller-manager on ${place} again: its log shows why it stopped, and a restart of the ` +
      `kubelet there starts its static pod. On a managed cluster, ask the provider. ${then}`,
    [
      'kubectl -n kube-system logs -l component=kube-controller-manager --tail=50',
      isNode
        ? onNode(host, 'systemctl restart kubelet')
        : `ssh ${shellWord(host || 'PLACEHOLDER_HOST')} systemctl restart kubelet`,
    ],
    'disruptive',
  );
}

/**
 * The kube-controller-manager seems to run: either the API server refuses its update, or one of its controllers is
 * stuck. It runs as a static pod: deleting that pod restarts nothing, stopping its container does.
 */
export function testUpdateFix(ask: Inquiry, object: Named, then: string): Fix {
  const lease = ask.get('Lease', 'kube-system', 'kube-controller-manager', 'whether the kube-controller-manager runs');
  const host = lease.state === 'found' ? hostOf(lease.object) : '';
  const unknown = host === '' ? ' PLACEHOLDER_HOST is the control-plane host that leads.' : '';
  return steps(
    'Test whether updates of it are refused: the first line changes nothing, and a refusal names the webhook ' +
      'to correct. If it is accepted, restart the kube-controller-manager with the second line: ' +
      `one of its controllers is stuck.${unknown} ${then}`,
    [
      kubectl('annotate', object, 'kubectl-csi/test=1 --dry-run=server'),
      `ssh ${shellWord(host || 'PLACEHOLDER_HOST')} 'crictl stop $(crictl ps -q --name kube-controller-manager)'`,
    ],
    'disruptive',
  );
}

/** It signs its lease as HOST_UUID. */
function hostOf({ spec }: Lease): string {
  return (spec?.holderIdentity ?? '').split('_')[0] ?? '';
}
