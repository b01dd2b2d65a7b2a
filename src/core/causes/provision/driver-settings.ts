import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { driverContainerOf, flagsOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';

/** The file from which the driver next to the provisioner reads its settings, as its arguments name it. */
export interface DriverSettings {
  readonly pod: Pod;
  readonly container: string;
  readonly flag: string;
  /** Undefined where no argument names a file. */
  readonly path: string | undefined;
  /** `/etc/kubernetes/cloud-config (--kubeconfig of container driver)` */
  readonly words: string | undefined;
  /** The name of the file, which is the key of a Secret that holds it. */
  readonly key: string | undefined;
  /** `kubectl -n x rollout restart deployment/y`; undefined for a pod that no workload would create again. */
  readonly restart: string | undefined;
}

const fileFlag = /config|credential|settings|cloud-conf/i;

/** Undefined where the pods of the controller are not known. */
export function driverSettingsOf(c: PresentClaim): DriverSettings | undefined {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  const pod = leader ?? pods?.items[0];
  if (!pod) return undefined;
  const container = driverContainerOf(pod.spec);
  const [flag, path] =
    [...flagsOf(container)].find(([name, value]) => fileFlag.test(name) && value.startsWith('/')) ?? [];
  return {
    pod,
    container: container?.name ?? '',
    flag: flag ?? '',
    path,
    words: path === undefined ? undefined : `${path} (--${flag ?? ''} of container ${container?.name ?? ''})`,
    key: path?.slice(path.lastIndexOf('/') + 1),
    restart: restartCommand(pod),
  };
}

function restartCommand(pod: Pod): string | undefined {
  const owner = ownerOf(pod);
  return (
    owner &&
    `kubectl ${inNamespace(pod.metadata.namespace)}rollout restart ${shellWord(`${owner.kind.toLowerCase()}/${owner.name}`)}`
  );
}
