import { connectionNames, connectionTable } from '../../cli/connection-flags.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';

export interface ProbeFlags extends ConnectionValues {
  readonly timeout: string;
  readonly deep: boolean;
  readonly driver?: string | undefined;
  readonly 'kubelet-root'?: string | undefined;
  readonly node?: string[] | undefined;
  readonly 'all-nodes': boolean;
  readonly exec: boolean;
  readonly 'create-pods': boolean;
  readonly 'probe-image'?: string | undefined;
  readonly 'probe-namespace'?: string | undefined;
  readonly 'tunnel-command'?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly watch: boolean;
  readonly interval?: string | undefined;
  readonly retry?: string | undefined;
  readonly 'wait-ready'?: string | undefined;
  readonly output: 'text' | 'wide' | 'junit' | DocumentFormat;
  readonly color: string;
}

export function refuseContradictions(words: readonly string[], flags: ProbeFlags): void {
  if (words.length > 0 && flags['kubelet-root'] !== undefined)
    throw new UserError(
      '--kubelet-root cannot be combined with an endpoint',
      'It sets where to search if no endpoint is given',
    );
  refuseRoundContradictions(flags);
  if (flags['all-nodes'] && flags.node !== undefined) throw new UserError('--node cannot be combined with --all-nodes');
  if (flags['tunnel-command'] !== undefined && !flags.exec && !flags['create-pods'])
    throw new UserError('--tunnel-command needs --exec or --create-pods');
  refusePodContradictions(flags);
}

function refuseRoundContradictions(flags: ProbeFlags): void {
  const isRepeated = flags.retry !== undefined || flags['wait-ready'] !== undefined;
  if (flags.watch && isRepeated)
    throw new UserError('--watch cannot be combined with --retry or --wait-ready', '--watch already keeps trying');
  if (flags.watch && flags.output === 'junit')
    throw new UserError('-o junit cannot be combined with --watch', 'A JUnit report is one document');
  if (flags.interval !== undefined && !flags.watch && !isRepeated)
    throw new UserError('--interval needs --watch, --retry or --wait-ready');
  if (flags['create-pods'] && (flags.watch || isRepeated))
    throw new UserError(
      '--create-pods cannot be combined with --watch, --retry or --wait-ready',
      'Each round would create new pods',
    );
}

function refusePodContradictions(flags: ProbeFlags): void {
  const { 'probe-image': image, 'probe-namespace': namespace } = flags;
  for (const name of ['probe-namespace', 'probe-image'] as const)
    if (flags[name] !== undefined && !flags['create-pods']) throw new UserError(`--${name} needs --create-pods`);
  if (image !== undefined && !/^[^\s\p{C}]+$/u.test(image))
    throw new UserError(`--probe-image must be an image, not "${image}"`);
  if (namespace !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new UserError(`--probe-namespace must be a namespace, not "${namespace}"`);
}

/** The first flag that applies only to a cluster. */
export function clusterFlagIn(flags: ProbeFlags): string | undefined {
  const isSwitch = (name: (typeof connectionNames)[number]): boolean => connectionTable[name].type === 'switch';
  const values = [
    ...connectionNames.filter((name) => !isSwitch(name)),
    ...(['node', 'probe-namespace', 'probe-image', 'tunnel-command', 'concurrency'] as const),
  ];
  const switches = [...(['all-nodes', 'exec', 'create-pods'] as const), ...connectionNames.filter(isSwitch)];
  return values.find((name) => flags[name] !== undefined) ?? switches.find((name) => flags[name] === true);
}

/** Whether the words and flags name something on this machine; refuses flags that contradict that. */
export function isLocalProbe(
  { endpoints, drivers }: { readonly endpoints: readonly string[]; readonly drivers: readonly string[] },
  flags: ProbeFlags,
): boolean {
  const flag = clusterFlagIn(flags);
  const isLocal = endpoints.length > 0 || flags['kubelet-root'] !== undefined;
  if (isLocal && flag !== undefined)
    throw new UserError(
      `--${flag} is for drivers of a cluster and cannot be combined with ` +
        `${endpoints.length > 0 ? 'an endpoint on this machine' : '--kubelet-root'}`,
    );
  if (drivers.length > 0 && flags.driver !== undefined)
    throw new UserError('--driver needs an endpoint', 'A driver that is probed by name must report that name anyway');
  return isLocal;
}

export function concurrencyOf(written = '10'): number {
  const number = Number(written);
  if (!/^\d{1,4}$/.test(written) || number < 1 || number > 1000)
    throw new UserError(`--concurrency must be a number from 1 to 1000, not "${written}"`);
  return number;
}

export function retriesOf(written: string | undefined): number {
  if (written === undefined) return 0;
  if (!/^\d{1,6}$/.test(written)) throw new UserError(`--retry must be a number, not "${written}"`);
  return Number(written);
}
