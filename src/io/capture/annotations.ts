import { shapeOf } from '../../core/kube/kinds.ts';
import { clip } from '../../core/kube/shape.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { namesCredential } from './credentials.ts';

export const appliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Written by Kubernetes itself, its storage sidecars and Helm; anything else may hold anything, and no rule reads it. */
const knownDomain = /(?:^|\.)(?:kubernetes\.io|k8s\.io|meta\.helm\.sh)\//;
/** Whole objects, or what somebody typed. */
const holdsObjects = /^(?:kubectl\.kubernetes\.io\/|.*\.cncf\.io\/|kubernetes\.io\/change-cause$)/;
const restartedAt = 'kubectl.kubernetes.io/restartedAt';
/** The one map that is read: which id each driver has on the node. */
const readJson = 'csi.volume.kubernetes.io/nodeid';
const longest = 512;

/** The annotations by which classes make up the names of secrets: `${pvc.annotations['example.com/team']}`. */
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
  // A secret of a volume is named by annotations whose keys hold the word.
  if (namesCredential(key) && !/secret-name(?:space)?$/.test(key)) return false;
  // A misspelt key of the default class is a finding of its own.
  return knownDomain.test(key) || (kind.endsWith('Class') && /default/i.test(key));
}

/** What was applied tells which source and size of a claim the server dropped; of other kinds it tells nothing. */
export function reduceApplied(kind: string, text: string): string | undefined {
  if (kind !== 'PersistentVolumeClaim') return undefined;
  try {
    const { apiVersion, spec } = (clip(JSON.parse(text), shapeOf('PersistentVolumeClaim')) ?? {}) as {
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
