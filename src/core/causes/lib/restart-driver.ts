import { restartFix } from '../../facts/driver/controller-fixes.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from './steps.ts';

interface RestartOptions {
  readonly when?: string;
  readonly isCsi?: boolean;
  /** What to do instead where the driver answers, as sentences. */
  readonly ifItAnswers?: string;
}

/** Restarts the pod that holds a driver next to one of its sidecars; its log is saved first, because it goes with the pod. */
export function restartDriverPod(
  { driver, role, leader, pods, workload, lease }: DriverController,
  { when = '', isCsi = true, ifItAnswers = '' }: RestartOptions = {},
): Fix {
  const pod = leader ?? pods.items[0];
  const home = pod?.metadata.namespace ?? lease.object?.metadata.namespace;
  const namespace = home ?? 'PLACEHOLDER_NAMESPACE';
  const name = pod?.metadata.name ?? 'PLACEHOLDER_POD';
  const place = home === undefined ? '-A' : `-n ${shellWord(home)}`;
  const list = `kubectl get pods ${place} -o custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i ${role}`;
  const blank = home === undefined ? 'PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are' : 'PLACEHOLDER_POD is';
  return steps(
    `Probe the driver${when}. ${ifItAnswers === '' || !isCsi ? '' : `${ifItAnswers} `}If it does not answer, save its log and restart the pod that holds it next to the ${role}${pod ? '' : ` (${blank} in the list)`}. The ${role} then calls again at once.`,
    [
      ...(isCsi ? [`kubectl csi probe ${shellWord(driver)}`] : []),
      ...(pod ? [] : [list]),
      `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=15m > ${shellWord(`${name}.log`)}`,
      pod
        ? (restartFix(pod, workload, '').command ?? '')
        : `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(name)}`,
    ],
    'disruptive',
  );
}
