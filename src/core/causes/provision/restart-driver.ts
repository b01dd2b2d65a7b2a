import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { steps } from '../lib/steps.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** The pod that holds the driver next to its provisioner, started again; its log is saved first, since it goes with the pod. */
export function restartDriver(c: PresentClaim, when = ''): Fix[] {
  const provisioner = externalProvisionerOf(c);
  if (!provisioner) return [];
  const { leader, pods, workload } = controllerOf(c, provisioner);
  const pod = leader ?? pods.items[0];
  const probe = provisioner.isCsi ? [`kubectl csi probe ${shellWord(provisioner.name)}`] : [];
  const { namespace = 'PLACEHOLDER_NAMESPACE', name = 'PLACEHOLDER_POD' } = pod?.metadata ?? {};
  const find = pod
    ? []
    : [
        `kubectl get pods -A -o custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i provisioner`,
      ];
  return [
    steps(
      `Probe the driver${when}. If it does not answer, save its log and restart the pod that holds it next to the provisioner${pod ? '' : ' (PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are in the list)'}. The provisioner then calls again at once.`,
      [
        ...probe,
        ...find,
        `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=15m > ${shellWord(`${name}.log`)}`,
        pod
          ? (restartFix(pod, workload, '').command ?? '')
          : `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(name)}`,
      ],
      'disruptive',
    ),
  ];
}
