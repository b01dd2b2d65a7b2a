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
    const unknown = unknownKeys(c);
    const refused = unknown.length > 0 ? undefined : refusedKey(c, said);
    const keys = refused === undefined ? unknown : [refused];
    if (keys.length === 0) return undefined;
    const meant = unknown.map((key) => [key, nearestName(key, knownParameterKeys)] as const);
    return {
      confidence: refused === undefined ? 'certain' : 'likely',
      about: c.class.name,
      summary: summaryOf(c, keys, meant),
      evidence: [
        parameterEvidence(c, keys[0] ?? ''),
        ...keys.slice(1).map((key) => parameterEvidence(c, key)),
        ...saidOnClaim(c, said),
      ],
      fix: [correctKeys(c, keys, meant)],
    };
  },
});

/** An unknown key, and the known one that it is most like. */
type Meant = readonly (readonly [string, string | undefined])[];

function summaryOf(c: PresentClaim, keys: readonly string[], meant: Meant): string {
  const near = [...new Set(meant.flatMap(([, name]) => name ?? []))];
  const known =
    near.length === 1 ? ` The closest match is ${near.join('')}.` : ` The closest matches are ${listed(near)}.`;
  return (
    `StorageClass "${c.class.name}" has ${keys.length === 1 ? 'parameter' : 'parameters'} ${listed(keys.map((key) => `"${key}"`))}, ` +
    `which the provisioner does not know and refuses.${near.length === 0 ? '' : known}`
  );
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** The prefix is reserved, so a key with it that is intended for the driver has to lose the prefix. */
function correctKeys(c: PresentClaim, keys: readonly string[], meant: Meant): Fix {
  const own = c.storageClassObject?.parameters;
  // Two keys that mean the same would give one parameter two values.
  const renamed = meant.filter(
    ([, name], index) =>
      name !== undefined && own?.[name] === undefined && meant.findIndex(([, other]) => other === name) === index,
  );
  const removed = keys.filter((key) => !renamed.some(([old]) => old === key));
  const parameters = {
    ...Object.fromEntries(keys.map((key) => [key, null])),
    ...Object.fromEntries(renamed.map(([key, name]) => [name, own?.[key] ?? 'PLACEHOLDER_VALUE'])),
  };
  const how = [
    ...renamed.map(([key, name]) => `with ${name ?? ''} instead of "${key}"`),
    ...(removed.length === 0
      ? []
      : [`without ${removed.length === 1 ? 'parameter ' : ''}${listed(removed.map((key) => `"${key}"`))}`]),
  ];
  return recreateClass(c, how.join(', and '), { parameters });
}

function unknownKeys(c: PresentClaim): readonly string[] {
  return Object.keys(csiClassOf(c)?.parameters ?? {})
    .filter((key) => key.startsWith(parameterPrefix) && !knownParameterKeys.has(key))
    .sort();
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
