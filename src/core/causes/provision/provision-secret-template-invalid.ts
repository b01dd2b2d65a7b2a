import type { StorageClass } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { ClaimOfClass } from '../../facts/claim/claim-of-class.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { explainSecret } from './explain-secret.ts';
import { secretsOf } from './secret-parameters.ts';
import type { SecretParameter } from './secret-parameters.ts';
import { secretTemplateTexts } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner getSecretReference: the template must give a valid name for this claim. */
export const provisionSecretTemplateInvalid = claimRule({
  cause: 'provision-secret-template-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain: (c) =>
    explainSecret(c, {
      refusal: secretTemplateTexts,
      byClass: explainClass,
      byEvent: explainEvent,
    }),
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
    summary:
      `StorageClass "${name}" names its ${broken.call} secret by template "${broken.template}", which gives no ` +
      `valid name for ${claimText(c)}: ${broken.why}.`,
    evidence: [field(storageClass, `parameters[${broken.key}]`, broken.template), ...saidOnClaim(c, said)],
    fix: advise(c, broken),
  };
}

type InvalidSecret = Extract<SecretParameter, { state: 'invalid' }>;

/**
 * A template that reads an annotation of the claim is fulfilled by the annotation; any other template is wrong for all
 * claims.
 */
function advise(c: PresentClaim, { key, template }: InvalidSecret): Fix[] {
  const annotation = /\$\{pvc\.annotations\['([^']+)'\]\}/.exec(template)?.[1];
  const isSet = annotation !== undefined && c.annotation(annotation) !== undefined;
  return [
    ...(annotation !== undefined && !isSet && !(c instanceof ClaimOfClass) ? [annotate(c, annotation)] : []),
    recreateClass(
      c,
      `with a template or a name that is valid in parameter ${key} (PLACEHOLDER_VALUE; allowed there: ${tokensFor(key)})`,
      { parameters: { [key]: 'PLACEHOLDER_VALUE' } },
    ),
  ];
}

function annotate(c: PresentClaim, annotation: string): Fix {
  return steps(
    `Set annotation ${annotation} on the claim to the value that the name of its Secret needs ` +
      '(PLACEHOLDER_VALUE). The claim is retried automatically within 5 minutes.',
    [kubectl('annotate', c.claim, `${shellWord(annotation)}=PLACEHOLDER_VALUE`)],
  );
}

/** external-provisioner resolveTemplate: a namespace may depend on less than a name. */
function tokensFor(key: string): string {
  return /namespace$/i.test(key)
    ? '${pv.name}, ${pvc.namespace}'
    : "${pv.name}, ${pvc.name}, ${pvc.namespace}, ${pvc.annotations['KEY']}";
}

/** Where the class cannot be read, the provisioner's event names the template. */
function explainEvent(c: PresentClaim, said: EventMatch): Explanation {
  return {
    confidence: 'likely',
    about: c.class.name,
    summary:
      `StorageClass "${c.class.name}" names a secret by template "${said.match[1] ?? said.match[2] ?? ''}", ` +
      'which gives no valid name, as the provisioner reports.',
    evidence: [eventSaid(c.claim, said.event)],
    fix: [
      recreateClass(c, 'with a valid name or template for the secret (PLACEHOLDER_VALUE)', {
        parameters: { 'csi.storage.k8s.io/provisioner-secret-name': 'PLACEHOLDER_VALUE' },
      }),
    ],
  };
}
