import { shellWord } from './shell-word.ts';

/** How commands reach the intended cluster. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
}

/** `--context prod`; with an equals sign where the name could be taken for another flag. */
export function contextFlag(context: string, flag = '--context'): string {
  return context.startsWith('-') ? `${flag}=${shellWord(context)}` : `${flag} ${shellWord(context)}`;
}

/** The flags with which kubectl and this program reach the cluster: `--kubeconfig lab.yaml --context prod`. */
export function clusterFlags({ kubeconfig, context, cluster, user, server }: ClusterChoice): string {
  return flagsOf({ kubeconfig, context, cluster, user, server });
}

/** The same for helm, which cannot choose a cluster or a user of the kubeconfig. */
export function helmFlags({ kubeconfig, context, server }: ClusterChoice): string {
  return flagsOf({ kubeconfig, 'kube-context': context, 'kube-apiserver': server });
}

function flagsOf(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value ? [contextFlag(value, `--${name}`)] : []))
    .join(' ');
}
