import { shapeOf } from '../../core/kube/kinds.ts';
import { clip } from '../../core/kube/shape.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { namesCredential } from './credentials.ts';

export const appliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Written by Kubernetes, its storage sidecars and Helm. Others may contain anything, and no rule reads them. */
const knownDomain = /(?:^|\.)(?:kubernetes\.io|k8s\.io|meta\.helm\.sh)\//;
/** Whole objects, or text that a person typed. */
const holdsObjects = /^(?:kubectl\.kubernetes\.io\/|.*\.cncf\.io\/|kubernetes\.io\/change-cause$)/;
const restartedAt = 'kubectl.kubernetes.io/restartedAt';
/** The node id of each driver: the only map that a rule reads. */
const readJson = 'csi.volume.kubernetes.io/nodeid';
const longest = 512;

/** The annotations that classes use in the names of Secrets: `${pvc.annotations['example.com/team']}`. */
export function annotationsInTemplates(objects: readonly RawObject[]): ReadonlySet<string> {
  const templates = objects.flatMap(({ kind, parameters }) =>
    kind.endsWith('Class') && typeof parameters === 'object' && parameters !== null ? Object.values(parameters) : [],
  );
  return new Set(
    templates.flatMap((template) =>
      typeof template === 'string'
        ? [...template.matchAll(/\$\{[\w.]+\.annotations\['([^']+)'\]\}/g)].map(([, key = '']) => key)
        : [],
    ),
  );
}

export function keepsAnnotation(kind: string, key: string, value: string, inTemplates: ReadonlySet<string>): boolean {
  if (key === readJson || key === restartedAt) return true;
  if (holdsObjects.test(key) || value.length > longest || /^\s*[[{]/.test(value)) return false;
  if (inTemplates.has(key)) return /^[a-z0-9.-]{1,63}$/.test(value);
  // The annotations that name the Secrets of a volume contain the word.
  if (namesCredential(key) && !/secret-name(?:space)?$/.test(key)) return false;
  // A rule reports a misspelt key of the default class.
  return knownDomain.test(key) || (kind.endsWith('Class') && /default/i.test(key));
}

/**
 * The last applied configuration shows which source and size of a claim the server dropped, and how a driver was
 * deployed; for other kinds it is not needed.
 */
export function reduceApplied(kind: string, text: string): string | undefined {
  if (kind !== 'PersistentVolumeClaim' && kind !== 'CSIDriver') return undefined;
  try {
    const { apiVersion, spec } = (clip(JSON.parse(text), shapeOf(kind)) ?? {}) as {
      readonly apiVersion?: string;
      readonly spec?: unknown;
    };
    return JSON.stringify({
      ...(apiVersion !== undefined && { apiVersion }),
      kind,
      ...(spec !== undefined && { spec }),
    });
  } catch {
    return undefined;
  }
}
