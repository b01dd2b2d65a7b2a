import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { canBeProbed } from '../lib/restart-driver.ts';
import { steps } from '../lib/steps.ts';

/** `PLACEHOLDER_…` where the pod of the attacher is not known. */
interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  readonly isKnown: boolean;
}

function accountOf({ leader, pods }: DriverController): ServiceAccount {
  const pod = leader ?? pods.items[0];
  const { namespace } = pod?.metadata ?? {};
  const name = pod?.spec?.serviceAccountName;
  return namespace !== undefined && name !== undefined
    ? { namespace, name, isKnown: true }
    : { namespace: 'PLACEHOLDER_NAMESPACE', name: 'PLACEHOLDER_ACCOUNT', isKnown: false };
}

const placeholderText = ' PLACEHOLDER_NAMESPACE and PLACEHOLDER_ACCOUNT are the service account of the attacher.';

/** Only the log or the API server shows whether the attacher has a right: the first line asks, the others grant it. */
export function checkRightFix(
  controller: DriverController,
  resource: 'volumeattachments' | 'volumeattachments/status',
): Fix {
  const { namespace, name, isKnown } = accountOf(controller);
  const [plain = '', subresource] = resource.split('/');
  const who = shellWord(`system:serviceaccount:${namespace}:${name}`);
  const role = shellWord(`${name}-patch-${resource.replace('/', '-')}`);
  const part = subresource === undefined ? '' : ` --subresource=${subresource}`;
  return steps(
    `Check whether the attacher may patch ${resource}. ` +
      `If the first line prints "no", grant it: best by reapplying the RBAC manifests of the driver's release, ` +
      'otherwise with the other two lines. ' +
      `The attacher then continues automatically within about 5 minutes.${isKnown ? '' : placeholderText}`,
    [
      `kubectl auth can-i patch ${plain}.storage.k8s.io${part} --as=${who}`,
      `kubectl create clusterrole ${role} --verb=patch ` +
        `--resource=${plain}.storage.k8s.io${subresource === undefined ? '' : `/${subresource}`}`,
      `kubectl create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=${shellWord(`${namespace}:${name}`)}`,
    ],
  );
}

/**
 * A fresh attacher, together with the driver next to it, takes up all attachments again; the log goes with the pod, so
 * it is saved first. `when` is what comes before: `If it prints "yes"`.
 */
export function restartAttacher(controller: DriverController, when = ''): Fix {
  const { leader, pods, workload, driver } = controller;
  const pod = leader ?? pods.items[0];
  const save = when === '' ? 'Save' : `${when}, save`;
  const text =
    `${save} the log and restart the pod of the attacher, which also holds the driver's controller. ` +
    `It then takes up all attachments of ${driver} again.`;
  if (!pod)
    return steps(
      `${text} PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are in the list.`,
      [
        `kubectl get pods -A -o custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i attacher`,
        'kubectl -n PLACEHOLDER_NAMESPACE logs PLACEHOLDER_POD --all-containers --since=15m > attacher.log',
        'kubectl -n PLACEHOLDER_NAMESPACE delete pod PLACEHOLDER_POD',
      ],
      'disruptive',
    );
  const { namespace = 'default', name } = pod.metadata;
  return steps(
    text,
    [
      `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)} --all-containers --since=15m > ${shellWord(`${name}.log`)}`,
      restartFix(pod, workload, '').command ?? '',
    ],
    'disruptive',
  );
}

/**
 * A restart helps a driver that does not answer; where its pod has a livenessprobe, `kubectl csi probe` shows whether
 * it does.
 */
export function probeFix(ask: Inquiry, driver: string): Fix {
  const controller = findController(ask, driver, 'attacher');
  if (!canBeProbed(controller.leader ?? controller.pods.items[0])) return restartAttacher(controller);
  const restart = restartAttacher(controller, 'Probe the driver. If it does not answer');
  return steps(restart.text, [`kubectl csi probe ${shellWord(driver)}`, ...(restart.commands ?? [])], restart.risk);
}
