import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { defaultClassOf } from '../../facts/class/storage-class.ts';
import { excessOf, usesClassKeys } from './quota-room.ts';
import type { Excess } from './quota-room.ts';
import { absenceOf, refusalRule } from './refusal.ts';
import type { UnmadeClaim } from './refusal.ts';

/** Quota is the last admission plugin: a refusal by an earlier one, where an event tells, comes first. */
export const pvcCreateDeniedQuota = refusalRule('pvc-create-denied-quota', 'quota', (c, unmade, refusal) => {
  const full = fullQuotas(c.ask, c.namespace, unmade);
  const named = refusal && /(?:exceeded quota|quota): ([^\s,:]+)/i.exec(refusal.text)?.[1];
  const quotaName =
    full.find(({ quota }) => quota.metadata.name === named)?.quota.metadata.name ??
    full[0]?.quota.metadata.name ??
    named;
  if (quotaName === undefined && !refusal) return undefined;
  const because =
    full.length > 0
      ? full
          .filter(({ quota }) => quota.metadata.name === quotaName)
          .map(wordsOf)
          .join('; ')
      : numbersOf(refusal?.text ?? '');
  return {
    confidence: full.length > 0 ? 'certain' : (refusal?.confidence ?? 'possible'),
    ...(quotaName !== undefined && { about: `${c.namespace}/${quotaName}` }),
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: quota ${quotaName ?? 'of the namespace'} has no room for it${because ? ` (${because})` : ''}`,
    evidence: [
      absenceOf(c),
      ...full.map(({ quota, key, used, hard }) => field(quota, `status.used[${key}]`, `${used} of ${hard}`)),
      ...(unmade.spec
        ? [
            field(
              unmade.owner,
              `${unmade.path}.spec.resources.requests.storage`,
              unmade.spec.resources?.requests?.['storage'] ?? 'not set',
            ),
          ]
        : []),
      ...(refusal ? [refusal.evidence] : []),
    ],
    fix: [
      fix(
        'see what the quota counts, and raise it',
        `kubectl ${inNamespace(c.namespace)}describe resourcequota${quotaName === undefined ? '' : ` ${shellWord(quotaName)}`}`,
      ),
      fix(
        `or look which claims of the namespace nobody needs, and delete those; ${unmade.label} tries again by itself`,
        `kubectl ${inNamespace(c.namespace)}get pvc`,
      ),
    ],
  };
});

function fullQuotas(ask: Inquiry, namespace: string, { spec, className }: UnmadeClaim): Excess[] {
  const quotas = ask.list('ResourceQuota', namespace, 'whether a quota has room for the claim').items;
  // Only a quota by class makes it worth knowing which class admission would fill in.
  const isByClass = className === undefined && quotas.some(usesClassKeys);
  const settled = isByClass
    ? defaultClassOf(ask.list('StorageClass', undefined, 'which class is the default').items)?.metadata.name
    : className;
  return quotas.flatMap((quota) =>
    excessOf(quota, {
      request: spec?.resources?.requests?.['storage'],
      className: settled,
      attributesClass: spec?.volumeAttributesClassName,
    }),
  );
}

function wordsOf({ key, requested, used, hard }: Excess): string {
  return `${key}: ${used} of ${hard} used, ${requested} more wanted`;
}

function numbersOf(text: string): string {
  return /requested: [^]*/.exec(text)?.[0].trim() ?? '';
}
