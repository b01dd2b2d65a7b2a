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
  if (!storageClass || !c.ask.graph.coverage.isWhole('Namespace')) return undefined;
  const names = c.ask.seen('Namespace').map(({ metadata }) => metadata.name);
  for (const [key, value] of Object.entries(storageClass.parameters ?? {})) {
    if (!/namespace$/i.test(key) || key.includes('/') || value.includes('$') || names.includes(value)) continue;
    const [near] = nearNames(value, names);
    if (near === undefined) continue;
    return {
      words:
        `Parameter ${key} of StorageClass "${storageClass.metadata.name}" is "${value}", and no namespace has that ` +
        `name. The closest match is "${near}".`,
      evidence: field(storageClass, `parameters[${key}]`),
      fix: recreateClass(c, `with ${key}=${near}, if that namespace is meant`, { parameters: { [key]: near } }),
    };
  }
  return undefined;
}
