import { UserError } from '../../core/kube/errors.ts';
import { resourceNamed } from '../../core/kube/resources.ts';

/** What to probe: sockets of this machine, or drivers of a cluster. */
export interface ProbeWords {
  readonly endpoints: readonly string[];
  readonly drivers: readonly string[];
}

/** `csidriver/NAME`, `csidriver NAME` or a bare NAME is a driver; anything like an address or a path is an endpoint. */
export function splitProbeWords(words: readonly string[]): ProbeWords {
  const [first = '', ...others] = words;
  if (isDriverType(first)) {
    if (others.length === 0)
      throw new UserError(
        `"${first}" is a type without a name`,
        `Write ${first}/NAME, or remove it to probe all drivers`,
      );
    return { endpoints: [], drivers: unrepeated(others.map(checkedName)) };
  }
  for (const word of words) refuseOtherType(word);
  const drivers = words.filter((word) => nameIn(word) !== undefined);
  const endpoints = words.filter((word) => nameIn(word) === undefined);
  if (drivers.length > 0 && endpoints.length > 0)
    throw new UserError(
      `"${endpoints[0]}" is on this machine, and "${drivers[0]}" is a driver of a cluster`,
      'Probe them one after the other',
    );
  return { endpoints, drivers: unrepeated(drivers.map((word) => checkedName(nameIn(word) ?? ''))) };
}

const isDriverType = (word: string): boolean =>
  resourceNamed(word)?.kind === 'CSIDriver' &&
  !word.includes('/') &&
  /^(csidrivers?|drivers?)(\.storage\.k8s\.io)?$/i.test(word);

/** The driver that a word names; undefined for an endpoint. */
function nameIn(word: string): string | undefined {
  const [type = '', name, ...more] = word.split('/');
  if (name !== undefined)
    return more.length === 0 && isDriverType(type) && !name.endsWith('.sock') && name !== '' ? name : undefined;
  return word === '' || word.endsWith('.sock') || /[:*?[{@\u0000-\u001f\u007f]/.test(word) ? undefined : word;
}

/** `pvc/data` is neither a path nor a driver. */
function refuseOtherType(word: string): void {
  const [type = '', name = '', ...more] = word.split('/');
  const resource = more.length > 0 || name === '' || name.endsWith('.sock') ? undefined : resourceNamed(type);
  if (resource === undefined || resource.kind === 'CSIDriver') return;
  const next =
    resource.kind === 'Node' || resource.kind === 'CSINode'
      ? `To probe the drivers on a node, use --node ${name}`
      : 'Pass a driver from kubectl get csidrivers';
  throw new UserError(
    `"${word}" is not a driver, and only drivers can be probed`,
    `${next}, or write ./${word} if it is a path`,
  );
}

function checkedName(name: string): string {
  if (!/^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$/.test(name) || name.length > 253)
    throw new UserError(
      `"${name}" is not a valid driver name`,
      'Pass a driver from kubectl get csidrivers, or a socket as unix:///path or a path',
    );
  return name;
}

const unrepeated = (names: readonly string[]): string[] => [...new Set(names)];
