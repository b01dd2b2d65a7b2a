import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { csiClassOf, knownParameterKeys, parameterPrefix } from './secret-parameters.ts';
import { unknownParameterText } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner removePrefixedParameters: the prefix is reserved, and unknown keys with it are refused. */
export const provisionUnknownCsiParameter = claimRule({
  cause: 'provision-unknown-csi-parameter',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(c, unknownParameterText);
    const unknown = unknownKey(c);
    const key = unknown ?? refusedKey(c, said);
    if (key === undefined) return undefined;
    const near = unknown === undefined ? undefined : nearestName(key, knownParameterKeys);
    return {
      confidence: unknown === undefined ? 'likely' : 'certain',
      about: c.class.name,
      summary:
        `StorageClass "${c.class.name}" has parameter ${key}, which the provisioner does not know and ` +
        `refuses.${near ? ` The closest match is ${near}.` : ''}`,
      evidence: [parameterEvidence(c, key), ...saidOnClaim(c, said)],
      fix: [correctKey(c, key, near)],
    };
  },
});

/** The prefix is reserved, so a key with it that is intended for the driver has to lose the prefix. */
function correctKey(c: PresentClaim, key: string, near: string | undefined): Fix {
  const value = c.storageClassObject?.parameters?.[key] ?? 'PLACEHOLDER_VALUE';
  return near === undefined
    ? recreateClass(c, `without parameter ${key}`, { parameters: { [key]: null } })
    : recreateClass(c, `with ${near} instead of ${key}`, { parameters: { [key]: null, [near]: value } });
}

function unknownKey(c: PresentClaim): string | undefined {
  return Object.keys(csiClassOf(c)?.parameters ?? {})
    .filter((key) => key.startsWith(parameterPrefix) && !knownParameterKeys.has(key))
    .sort()[0];
}

/** An older provisioner refuses keys that were introduced later; then only its event counts. */
function refusedKey(c: PresentClaim, said: EventMatch | undefined): string | undefined {
  const key = said?.match[1];
  if (key === undefined) return undefined;
  const isThere = c.storageClassObject?.parameters?.[key] !== undefined || c.storageClass?.state === 'unknown';
  return isThere ? key : undefined;
}

function parameterEvidence(c: PresentClaim, key: string): Evidence {
  const storageClass = c.storageClassObject;
  return storageClass
    ? field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? '')
    : field(c.claim, 'spec.storageClassName', c.class.name);
}
