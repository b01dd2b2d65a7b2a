interface Managed {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Labels and annotations by which the tools that keep manifests mark their objects. */
const marks: readonly (readonly [string, string])[] = [
  ['meta.helm.sh/release-name', 'Helm release'],
  ['helm.toolkit.fluxcd.io/name', 'Flux HelmRelease'],
  ['kustomize.toolkit.fluxcd.io/name', 'Flux Kustomization'],
  ['argocd.argoproj.io/instance', 'Argo CD application'],
  ['argocd.argoproj.io/tracking-id', 'Argo CD application'],
];

/**
 * ` Change it in Helm release "csi" too: …`, to follow a sentence; empty where no tool is known to keep the manifest.
 */
export function keeperNote({ metadata: { labels = {}, annotations = {} } }: Managed): string {
  for (const [key, tool] of marks) {
    const name = (annotations[key] ?? labels[key])?.split(':')[0];
    if (name) return ` Change it in ${tool} "${name}" too, which would undo this.`;
  }
  return '';
}
