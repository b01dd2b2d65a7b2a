import type { ObjectOf, StorageClass } from '../../kube/kinds.ts';
import { addQuantities } from '../../kube/quantity.ts';
import { parseTime } from '../../kube/time.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultSince } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { defaultEvidence, unfilledDefault } from './default-class.ts';
import { excessOf } from './quota-room.ts';
import type { Excess } from './quota-room.ts';

type Configuration = ObjectOf<'MutatingWebhookConfiguration'> | ObjectOf<'ValidatingWebhookConfiguration'>;

const graceSeconds = 60;
const mostShown = 5;

/**
 * From 1.26 on the volume controller fills a default class into claims that have none (pv_controller
 * assignDefaultStorageClass). If that update is refused, only its log says so.
 */
export const retroactiveDefaultBlocked = claimRule({
  cause: 'retroactive-default-blocked',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const fallback = unfilledDefault(c);
    if (!fallback || !isOverdue(c, fallback)) return undefined;
    const { name } = fallback.metadata;
    const obstacles = findObstacles(c, name);
    const [quota] = obstacles.full;
    return {
      confidence: quota ? 'certain' : 'likely',
      about: quota ? `${c.namespace}/${quota.quota.metadata.name}` : name,
      summary: `${claimText(c)} names no StorageClass, and default class "${name}" was not filled in: ${obstacleText(obstacles)}.`,
      evidence: evidenceOf(c, fallback, obstacles),
      fix: quota ? [makeRoom(c, obstacles.full, name)] : [setClass(c, name)],
    };
  },
});

/** The controller has had time to fill the class in since both the claim and the default exist. */
function isOverdue(c: PresentClaim, fallback: StorageClass): boolean {
  if (atLeast(c.ask.graph.serverVersion, 1, 26) === false) return false;
  const defaultSeconds = (c.now - (parseTime(defaultSince(fallback)) ?? 0)) / 1000;
  return Math.min(c.ageSeconds, defaultSeconds) >= graceSeconds;
}

interface Suspect {
  readonly configuration: Configuration;
  readonly name: string;
  readonly failurePolicy: string;
}

/** What may refuse the update: a full quota proves it, webhooks are suspects where no quota is full. */
interface Obstacles {
  readonly full: readonly Excess[];
  readonly webhooks: readonly Suspect[];
}

function findObstacles(c: PresentClaim, className: string): Obstacles {
  const full = fullQuotas(c, className);
  const isSettled = full.length > 0 || c.ask.isUnasked('ResourceQuota', { namespace: c.namespace });
  return { full, webhooks: isSettled ? [] : webhooksOnUpdates(c) };
}

/** The claim itself is counted already, only not under this class. */
function fullQuotas(c: PresentClaim, className: string): Excess[] {
  const claim = { request: c.request, className, attributesClass: c.claim.spec?.volumeAttributesClassName };
  return c.ask
    .list('ResourceQuota', c.namespace, `whether a quota has room for class ${className}`)
    .items.flatMap((quota) => excessOf(quota, claim))
    .filter(({ key }) => key.startsWith(`${className}.storageclass.storage.k8s.io/`));
}

function webhooksOnUpdates(c: PresentClaim): Suspect[] {
  const why = 'which webhooks may refuse the change';
  const configurations: readonly Configuration[] = [
    ...c.ask.list('MutatingWebhookConfiguration', undefined, why).items,
    ...c.ask.list('ValidatingWebhookConfiguration', undefined, why).items,
  ];
  return configurations.flatMap((configuration) =>
    (configuration.webhooks ?? []).flatMap(({ name = '', failurePolicy = 'not set', rules = [] }) =>
      rules.some(isAboutClaimUpdates) ? [{ configuration, name, failurePolicy }] : [],
    ),
  );
}

function isAboutClaimUpdates({
  operations = [],
  resources = [],
}: {
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
}): boolean {
  return (
    operations.some((operation) => operation === '*' || operation === 'UPDATE') &&
    resources.some((resource) => resource === '*' || resource === '*/*' || resource === 'persistentvolumeclaims')
  );
}

function obstacleText({ full: [quota], webhooks: [webhook] }: Obstacles): string {
  if (quota)
    return (
      `ResourceQuota "${quota.quota.metadata.name}" has no room for it (${quota.hard} of ${quota.key} allowed, ` +
      `${quota.used} used, ${quota.requested} more needed)`
    );
  if (webhook) return `webhook "${webhook.name}" may refuse the change`;
  return 'the change is refused, or the kube-controller-manager does not make it';
}

function evidenceOf(c: PresentClaim, fallback: StorageClass, { full, webhooks }: Obstacles): Explanation['evidence'] {
  return [
    field(c.claim, 'spec.storageClassName', 'not set'),
    defaultEvidence(fallback, fallback.metadata.creationTimestamp),
    ...full.map(({ quota, key, used, hard }) => field(quota, `status.used[${key}]`, `${used} of ${hard}`)),
    ...webhooks
      .slice(0, mostShown)
      .map(({ configuration, name, failurePolicy }) =>
        field(configuration, `webhooks[${name}].failurePolicy`, failurePolicy),
      ),
  ];
}

function makeRoom(c: PresentClaim, full: readonly Excess[], className: string): Fix {
  const [{ quota } = { quota: undefined }] = full;
  const own = full.filter((excess) => excess.quota === quota);
  const hard = Object.fromEntries(own.map(({ key, used, requested }) => [key, addQuantities(used, requested)]));
  const name = quota?.metadata.name ?? '';
  return steps(
    `Raise ResourceQuota "${name}" to ${Object.entries(hard)
      .map(([key, size]) => `${key} ${size}`)
      .join(' and ')}; its owner decides. Class "${className}" is then filled in within 15 seconds.`,
    [patchCommand({ kind: 'ResourceQuota', metadata: { namespace: c.namespace, name } }, { spec: { hard } })],
  );
}

/** The same change as the controller's: the API server either accepts it or names what refuses it. */
function setClass(c: PresentClaim, className: string): Fix {
  return steps(
    `Give the claim StorageClass "${className}" yourself: a class that is not set can be set in place. ` +
      'If the API server refuses, its answer names the webhook that has to be corrected; ' +
      'otherwise the volume is provisioned automatically.',
    [patchCommand(c.claim, { spec: { storageClassName: className } })],
  );
}
