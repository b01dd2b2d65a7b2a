import type { StorageClass } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { csiClassOf } from './secret-parameters.ts';

interface SecretMistake {
  /** How the provisioner reports this mistake. */
  readonly refusal: RegExp;
  readonly byClass: (
    c: PresentClaim,
    storageClass: StorageClass,
    said: EventMatch | undefined,
  ) => Explanation | undefined;
  readonly byEvent: (c: PresentClaim, said: EventMatch) => Explanation;
}

/**
 * A mistake in the secrets of a class is read from the class; the provisioner's event is enough only if the class is
 * unread.
 */
export function explainSecret(c: PresentClaim, { refusal, byClass, byEvent }: SecretMistake): Explanation | undefined {
  const storageClass = csiClassOf(c);
  const said = failure(c, refusal);
  if (storageClass) return byClass(c, storageClass, said);
  return said && c.storageClass?.state === 'unknown' ? byEvent(c, said) : undefined;
}
