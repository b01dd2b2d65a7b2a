import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { loadKubeconfig } from '../../io/cluster/kubeconfig.ts';
import type { Kubeconfig } from '../../io/cluster/kubeconfig.ts';
import { findTarget } from '../../io/cluster/target.ts';
import { connectionOf } from '../connection-flags.ts';
import type { ConnectionName, ConnectionValues } from '../connection-flags.ts';
import { unknownName } from '../near-names.ts';
import { readsDump } from '../source-flags.ts';
import type { SourceValues } from '../source-flags.ts';
import type { ContextsValues } from './contexts-flags.ts';

export type SeveralFlags = ContextsValues &
  SourceValues &
  ConnectionValues & { readonly namespace?: string | undefined; readonly watch?: boolean };

export interface ChosenContext {
  readonly name: string;
  /** Another context that leads to the same cluster as the same user and asks the same question. */
  readonly sameAs?: string;
}

/** Flags that apply to one cluster, and would send its credentials or its trust to the others. */
const ofOneCluster: readonly (ConnectionName | 'prometheus' | 'kubelet-ca')[] = [
  'context',
  'cluster',
  'user',
  'server',
  'token',
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tls-server-name',
  'insecure-skip-tls-verify',
  'prometheus',
  'kubelet-ca',
];

/** Refuses what several clusters cannot answer at once. */
export function refuseSingleFlags(flags: SeveralFlags): void {
  const flag = flags['all-contexts'] === true ? '--all-contexts' : '--contexts';
  if (flags.contexts === undefined && flags['all-contexts'] !== true)
    throw new UserError('--context-timeout needs --contexts or --all-contexts', 'For one cluster: --request-timeout');
  if (flags.contexts !== undefined && flags['all-contexts'] === true)
    throw new UserError('--contexts cannot be combined with --all-contexts', 'Remove one of them');
  if (readsDump(flags))
    throw new UserError(
      `${flag} cannot be combined with --from`,
      'To read several dumps as several clusters, name each: --from prod=prod.tgz --from stage=stage.tgz',
    );
  const single = ofOneCluster.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (single !== undefined)
    throw new UserError(
      `--${single} cannot be combined with ${flag}`,
      single === 'context'
        ? 'Remove one of them'
        : `It is about one cluster. Set it in the kubeconfig, or read that cluster alone`,
    );
}

/** The requested contexts, each once. One that does not exist ends the command before anything is read. */
export async function chooseContexts(
  flags: SeveralFlags,
  isAboutWholeCluster: boolean,
): Promise<{ readonly kubeconfig: Kubeconfig; readonly chosen: readonly ChosenContext[] }> {
  const kubeconfig = await loadKubeconfig(flags.kubeconfig, process.env);
  const known = [...kubeconfig.contexts.keys()].filter((name) => name !== '');
  if (known.length === 0) throw noContexts(kubeconfig);
  const names = flags['all-contexts'] === true ? known : namesIn(flags.contexts ?? [], known);
  for (const name of names)
    if (!known.includes(name))
      throw await unknownName('context', name, known, 'Run kubectl config get-contexts to list them');
  return { kubeconfig, chosen: await markSame(names, kubeconfig, flags, isAboutWholeCluster) };
}

function noContexts({ files, missing }: Kubeconfig): EnvironmentError {
  if (files.length > 0)
    return new EnvironmentError(`the kubeconfig ${files.join(', ')} has no context`, 'Pass another --kubeconfig');
  return new EnvironmentError(
    missing.length > 0
      ? `KUBECONFIG points to ${missing.join(' and ')}, which ${missing.length === 1 ? 'does' : 'do'} not exist`
      : 'no kubeconfig was found',
    'Pass --kubeconfig, or set KUBECONFIG',
  );
}

/** Separated by commas, unless a context has the whole text as its name. */
function namesIn(values: readonly string[], known: readonly string[]): string[] {
  const names = values.flatMap((value) =>
    known.includes(value)
      ? [value]
      : value
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
  );
  if (names.length === 0)
    throw new UserError('--contexts needs at least one name', 'Write for example --contexts prod,stage');
  return [...new Set(names)];
}

/**
 * Contexts of one cluster and user that differ in their namespace only are one, unless the namespace is part of the
 * question.
 */
async function markSame(
  names: readonly string[],
  kubeconfig: Kubeconfig,
  flags: SeveralFlags,
  isAboutWholeCluster: boolean,
): Promise<ChosenContext[]> {
  const first = new Map<string, string>();
  const chosen: ChosenContext[] = [];
  for (const name of names) {
    const key = await keyOf(name, kubeconfig, flags, isAboutWholeCluster);
    const sameAs = first.get(key);
    if (sameAs === undefined) first.set(key, name);
    chosen.push({ name, ...(sameAs !== undefined && { sameAs }) });
  }
  return chosen;
}

async function keyOf(
  name: string,
  kubeconfig: Kubeconfig,
  flags: SeveralFlags,
  isAboutWholeCluster: boolean,
): Promise<string> {
  try {
    const { cluster, login, user, namespace } = await findTarget(
      { ...connectionOf(flags), context: name },
      { variables: process.env, kubeconfig },
    );
    return JSON.stringify([cluster, login, user, isAboutWholeCluster ? '' : namespace]);
  } catch {
    // It cannot be used, and is reported when it is read.
    return name;
  }
}
