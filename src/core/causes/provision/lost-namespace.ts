import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { nearNames } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { recreateClass } from '../lib/remake-class.ts';

/** A parameter of the class for a namespace that does not exist, while one with nearly the same name does. */
export interface LostNamespace {
  readonly words: string;
  readonly evidence: Evidence;
  readonly fix: Fix;
}

/**
 * Storage has namespaces of its own, and a parameter may mean those: only a name that is nearly right proves which kind
 * is meant. Nothing is read for it. Secrets of the class have rules of their own.
 */
export function lostNamespaceOf(c: PresentClaim): LostNamespace | undefined {
  const storageClass = c.storageClassObject;
  const { coverage, snapshot } = c.ask.graph;
  const isWhole = coverage.isWhole('Namespace');
  // A cluster is read piece by piece, so there a namespace that was not read may exist.
  if (!storageClass || (!isWhole && snapshot.source.type === 'cluster')) return undefined;
  const names = [
    ...c.ask.seen('Namespace').map(({ metadata }) => metadata.name),
    ...snapshot.objects.flatMap(({ metadata }) => metadata.namespace ?? []),
  ];
  for (const [key, value] of Object.entries(storageClass.parameters ?? {})) {
    if (!/namespace$/i.test(key) || key.includes('/') || value.includes('$') || names.includes(value)) continue;
    const [near] = nearNames(value, names);
    if (near === undefined) continue;
    return {
      words:
        `Parameter ${key} of StorageClass "${storageClass.metadata.name}" is "${value}", and ` +
        `${isWhole ? 'no namespace has that name' : 'the dump has no namespace of that name'}. The closest match is "${near}".`,
      evidence: field(storageClass, `parameters[${key}]`),
      fix: recreateClass(c, `with ${key}=${near}, if that namespace is meant`, { parameters: { [key]: near } }),
    };
  }
  return undefined;
}
