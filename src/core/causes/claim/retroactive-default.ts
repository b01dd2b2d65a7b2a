import type { StorageClass } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { atLeast } from '../../kube/version.ts';
import { parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { defaultAnnotationOf, defaultClassOf, defaultSince } from '../../facts/class/storage-class.ts';
import { excessOf } from './quota-room.ts';

/**
 * From 1.26 on the volume controller fills a default class into claims that have none (pv_controller
 * assignDefaultStorageClass). If that update is refused it says so in its log only.
 */
export const retroactiveDefaultBlocked = claimRule({
  cause: 'retroactive-default-blocked',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const fallback = unfilledDefault(c);
    if (!fallback || atLeast(c.ask.graph.serverVersion, 1, 26) === false || secondsSince(c, fallback) < 60)
      return undefined;
    const { name } = fallback.metadata;
    const full = c.ask
      .list('ResourceQuota', c.namespace, `whether a quota has room for class ${name}`)
      .items.flatMap((quota) =>
        excessOf(quota, {
          request: c.request,
          className: name,
          attributesClass: c.claim.spec?.volumeAttributesClassName,
        }),
      )
      // The claim itself is counted already, only not under this class.
      .filter(({ key }) => key.startsWith(`${name}.storageclass.storage.k8s.io/`));
    const [first] = full;
    const webhooks =
      first || c.ask.isUnasked('ResourceQuota', { namespace: c.namespace })
        ? []
        : (['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const).flatMap((kind) =>
            c.ask
              .list(kind, undefined, 'which webhooks may refuse the change')
              .items.flatMap((configuration) =>
                (configuration.webhooks ?? [])
                  .filter(({ rules = [] }) => rules.some(isAboutClaimUpdates))
                  .map((webhook) => ({ configuration, webhook })),
              ),
          );
    const why = first
      ? `quota ${first.quota.metadata.name} has no room for it (${first.key}: ${first.used} of ${first.hard} used)`
      : webhooks.length > 0
        ? `webhook ${webhooks[0]?.webhook.name ?? ''} may refuse the change`
        : 'the change is refused, or kube-controller-manager does not make it';
    return {
      about: first ? `${c.namespace}/${first.quota.metadata.name}` : name,
      summary: `the claim names no class, and default class ${name} was not filled in: ${why}`,
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set'),
        defaultEvidence(fallback, fallback.metadata.creationTimestamp),
        ...full.map(({ quota, key, used, hard }) => field(quota, `status.used[${key}]`, `${used} of ${hard}`)),
        ...webhooks
          .slice(0, 5)
          .map(({ configuration, webhook }) =>
            field(configuration, `webhooks[${webhook.name ?? ''}].failurePolicy`, webhook.failurePolicy ?? 'not set'),
          ),
      ],
      fix: [
        first
          ? fix(
              `see what the quota counts, and make room for class ${name} in it: the claim then goes on by itself`,
              `kubectl ${inNamespace(c.namespace)}describe resourcequota ${shellWord(first.quota.metadata.name)}`,
            )
          : fix(
              'try the change by hand without making it: the server says who refuses it',
              `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --dry-run=server -p ${shellWord(JSON.stringify({ spec: { storageClassName: name } }))}`,
            ),
        remakeClaim(c),
      ],
    };
  },
});

/** Before 1.26 the class is filled in at creation only. */
export const retroactiveDefaultUnsupported = claimRule({
  cause: 'retroactive-default-unsupported',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const fallback = unfilledDefault(c);
    const version = c.ask.graph.serverVersion;
    if (!fallback || !version || atLeast(version, 1, 26) !== false) return undefined;
    // One that was there before may have become the default since; when, no object keeps.
    const isLater =
      (parseTime(fallback.metadata.creationTimestamp) ?? 0) > (parseTime(c.claim.metadata.creationTimestamp) ?? 0);
    return {
      confidence: isLater ? 'certain' : 'likely',
      about: fallback.metadata.name,
      summary: `the claim names no class, default class ${fallback.metadata.name} ${isLater ? 'came after it' : 'was made the default after it or admission plugin DefaultStorageClass is off'}, and Kubernetes ${version.major}.${version.minor} fills a default in only when a claim is made`,
      evidence: [
        field(c.claim, 'spec.storageClassName', 'not set', c.claim.metadata.creationTimestamp),
        isLater ? field(fallback, 'metadata.creationTimestamp') : defaultEvidence(fallback),
      ],
      fix: [
        isLater
          ? remakeClaim(c, 'delete')
          : fix(
              `delete the claim and make it again: it then gets the default class at once, unless the plugin is off; with storageClassName: ${fallback.metadata.name} it works either way`,
              deleteCommand(c),
              'disruptive',
            ),
      ],
    };
  },
});

function unfilledDefault(c: PresentClaim): StorageClass | undefined {
  if (c.class.source !== 'none' || c.isBound || c.isLost || c.volumeName !== '') return undefined;
  return defaultClassOf(c.ask.list('StorageClass', undefined, 'whether there is a default class').items);
}

/** Since both the claim and the default have been there. */
function secondsSince(c: PresentClaim, fallback: StorageClass): number {
  return Math.min(c.ageSeconds, (c.now - (parseTime(defaultSince(fallback)) ?? 0)) / 1000);
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

function defaultEvidence(storageClass: StorageClass, at?: string): Evidence {
  return field(storageClass, `metadata.annotations[${defaultAnnotationOf(storageClass) ?? ''}]`, 'default class', at);
}

function remakeClaim(c: PresentClaim, how = 'or delete') {
  return fix(
    `${how} the claim and make it again: it then gets the default class at once`,
    deleteCommand(c),
    'disruptive',
  );
}

function deleteCommand(c: PresentClaim): string {
  return `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`;
}
