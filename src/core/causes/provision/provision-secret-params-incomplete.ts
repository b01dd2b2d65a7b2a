import type { StorageClass } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';
import { csiClassOf, secretsOf } from './secret-parameters.ts';

/** external-provisioner verifyAndGetSecretNameAndNamespaceTemplate: a secret needs both a name and a namespace, once each. */
export const provisionSecretParamsIncomplete = claimRule({
  cause: 'provision-secret-params-incomplete',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = csiClassOf(c);
    const said = failure(
      c,
      /either name and namespace for (\S+) secrets specified, Both must be specified|(\S+) secrets specified in parameters (?:with both "csi" and|but value of either namespace or name is empty)/i,
    );
    if (storageClass) return explainClass(c, storageClass, said);
    return said && c.storageClass?.state === 'unknown' ? explainEvent(c, said) : undefined;
  },
});

function explainClass(
  c: PresentClaim,
  storageClass: StorageClass,
  said: EventMatch | undefined,
): Explanation | undefined {
  const broken = secretsOf(storageClass, c).find((secret) => secret.state === 'incomplete');
  if (!broken) return undefined;
  const { name } = storageClass.metadata;
  const [first = '', ...others] = broken.keys;
  const parameterField = (key: string) =>
    field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? '');
  return {
    about: name,
    summary: `class ${name} names its ${broken.call} secret wrongly: ${broken.why}`,
    evidence: [parameterField(first), ...others.map(parameterField), ...saidOnClaim(c, said)],
    fix: [remakeClass(c.class.name, 'with the right parameters')],
  };
}

/** Where the class cannot be read, the provisioner's event names the call. */
function explainEvent(c: PresentClaim, said: EventMatch): Explanation {
  return {
    confidence: 'likely',
    about: c.class.name,
    summary: `class ${c.class.name} names a ${said.match[1] ?? said.match[2] ?? ''} secret wrongly`,
    evidence: [eventSaid(c.claim, said.event)],
    fix: [remakeClass(c.class.name, 'with the right parameters')],
  };
}
