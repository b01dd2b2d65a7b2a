import { eventScope } from '../../kube/snapshot.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { refusalRule, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';
import { backendEvidence, backendText, reviveFixes, serviceOf } from './unreachable-webhook.ts';
import type { Configuration, DeadWebhook } from './unreachable-webhook.ts';

type Webhook = NonNullable<Configuration['webhooks']>[number];

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
  if (policy) return `admission policy "${policy}"`;
  return webhook ? `webhook "${webhook}"` : 'an admission check';
}

function explainRefusal(c: ClaimCase, unmade: UnmadeClaim, { text, evidence, confidence }: Refusal): Explanation {
  const refuser = refuserOf(text);
  const dead = /failed calling/i.test(text) ? deadWebhook(c.ask, refuser, text) : undefined;
  return {
    confidence,
    about: refuser.label,
    summary:
      `${claimText(c)}, which ${unmade.label} needs, was never created: ` +
      `${refuser.label} ${dead ? 'could not be called' : 'refused it'} ("${ownWords(text)}").` +
      `${dead ? backendText(c.ask, dead) : ''}`,
    evidence: [
      absenceOf(c),
      evidence,
      ...webhookEvidence(c.ask, refuser),
      ...(dead ? backendEvidence(c.ask, dead) : []),
    ],
    fix: dead ? reviveFixes(c, unmade, dead) : [meetRule(unmade, refuser, text), askOwner(refuser, text)],
  };
}

function deadWebhook(ask: Inquiry, refuser: Refuser, text: string): DeadWebhook {
  const configuration = configurationOf(ask, refuser);
  const { label, webhook: name } = refuser;
  const words = ownWords(text);
  return { label, name, configuration, words, service: serviceOf(text, name, configuration) };
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

/** Only the words of the rule say what it wants. */
function meetRule(unmade: UnmadeClaim, { label }: Refuser, text: string): Fix {
  const words = ownWords(text);
  const marks = marksIn(words);
  if (marks)
    return remakeOwner(
      unmade,
      `as ${label} demands ("${words}"; PLACEHOLDER_KEY and PLACEHOLDER_VALUE are ` +
        `${marks === 'labels' ? 'the label' : 'the annotation'} that it wants)`,
      { [`metadata.${marks}`]: { ...templateMarks(unmade, marks), PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' } },
    );
  const [allowed, ...more] = classesIn(words);
  if (allowed !== undefined)
    return remakeOwner(
      unmade,
      `with StorageClass "${allowed}", which ${label} accepts${more.length === 0 ? '' : ` (or ${more.join(', ')})`},`,
      { 'spec.storageClassName': allowed },
    );
  const field = fieldIn(words);
  if (field !== undefined) {
    const value = /storage$/.test(field) ? mostIn(words) : undefined;
    const how =
      value === undefined
        ? `with a ${field} that ${label} accepts ("${words}"; PLACEHOLDER_VALUE is its new content)`
        : `with ${field} ${value}, the most that ${label} accepts`;
    return remakeOwner(unmade, how, { [field]: value ?? 'PLACEHOLDER_VALUE' });
  }
  return remakeOwner(
    unmade,
    `as ${label} demands ("${words}"; PLACEHOLDER_FIELD is the field that it names, PLACEHOLDER_VALUE its new content)`,
    {
      PLACEHOLDER_FIELD: 'PLACEHOLDER_VALUE',
    },
  );
}

/** Kyverno names the path that it checked; others name the field as in a manifest. */
function fieldIn(words: string): string | undefined {
  const path =
    /\bpath \/?(spec\/[\w/]+?)\/?(?=['"\s,]|$)/.exec(words)?.[1] ??
    /\bspec\.(?:resources\.requests\.storage|storageClassName|accessModes|volumeMode)\b/.exec(words)?.[0] ??
    (/\bstorage ?class(?: ?name)?\b/i.test(words) ? 'spec.storageClassName' : undefined);
  return path?.replaceAll('/', '.');
}

/** The classes that a policy about classes names as allowed: `must be one of [a, b]`, `one of the following (a, b)`. */
function classesIn(words: string): string[] {
  if (!/storage ?class/i.test(words)) return [];
  const list = /\b(?:one of|allowed|permitted|valid)\b[^([{:]{0,40}[([{:]\s*([^)\]}]+)/i.exec(words)?.[1] ?? '';
  const names = list.split(/[\s,;|]+/).map((name) => name.replaceAll(/^["']|["'.]$/g, ''));
  return names.length > 0 && names.every((name) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) ? names : [];
}

/** The size that a policy names as its limit. */
function mostIn(words: string): string | undefined {
  return /(?:exceed|at most|max(?:imum)?|larger than|greater than|less than or equal to|<=)[^0-9]{0,30}(\d+(?:\.\d+)?(?:[KMGTPE]i?))\b/i.exec(
    words,
  )?.[1];
}

/** Most policies about claims want a label or an annotation, and say so. */
function marksIn(words: string): 'labels' | 'annotations' | undefined {
  if (/\bannotations?\b/i.test(words)) return 'annotations';
  return /\blabels?\b/i.test(words) ? 'labels' : undefined;
}

/** Those that the template has already: they are replaced as a whole. */
function templateMarks({ owner, index }: UnmadeClaim, marks: 'labels' | 'annotations'): object {
  if (owner.kind !== 'StatefulSet') return {};
  return owner.spec?.volumeClaimTemplates?.[index]?.metadata?.[marks] ?? {};
}

function askOwner({ policy, webhook, label }: Refuser, text: string): Fix {
  const kind = /MutatingAdmissionPolicy/.test(text) ? 'mutating' : 'validating';
  const command = policy
    ? `kubectl get ${kind}admissionpolicies ${shellWord(policy)} -o yaml`
    : 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml | grep -F -B5 -A40 -- ' +
      `${shellWord(webhook ?? 'webhooks:')}`;
  return steps(`Ask the owner of ${label} to admit the claim. This shows the rule.`, [command]);
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
    summary:
      `${claimText(c)}, which ${unmade.label} needs, was never created. ` +
      `No quota or LimitRange refuses it; webhook "${first.name}" may.`,
    evidence: [
      absenceOf(c),
      ...suspects
        .slice(0, mostShown)
        .map(({ configuration, name, failurePolicy }) =>
          field(configuration, `webhooks[${name}].failurePolicy`, failurePolicy),
        ),
    ],
    fix: [createByHand(c, unmade)],
  };
}

/** What the controller tries: the API server either creates the claim or names what refuses it. */
function createByHand(c: ClaimCase, { spec = {}, label }: UnmadeClaim): Fix {
  const manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: c.name, namespace: c.namespace },
    spec,
  };
  return steps(
    'Create the claim yourself as its template describes it. ' +
      'If the API server refuses, its answer names the webhook and the rule to meet; ' +
      `otherwise ${label} continues with this claim.`,
    [applyCommand(manifest)],
  );
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
