import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { Explanation } from '../lib/rule.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import { absenceOf, refusalRule, serverWords } from './refusal.ts';
import type { Refusal, UnmadeClaim } from './refusal.ts';

type Configuration = ObjectOf<'MutatingWebhookConfiguration'> | ObjectOf<'ValidatingWebhookConfiguration'>;

const listWebhooks = 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations';

/** A webhook or a policy said no, or could not be reached: only the refusal itself tells which. */
export const pvcCreateDeniedWebhook = refusalRule('pvc-create-denied-webhook', 'admission', (c, unmade, refusal) => {
  if (refusal) return explainRefusal(c, unmade, refusal);
  return unmade.owner.kind === 'StatefulSet' ? suspectWebhooks(c, unmade) : undefined;
});

function explainRefusal(c: ClaimCase, unmade: UnmadeClaim, { text, evidence, confidence }: Refusal): Explanation {
  const policy = /(?:Validating|Mutating)AdmissionPolicy '([^']+)'/.exec(text)?.[1];
  const webhook = /webhook "([^"]+)"/.exec(text)?.[1];
  const who = policy ? `admission policy ${policy}` : webhook ? `webhook ${webhook}` : 'an admission check';
  const isUnreachable = /failed calling/i.test(text);
  const configuration = webhook
    ? configurations(c.ask).find((candidate) => candidate.webhooks?.some(({ name }) => name === webhook))
    : undefined;
  const service = configuration?.webhooks?.find(({ name }) => name === webhook)?.clientConfig?.service;
  return {
    confidence,
    about: who,
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: ${who} ${isUnreachable ? 'could not be called' : 'refused it'} (${ownWords(text)})`,
    evidence: [
      absenceOf(c),
      evidence,
      ...(configuration
        ? [
            field(
              configuration,
              `webhooks[${webhook ?? ''}].failurePolicy`,
              configuration.webhooks?.find(({ name }) => name === webhook)?.failurePolicy ?? 'not set',
            ),
          ]
        : []),
    ],
    fix: isUnreachable
      ? [
          fix(
            'look at the service behind the webhook, and bring it back: every claim is refused until then',
            service?.name
              ? `kubectl ${inNamespace(service.namespace ?? 'default')}get service,endpoints ${shellWord(service.name)}`
              : listWebhooks,
          ),
        ]
      : [
          fix(
            'see who refuses; change the claim template so that it meets the rule, or have the rule changed by its owner',
            policy
              ? `kubectl get ${/Mutating/.test(text) ? 'mutating' : 'validating'}admissionpolicies ${shellWord(policy)} -o yaml`
              : listWebhooks,
          ),
        ],
  };
}

/** What the rule itself says, without the names that the summary has already. */
function ownWords(text: string): string {
  return serverWords(text)
    .replace(
      /^.*?(?:denied (?:the )?request: |failed calling (?:admission )?webhook "[^"]*": (?:failed to call webhook: )?)/s,
      '',
    )
    .trim();
}

/** Without any event it is only a guess: who could have refused it. Quota and limit range have been looked at before. */
function suspectWebhooks(c: ClaimCase, unmade: UnmadeClaim): Explanation | undefined {
  const { namespace } = c;
  if (
    c.ask.isUnasked('Event', eventScope(unmade.owner)) ||
    c.ask.isUnasked('ResourceQuota', { namespace }) ||
    c.ask.isUnasked('LimitRange', { namespace })
  )
    return undefined;
  const suspects = (['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const).flatMap((kind) =>
    c.ask
      .list(kind, undefined, 'which webhooks may refuse a claim')
      .items.flatMap((configuration) => webhooksOnClaims(configuration)),
  );
  const [first] = suspects;
  if (!first) return undefined;
  return {
    confidence: 'possible',
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made, no quota or limit range stands against it, and webhook ${first.name} may refuse claims`,
    evidence: [
      absenceOf(c),
      ...suspects
        .slice(0, 5)
        .map(({ configuration, name, failurePolicy }) =>
          field(configuration, `webhooks[${name}].failurePolicy`, failurePolicy),
        ),
    ],
    fix: [
      fix(
        'look at the template and make the claim by hand as a test: the server says who refuses it',
        `kubectl ${inNamespace(c.namespace)}get statefulset ${shellWord(unmade.owner.metadata.name)} -o yaml`,
      ),
    ],
  };
}

function webhooksOnClaims(
  configuration: Configuration,
): { readonly configuration: Configuration; readonly name: string; readonly failurePolicy: string }[] {
  return (configuration.webhooks ?? []).flatMap(({ name = '', failurePolicy = 'Fail', rules = [] }) =>
    rules.some(isAboutNewClaims) ? [{ configuration, name, failurePolicy }] : [],
  );
}

function isAboutNewClaims({
  operations = [],
  apiGroups = [],
  resources = [],
}: {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
}): boolean {
  return (
    operations.some((operation) => operation === '*' || operation === 'CREATE') &&
    apiGroups.some((group) => group === '' || group === '*') &&
    resources.some((resource) => resource === '*' || resource === '*/*' || resource === 'persistentvolumeclaims')
  );
}

/** Only what is at hand: the refusal names the webhook already. */
function configurations(ask: Inquiry): readonly Configuration[] {
  return [...ask.seen('MutatingWebhookConfiguration'), ...ask.seen('ValidatingWebhookConfiguration')];
}
