import type { StorageClass } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { explainSecret } from './explain-secret.ts';
import { parameterPrefix, secretsOf } from './secret-parameters.ts';
import type { SecretParameter } from './secret-parameters.ts';
import { secretIncompleteTexts } from '../lib/driver-error/sentences/provisioner.ts';

type IncompleteSecret = Extract<SecretParameter, { state: 'incomplete' }>;

/**
 * external-provisioner verifyAndGetSecretNameAndNamespaceTemplate: a secret needs both a name and a namespace, once
 * each.
 */
export const provisionSecretParamsIncomplete = claimRule({
  cause: 'provision-secret-params-incomplete',
  stage: 'provision',
  severity: 'blocking',
  explain: (c) =>
    explainSecret(c, {
      refusal: secretIncompleteTexts,
      byClass: explainClass,
      byEvent: explainEvent,
    }),
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
    summary:
      `StorageClass "${name}" does not name its ${broken.call} secret completely: ${broken.why}. ` +
      'The provisioner refuses every claim of it.',
    evidence: [parameterField(first), ...others.map(parameterField), ...saidOnClaim(c, said)],
    fix: [completeClass(c, broken)],
  };
}

/** Where the class cannot be read, the provisioner's event names the call. */
function explainEvent(c: PresentClaim, said: EventMatch): Explanation {
  return {
    confidence: 'likely',
    about: c.class.name,
    summary:
      `StorageClass "${c.class.name}" does not name its ${said.match[1] ?? said.match[2] ?? ''} secret ` +
      'completely, as the provisioner reports.',
    evidence: [eventSaid(c.claim, said.event)],
    fix: [
      recreateClass(c, 'with both the name and the namespace of the secret (PLACEHOLDER_NAME, PLACEHOLDER_NAMESPACE)', {
        parameters: {
          [`${parameterPrefix}provisioner-secret-name`]: 'PLACEHOLDER_NAME',
          [`${parameterPrefix}provisioner-secret-namespace`]: 'PLACEHOLDER_NAMESPACE',
        },
      }),
    ],
  };
}

/** Old keys go; what is missing is filled in from a Secret of that name, or else by a person. */
function completeClass(c: PresentClaim, { call, keys }: IncompleteSecret): Fix {
  const parameters = c.storageClassObject?.parameters ?? {};
  const valueOf = (what: 'name' | 'namespace'): string =>
    keys
      .filter((key) => isAbout(key, what))
      .map((key) => parameters[key] ?? '')
      .find(Boolean) ?? '';
  const prefix = `${parameterPrefix}${call === 'default' ? '' : `${call}-`}secret`;
  const name = valueOf('name') || 'PLACEHOLDER_SECRET';
  const namespace = valueOf('namespace') || namespaceOf(c, name) || 'PLACEHOLDER_NAMESPACE';
  const old = keys.filter((key) => !key.startsWith(prefix));
  const missing = [name, namespace].filter((value) => value.startsWith('PLACEHOLDER_'));
  return recreateClass(
    c,
    `with both the name and the namespace of the secret${missing.length > 0 ? ` (${missing.join(', ')})` : ''}`,
    {
      parameters: {
        ...Object.fromEntries(old.map((key) => [key, null])),
        [`${prefix}-name`]: name,
        [`${prefix}-namespace`]: namespace,
      },
    },
  );
}

function isAbout(key: string, what: 'name' | 'namespace'): boolean {
  return /namespace$/i.test(key) === (what === 'namespace');
}

/** The namespace of the only Secret of that name, if one was read. */
function namespaceOf(c: PresentClaim, name: string): string | undefined {
  const found = c.ask.seen('Secret').filter(({ metadata }) => metadata.name === name);
  return found.length === 1 ? found[0]?.metadata.namespace : undefined;
}
