import type { Evidence, Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { defaultClassOf } from '../../facts/class/storage-class.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { excessOf, usesClassKeys } from './quota-room.ts';
import type { Excess } from './quota-room.ts';
import { confidenceOf, refusalEvidence, refusalRule } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

/** Quota is the last admission plugin: a refusal by an earlier one, where an event reports it, comes first. */
export const pvcCreateDeniedQuota = refusalRule('pvc-create-denied-quota', 'quota', (c, unmade, refusal) => {
  const full = fullQuotas(c.ask, c.namespace, unmade);
  const quotaName = refusingQuota(full, refusal);
  if (quotaName === undefined && !refusal) return undefined;
  const numbers = numbersOf(full, quotaName, refusal);
  return {
    confidence: confidenceOf(full.length > 0, refusal),
    ...(quotaName !== undefined && { about: `${c.namespace}/${quotaName}` }),
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: quota ${quotaName ?? 'of the namespace'} has no room for it${numbers ? ` (${numbers})` : ''}`,
    evidence: [
      absenceOf(c),
      ...full.map(({ quota, key, used, hard }) => field(quota, `status.used[${key}]`, `${used} of ${hard}`)),
      ...requestEvidence(unmade),
      ...refusalEvidence(refusal),
    ],
    fix: advise(c, unmade, quotaName),
  };
});

function fullQuotas(ask: Inquiry, namespace: string, { spec, className }: UnmadeClaim): Excess[] {
  const quotas = ask.list('ResourceQuota', namespace, 'whether a quota has room for the claim').items;
  // Which class admission would fill in matters only where a quota counts by class.
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

/** The full quota that the refusal names, else any full one, else the one that it names. */
function refusingQuota(full: readonly Excess[], refusal: Refusal | undefined): string | undefined {
  const named = refusal && /(?:exceeded quota|quota): ([^\s,:]+)/i.exec(refusal.text)?.[1];
  const names = full.map(({ quota }) => quota.metadata.name);
  return names.find((name) => name === named) ?? names[0] ?? named;
}

function numbersOf(full: readonly Excess[], quotaName: string | undefined, refusal: Refusal | undefined): string {
  if (full.length === 0) return /requested: [^]*/.exec(refusal?.text ?? '')?.[0].trim() ?? '';
  return full
    .filter(({ quota }) => quota.metadata.name === quotaName)
    .map(({ key, requested, used, hard }) => `${key}: ${used} of ${hard} used, ${requested} more wanted`)
    .join('; ');
}

function requestEvidence({ owner, path, spec }: UnmadeClaim): Evidence[] {
  if (!spec) return [];
  const request = spec.resources?.requests?.['storage'] ?? 'not set';
  return [field(owner, `${path}.spec.resources.requests.storage`, request)];
}

function advise(c: ClaimCase, unmade: UnmadeClaim, quotaName: string | undefined): Fix[] {
  const quota = quotaName === undefined ? '' : ` ${shellWord(quotaName)}`;
  return [
    fix('see what the quota counts, and raise it', `kubectl ${inNamespace(c.namespace)}describe resourcequota${quota}`),
    fix(
      `or look which claims of the namespace nobody needs, and delete those; ${unmade.label} tries again by itself`,
      `kubectl ${inNamespace(c.namespace)}get pvc`,
    ),
  ];
}
