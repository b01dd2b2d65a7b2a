import { resourceOf, resources } from '../../core/kube/resources.ts';
import type { Kind } from '../../core/kube/kinds.ts';

const folderNames = new Map<string, Kind>(
  resources.flatMap((resource) =>
    [
      resource.name,
      ...resource.aliases.map((alias) => `${alias}s`),
      ...resource.aliases.map((alias) => `${alias}es`),
    ].map((name) => [name, resource.kind] as const),
  ),
);
// A support bundle has quotas in a directory with a singular name.
folderNames.set('resourcequota', 'ResourceQuota');
folderNames.set('limitranges', 'LimitRange');

function kindOfName(name: string | undefined): Kind | undefined {
  return name === undefined
    ? undefined
    : folderNames.get(name.toLowerCase().replaceAll(/[-_]/g, '').replace(/\..*$/, ''));
}

/** What the path of a file in a dump shows about its contents. */
export interface Place {
  readonly kind?: Kind;
  readonly namespace?: string;
  /** The kinds whose directories the file is in: a single object there is one item of a whole list. */
  readonly folders: readonly Kind[];
}

/**
 * Dumps name files after what they hold: NS/pods.json (cluster-info dump), namespaces/NS/core/pods.yaml and
 * cluster-scoped-resources/core/nodes/NAME.yaml (must-gather), cluster-resources/pvcs/NS.json (support bundle).
 */
export function placeOf(segments: readonly string[]): Place {
  const file = (segments.at(-1) ?? '').replace(/\.(?:json|ya?ml)(?:\.gz)?$/i, '');
  const parents = segments.slice(0, -1);
  const folders = parents
    .slice(-2)
    .map(kindOfName)
    .filter((kind) => kind !== undefined);
  const byFile = kindOfName(file);
  const rooted = parents.indexOf('namespaces');
  const below = rooted >= 0 ? parents[rooted + 1] : undefined;
  if (byFile !== undefined) {
    const namespace = below ?? (parents.length === 0 ? undefined : parents.at(-1));
    return {
      kind: byFile,
      ...(namespace === undefined || !resourceOf(byFile).namespaced ? {} : { namespace }),
      folders,
    };
  }
  const byFolder = kindOfName(parents.at(-1));
  if (byFolder === undefined || byFolder === 'Namespace')
    return { folders, ...(below === undefined ? {} : { namespace: below }) };
  return { kind: byFolder, ...(resourceOf(byFolder).namespaced ? { namespace: below ?? file } : {}), folders };
}
