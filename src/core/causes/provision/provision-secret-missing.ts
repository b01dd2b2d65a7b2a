import type { Evidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';
import { csiClassOf, secretsOf } from './secret-parameters.ts';

/** external-provisioner getCredentials reads the provisioner's own secret before it calls the driver. */
export const provisionSecretMissing = claimRule({
  cause: 'provision-secret-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    // A secret that may not be read is another cause: there the service account lacks the right.
    const said = failure(c, /error getting secret (\S+) in namespace (\S+?): (?!.*is forbidden)/s);
    const secret = neededSecret(c, said);
    if (!secret) return undefined;
    const why = `whether secret ${secret.namespace}/${secret.name}, which class ${c.class.name} names, exists`;
    const { state } = c.ask.get('Secret', secret.namespace, secret.name, why);
    if (state === 'found' || (state === 'unknown' && !said)) return undefined;
    const isMissing = state === 'missing';
    return {
      confidence: isMissing ? 'certain' : 'likely',
      about: `${secret.namespace}/${secret.name}`,
      summary: `secret ${secret.name} in namespace ${secret.namespace}, which class ${c.class.name} names for provisioning, ${isMissing ? 'does not exist' : 'was not found by the provisioner'}`,
      evidence: evidenceOf(c, secret, isMissing, said),
      fix: advise(c, secret),
    };
  },
});

interface NeededSecret {
  readonly name: string;
  readonly namespace: string;
  /** The parameters of the class that name it. */
  readonly keys: readonly string[];
}

/** By the class, or by the provisioner's event where the class does not tell. */
function neededSecret(c: PresentClaim, said: EventMatch | undefined): NeededSecret | undefined {
  const storageClass = csiClassOf(c);
  const named = storageClass && secretsOf(storageClass, c)[0];
  if (named?.state === 'resolved')
    return { name: named.name, namespace: named.namespace, keys: [named.key, named.namespaceKey] };
  return said && { name: said.match[1] ?? '', namespace: said.match[2] ?? '', keys: [] };
}

function evidenceOf(
  c: PresentClaim,
  secret: NeededSecret,
  isMissing: boolean,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const parameters = parameterEvidence(c, secret);
  if (!isMissing && said) return [eventSaid(c.claim, said.event), ...parameters];
  return [absent('Secret', secret.name, secret.namespace), ...parameters, ...saidOnClaim(c, said)];
}

function parameterEvidence(c: PresentClaim, { keys }: NeededSecret): Evidence[] {
  const storageClass = csiClassOf(c);
  return storageClass
    ? keys.map((key) => field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? ''))
    : [];
}

function advise(c: PresentClaim, secret: NeededSecret): Fix[] {
  return [
    fix(
      'look for the secret, and create it as the documentation of the driver says (an operator may make it itself, once the storage is up): the claim then goes on by itself',
      `kubectl ${inNamespace(secret.namespace)}get secret ${shellWord(secret.name)}`,
    ),
    remakeClass(c.class.name, 'with the name of a secret that exists'),
  ];
}
