import type { Pod } from '../../../kube/kinds.ts';

/** Names that the containers of a driver's controller or node plugin give to the driver: `--driver-name`, a socket path, an image. */
export function driverOfPod(pod: Pod): string[] {
  const words = (pod.spec?.containers ?? []).flatMap(({ args = [], command = [], env = [] }) => [
    ...args,
    ...command,
    ...env.map(({ value }) => value ?? ''),
  ]);
  const names = words.flatMap((word) => [
    ...(/^--?(?:driver-?name|drivername|csi-driver-name|provisioner)[= ](.+)$/i.exec(word)?.slice(1) ?? []),
    ...(/\/plugins\/([a-z0-9][-a-z0-9.]*)\/csi\.sock/.exec(word)?.slice(1) ?? []),
  ]);
  return [...new Set(names)];
}
