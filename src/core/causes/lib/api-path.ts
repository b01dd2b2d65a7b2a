import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { apiServerIn, isLoopback } from './driver-error/senses/api-server.ts';
import { networkTexts } from './driver-error/senses/network.ts';
import { steps } from './steps.ts';

/** The address of the Kubernetes API that the text could not reach; an address of the pod itself is a wrong setting. */
export function unreachedApi(text: string): string | undefined {
  const address = networkTexts.test(text) ? apiServerIn(text) : undefined;
  return address === undefined || isLoopback(address) ? undefined : address;
}

/** It cannot reach the Kubernetes API from its node: a test from there and from another node shows whose fault it is. */
export function repairApiPath(pod: Pod, address: string, other: string | undefined): Fix[] {
  const { namespace } = pod.metadata;
  const node = pod.spec?.nodeName;
  const owner = ownerOf(pod);
  if (node === undefined) return [];
  const call = (place: string, title: string): string =>
    `kubectl ${inNamespace(namespace)}run ${title} --rm -it --restart=Never --image=busybox ` +
    `--overrides=${shellWord(JSON.stringify({ spec: { nodeName: place } }))} -- ` +
    `wget -T 5 -q -O - --no-check-certificate ${shellWord(`https://${address}/version`)}`;
  const compared = other === undefined ? '' : `, the third from ${other}`;
  return [
    steps(
      `Repair the path from the pods of ${node} to the Kubernetes API at ${address}: kube-proxy, the network plugin, or a firewall between ${node} and the control plane. The first line lists the pods of ${node}, the second calls the API from there${compared}. ` +
        `If the call fails, restart the kube-proxy and network plugin pods of ${node} and open the firewall to the API servers; if it answers, the fault is over. The container restarts automatically within 5 minutes, and waiting claims are then provisioned.`,
      [
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
        call(node, 'api-test'),
        ...(other === undefined ? [] : [call(other, 'api-test-other')]),
      ],
    ),
    // A pod without an owner would not come back.
    ...(other === undefined || !owner
      ? []
      : [
          steps(
            `If ${other} reaches the API, move the pod to such a node until ${node} is repaired: cordon ${node}, and restart the workload of the pod.`,
            [
              `kubectl cordon ${shellWord(node)}`,
              `kubectl ${inNamespace(namespace)}rollout restart ${shellWord(`${owner.kind.toLowerCase()}/${owner.name}`)}`,
            ],
            'disruptive',
          ),
        ]),
  ];
}
