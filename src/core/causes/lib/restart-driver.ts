import { healthOf } from '../../facts/driver/driver-endpoints-sidecars.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from './steps.ts';

interface RestartOptions {
  readonly isCsi?: boolean;
  /**
   * What to ask for first, because the storage may be what does not answer: `ask your storage team whether …`, with a
   * full stop.
   */
  readonly askFirst?: string;
}

/**
 * Whether `kubectl csi probe` can find out that the driver in a pod answers: without a livenessprobe next to it nothing
 * reports it. A pod that is not known may have one.
 */
export function canBeProbed(pod: Pod | undefined): boolean {
  return pod === undefined || healthOf(pod, 0) !== undefined;
}

/**
 * Restarts the pod that holds a driver next to one of its sidecars; its log is saved first, because it goes with the
 * pod.
 */
export function restartDriverPod(
  { driver, role, leader, pods, workload, lease }: DriverController,
  { isCsi = true, askFirst = '' }: RestartOptions = {},
): Fix {
  const pod = leader ?? pods.items[0];
  const home = pod?.metadata.namespace ?? lease.object?.metadata.namespace;
  const namespace = home ?? 'PLACEHOLDER_NAMESPACE';
  const name = pod?.metadata.name ?? 'PLACEHOLDER_POD';
  const place = home === undefined ? '-A' : `-n ${shellWord(home)}`;
  const list =
    `kubectl get pods ${place} -o ` +
    `custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i ${role}`;
  const blank = home === undefined ? 'PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are' : 'PLACEHOLDER_POD is';
  const isProbed = isCsi && canBeProbed(pod);
  return steps(
    `${beginning(isProbed, askFirst)} and restart the pod that holds it next to the ` +
      `${role}${pod ? '' : ` (${blank} in the list)`}. The ${role} then calls again at once.`,
    [
      ...(isProbed ? [`kubectl csi probe ${shellWord(driver)}`] : []),
      ...(pod ? [] : [list]),
      `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=15m > ${shellWord(`${name}.log`)}`,
      pod
        ? (restartFix(pod, workload, '').command ?? '')
        : `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(name)}`,
    ],
    'disruptive',
  );
}

/**
 * A probe distinguishes a driver that hangs from one that waits for its storage; without one a person has to rule out
 * the storage.
 */
function beginning(isProbed: boolean, askFirst: string): string {
  if (isProbed)
    return (
      `Probe the driver. ${askFirst === '' ? '' : `If it answers, the storage behind it does not: stop here, and ${askFirst} `}If ` +
      'it does not answer, save its log'
    );
  return askFirst === ''
    ? `Save the log of the driver`
    : `${askFirst.charAt(0).toUpperCase()}${askFirst.slice(1)} If the storage is well, save the log of the driver`;
}
