import type { Container, Pod } from '../../kube/kinds.ts';
import { pathInContainer, pathOnHost, placeInVolume, tidyPath } from './container-path.ts';
import { driverContainerOf, flagOf } from './driver-pods.ts';
import { registrationPathOf, withVariables } from './node-plugin.ts';

interface SocketPlace {
  readonly container?: string;
  readonly socket?: string;
  readonly hostSocket?: string;
  readonly address?: string;
}

/** The names of the flag in drivers. */
const endpointFlags = ['endpoint', 'csi-endpoint', 'csiEndpoint', 'csi-address', 'csi-socket', 'address'] as const;

/** Where the driver of this pod listens: from its own arguments, or from the sidecars that connect to it. */
export function socketOf(pod: Pod): SocketPlace {
  const { spec } = pod;
  const driver = driverContainerOf(spec);
  if (driver === undefined) return {};
  const container = driver.name === undefined ? {} : { container: driver.name };
  const written = endpointOf(driver, pod);
  if (written !== undefined && /^tcp:/i.test(written)) return { ...container, address: written };
  const own = written === undefined ? undefined : pathOf(written);
  const shared = sidecarAddresses(pod)
    .map(({ sidecar, path }) => placeInVolume(spec, sidecar, path))
    .find((place) => place !== undefined && pathInContainer(driver, place) !== undefined);
  const socket = own ?? (shared && pathInContainer(driver, shared));
  const onHost = socket === undefined ? undefined : pathOnHost(spec, driver, socket);
  const hostSocket =
    onHost ??
    (shared?.volume.hostPath?.path === undefined
      ? undefined
      : `${tidyPath(shared.volume.hostPath.path)}${shared.below}`) ??
    knownPath(registrationPathOf(spec));
  return { ...container, ...(socket !== undefined && { socket }), ...(hostSocket !== undefined && { hostSocket }) };
}

function endpointOf(driver: Container, pod: Pod): string | undefined {
  const byFlag = endpointFlags
    .map((flag) => flagOf(driver, flag))
    .find((value) => value !== undefined && value !== 'true');
  const variable = driver.env?.findLast(
    ({ name }) => name !== undefined && /^(CSI_(ENDPOINT|ADDRESS|SOCKET)|ENDPOINT)$/.test(name),
  )?.value;
  const named = byFlag ?? variable;
  if (named !== undefined) return expanded(named, driver, pod);
  // Some drivers name the flag differently, but only an endpoint has this form.
  const words = [
    ...(driver.command ?? []),
    ...(driver.args ?? []),
    ...(driver.env ?? []).map(({ value }) => value ?? ''),
  ];
  const telling = words
    .map((word) => /(?:^|=)(unix:\/{1,3}[^\s,;]+\.sock)$/.exec(word)?.[1])
    .find((found) => found !== undefined);
  return telling === undefined ? undefined : expanded(telling, driver, pod);
}

/** Expanded twice, because the value of a variable may contain other variables. */
const expanded = (text: string, container: Container, pod: Pod): string =>
  withVariables(withVariables(text, container, pod), container, pod);

/** An absolute path; undefined if it contains a variable that is not known. */
function pathOf(endpoint: string): string | undefined {
  const path = endpoint.replace(/^unix:(\/\/)?/i, '');
  return knownPath(path.startsWith('/') ? path : `/${path}`);
}

function knownPath(path: string | undefined): string | undefined {
  return path === undefined || path === '/' || path.includes('$(') ? undefined : tidyPath(path);
}

function sidecarAddresses(pod: Pod): { readonly sidecar: Container; readonly path: string }[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers.flatMap((sidecar) => {
    const address = flagOf(sidecar, 'csi-address');
    const path = address === undefined ? undefined : pathOf(expanded(address, sidecar, pod));
    return path === undefined ? [] : [{ sidecar, path }];
  });
}
