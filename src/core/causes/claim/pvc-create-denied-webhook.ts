import type { ObjectOf } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { refusalRule, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

type Configuration = ObjectOf<'MutatingWebhookConfiguration'> | ObjectOf<'ValidatingWebhookConfiguration'>;

type Webhook = NonNullable<Configuration['webhooks']>[number];

const listWebhooks = 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations';
const mostShown = 5;

/** A webhook or a policy refused the claim, or could not be reached: only the refusal itself says which. */
export const pvcCreateDeniedWebhook = refusalRule('pvc-create-denied-webhook', 'admission', (c, unmade, refusal) => {
  if (refusal) return explainRefusal(c, unmade, refusal);
  return unmade.owner.kind === 'StatefulSet' && isOpenQuestion(c, unmade) ? suspectWebhooks(c, unmade) : undefined;
});

/** What refused the claim, by the words of the refusal. */
interface Refuser {
  readonly policy: string | undefined;
  readonly webhook: string | undefined;
  /** As it is printed. */
  readonly label: string;
}

function refuserOf(text: string): Refuser {
  const policy = /(?:Validating|Mutating)AdmissionPolicy '([^']+)'/.exec(text)?.[1];
  const webhook = /webhook "([^"]+)"/.exec(text)?.[1];
  return { policy, webhook, label: labelOf(policy, webhook) };
}

function labelOf(policy: string | undefined, webhook: string | undefined): string {
  if (policy) return `admission policy ${policy}`;
  return webhook ? `webhook ${webhook}` : 'an admission check';
}

function explainRefusal(c: ClaimCase, unmade: UnmadeClaim, { text, evidence, confidence }: Refusal): Explanation {
  const refuser = refuserOf(text);
  const isUnreachable = /failed calling/i.test(text);
  return {
    confidence,
    about: refuser.label,
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: ${refuser.label} ${isUnreachable ? 'could not be called' : 'refused it'} (${ownWords(text)})`,
    evidence: [absenceOf(c), evidence, ...webhookEvidence(c.ask, refuser)],
    fix: [isUnreachable ? reviveService(c.ask, refuser) : meetRule(refuser, text)],
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

function webhookEvidence(ask: Inquiry, refuser: Refuser): Evidence[] {
  const configuration = configurationOf(ask, refuser);
  if (!configuration) return [];
  const policy = webhookIn(configuration, refuser)?.failurePolicy ?? 'not set';
  return [field(configuration, `webhooks[${refuser.webhook ?? ''}].failurePolicy`, policy)];
}

/** Only what was read already: the refusal names the webhook, so nothing more has to be asked. */
function configurationOf(ask: Inquiry, refuser: Refuser): Configuration | undefined {
  if (!refuser.webhook) return undefined;
  const configurations = [...ask.seen('MutatingWebhookConfiguration'), ...ask.seen('ValidatingWebhookConfiguration')];
  return configurations.find((configuration) => webhookIn(configuration, refuser) !== undefined);
}

function webhookIn({ webhooks = [] }: Configuration, refuser: Refuser): Webhook | undefined {
  return webhooks.find(({ name }) => name === refuser.webhook);
}

function reviveService(ask: Inquiry, refuser: Refuser): Fix {
  const configuration = configurationOf(ask, refuser);
  const service = configuration && webhookIn(configuration, refuser)?.clientConfig?.service;
  return fix(
    'look at the service behind the webhook, and bring it back: every claim is refused until then',
    service?.name
      ? `kubectl ${inNamespace(service.namespace ?? 'default')}get service,endpoints ${shellWord(service.name)}`
      : listWebhooks,
  );
}

function meetRule({ policy }: Refuser, text: string): Fix {
  const kind = /Mutating/.test(text) ? 'mutating' : 'validating';
  return fix(
    'see who refuses; change the claim template so that it meets the rule, or have the rule changed by its owner',
    policy ? `kubectl get ${kind}admissionpolicies ${shellWord(policy)} -o yaml` : listWebhooks,
  );
}

/** Whether everything else that could explain the missing claim has been read: its events, quotas and limit ranges. */
function isOpenQuestion(c: ClaimCase, unmade: UnmadeClaim): boolean {
  const { namespace } = c;
  return !(
    c.ask.isUnasked('Event', eventScope(unmade.owner)) ||
    c.ask.isUnasked('ResourceQuota', { namespace }) ||
    c.ask.isUnasked('LimitRange', { namespace })
  );
}

/** Without an event it is a guess which webhook may have refused the claim. */
function suspectWebhooks(c: ClaimCase, unmade: UnmadeClaim): Explanation | undefined {
  const suspects = webhooksOnNewClaims(c.ask);
  const [first] = suspects;
  if (!first) return undefined;
  return {
    confidence: 'possible',
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made, no quota or limit range stands against it, and webhook ${first.name} may refuse claims`,
    evidence: [
      absenceOf(c),
      ...suspects
        .slice(0, mostShown)
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

interface Suspect {
  readonly configuration: Configuration;
  readonly name: string;
  readonly failurePolicy: string;
}

function webhooksOnNewClaims(ask: Inquiry): Suspect[] {
  const why = 'which webhooks may refuse a claim';
  const configurations: readonly Configuration[] = [
    ...ask.list('MutatingWebhookConfiguration', undefined, why).items,
    ...ask.list('ValidatingWebhookConfiguration', undefined, why).items,
  ];
  return configurations.flatMap((configuration) =>
    (configuration.webhooks ?? []).flatMap(({ name = '', failurePolicy = 'Fail', rules = [] }) =>
      rules.some(isAboutNewClaims) ? [{ configuration, name, failurePolicy }] : [],
    ),
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
