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

/** external-provisioner getSecretReference: the template must give a valid name for this claim. */
export const provisionSecretTemplateInvalid = claimRule({
  cause: 'provision-secret-template-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const storageClass = csiClassOf(c);
    const said = failure(
      c,
      /error resolving value "([^"]+)": invalid tokens|"([^"]+)" (?:resolved to "[^"]*" which )?is not a valid (?:secret|namespace) name/,
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
  const broken = secretsOf(storageClass, c).find((secret) => secret.state === 'invalid');
  if (!broken) return undefined;
  const { name } = storageClass.metadata;
  // The same class may work for a claim with other annotations.
  const dependsOnClaim = broken.template.includes('pvc.');
  return {
    ...(!dependsOnClaim && { about: name }),
    summary: `class ${name} names its ${broken.call} secret by ${broken.template}, which gives no name for this claim: ${broken.why}`,
    evidence: [field(storageClass, `parameters[${broken.key}]`, broken.template), ...saidOnClaim(c, said)],
    fix: [remakeClass(c.class.name, 'with the right parameters')],
  };
}

/** Where the class cannot be read, the provisioner's event names the template. */
function explainEvent(c: PresentClaim, said: EventMatch): Explanation {
  return {
    confidence: 'likely',
    about: c.class.name,
    summary: `class ${c.class.name} names a secret by ${said.match[1] ?? said.match[2] ?? ''}, which gives no valid name`,
    evidence: [eventSaid(c.claim, said.event)],
    fix: [remakeClass(c.class.name, 'with the right parameters')],
  };
}
