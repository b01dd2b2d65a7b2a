import { UserError } from '../core/kube/errors.ts';
import { shellWord } from '../core/kube/shell-word.ts';
import type { UsageOptions } from '../io/cluster/usage/usage-request.ts';

/** The values of the flags that name a dump to read instead of a cluster. */
export interface SourceValues {
  readonly from?: string[] | undefined;
  readonly complete?: boolean;
  readonly at?: string | undefined;
  readonly usage?: boolean;
  readonly prometheus?: string | undefined;
  readonly kubelet?: boolean;
  readonly 'kubelet-ca'?: string | undefined;
  readonly 'node-proxy'?: boolean;
}

/** Where to read how full volumes are; undefined unless a flag asks for it. */
export function usageOptionsOf(flags: SourceValues): UsageOptions | undefined {
  const { prometheus, kubelet = false, 'node-proxy': nodeProxy = false } = flags;
  const authority = flags['kubelet-ca'];
  if (authority !== undefined && !kubelet)
    throw new UserError('--kubelet-ca needs --kubelet', 'It verifies the kubelets that are queried directly');
  if (flags.usage !== true && prometheus === undefined && !kubelet && !nodeProxy) return undefined;
  if (prometheus !== undefined) refuseAddress(prometheus);
  return {
    ...(prometheus !== undefined && { prometheus }),
    kubelet,
    nodeProxy,
    ...(authority !== undefined && { kubeletAuthority: authority }),
  };
}

/** A password goes over an encrypted connection only. */
function refuseAddress(text: string): void {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (!address || (address.protocol !== 'http:' && address.protocol !== 'https:'))
    throw new UserError(
      '--prometheus needs an address',
      'Write for example --prometheus http://localhost:9090, after a port-forward',
    );
  if (address.protocol === 'http:' && (address.username !== '' || address.password !== ''))
    throw new UserError('--prometheus would send a password without encryption', 'Use https:// in its address');
}

export function readsDump({ from = [] }: SourceValues): boolean {
  return from.length > 0;
}

/**
 * What to append to a command that has to read the same dump again; without it, the command would query the current
 * cluster.
 */
export function commandEnd({ from = [] }: SourceValues): string {
  return from.map((path) => ` --from ${path === '-' ? path : shellWord(path)}`).join('');
}

/** Refuses flags that contradict each other: a dump cannot be watched, and some flags only describe a dump. */
export function refuseSourceContradictions(flags: SourceValues, watch = false): void {
  const isDump = readsDump(flags);
  if (watch && isDump)
    throw new UserError('--watch cannot be combined with --from', 'A dump does not change: remove one of them');
  if (isDump && usageOptionsOf(flags) !== undefined)
    throw new UserError('usage cannot be measured with --from', 'A dump holds objects, and no kubelet answers for it');
  if (!isDump) usageOptionsOf(flags);
  if (!isDump && flags.complete) throw new UserError('--complete needs --from', 'It declares that a dump is complete');
  if (!isDump && flags.at !== undefined) throw new UserError('--at needs --from', 'It sets the time of a dump');
}
