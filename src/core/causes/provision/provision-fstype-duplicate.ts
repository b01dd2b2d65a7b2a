import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { csiClassOf, parameterPrefix } from './secret-parameters.ts';
import { fsTypeTwiceText } from '../lib/driver-error/sentences/provisioner.ts';

const reservedKey = `${parameterPrefix}fstype`;

/** external-provisioner prepareProvision counts `fstype` in any case and the reserved key together. */
export const provisionFstypeDuplicate = claimRule({
  cause: 'provision-fstype-duplicate',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const keys = fstypeKeys(c);
    const said = failure(c, fsTypeTwiceText);
    const isProven = keys.length > 1;
    if (!isProven && !(said && c.storageClass?.state === 'unknown')) return undefined;
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: c.class.name,
      summary:
        `StorageClass "${c.class.name}" names the file system more than ` +
        `once${isProven ? ` (${keys.join(' and ')})` : ''}. The provisioner refuses every claim of it.`,
      evidence: [...classEvidence(c, keys), ...saidOnClaim(c, said)],
      fix: [recreateClass(c, `with ${reservedKey} only`, keepOne(c, keys))],
    };
  },
});

function fstypeKeys(c: PresentClaim): string[] {
  return Object.keys(csiClassOf(c)?.parameters ?? {})
    .filter((key) => key.toLowerCase() === 'fstype' || key === reservedKey)
    .sort();
}

/** The reserved key stays, with its own value or the one of the old key. */
function keepOne(c: PresentClaim, keys: readonly string[]): object {
  const parameters = c.storageClassObject?.parameters ?? {};
  const old = keys.length > 0 ? keys.filter((key) => key !== reservedKey) : ['fstype', 'fsType'];
  const value = parameters[reservedKey] ?? parameters[old[0] ?? ''] ?? 'PLACEHOLDER_FSTYPE';
  return { parameters: { ...Object.fromEntries(old.map((key) => [key, null])), [reservedKey]: value } };
}

/** The parameters, or how the claim names the class where it could not be read. */
function classEvidence(c: PresentClaim, keys: readonly string[]): Explanation['evidence'] {
  const storageClass = c.storageClassObject;
  const [first, ...others] = storageClass
    ? keys.map((key) => field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? ''))
    : [];
  return [first ?? field(c.claim, 'spec.storageClassName', c.class.name), ...others];
}
