import type { ObjectOf } from '../../kube/kinds.ts';
import { addQuantities, compareQuantities } from '../../kube/quantity.ts';

type Quota = ObjectOf<'ResourceQuota'>;

/** What a new claim would take from a quota. */
export interface NewClaim {
  readonly request: string | undefined;
  /** Undefined when it is not known which class it would get. */
  readonly className: string | undefined;
  readonly attributesClass: string | undefined;
}

/** One counted resource that has no room left. */
export interface Excess {
  readonly quota: Quota;
  readonly key: string;
  readonly requested: string;
  readonly used: string;
  readonly hard: string;
}

const classSuffix = '.storageclass.storage.k8s.io/';

export function usesClassKeys(quota: Quota): boolean {
  return Object.keys(hardOf(quota)).some((key) => key.includes(classSuffix));
}

/** The resources by which the claim does not fit (pkg/quota/v1/evaluator/core persistent_volume_claims.go). */
export function excessOf(quota: Quota, claim: NewClaim): Excess[] {
  if (!selects(quota, claim)) return [];
  return Object.entries(hardOf(quota)).flatMap(([key, hard]) => {
    const requested = usageOf(key, claim);
    if (requested === undefined) return [];
    const used = quota.status?.used?.[key] ?? '0';
    return compareQuantities(addQuantities(used, requested), hard) > 0 ? [{ quota, key, requested, used, hard }] : [];
  });
}

/** What the quota would count for the claim, by resource. */
export function usageIn(quota: Quota, claim: NewClaim): (readonly [string, string])[] {
  if (!selects(quota, claim)) return [];
  return Object.keys(hardOf(quota)).flatMap((key): (readonly [string, string])[] => {
    const usage = usageOf(key, claim);
    return usage === undefined ? [] : [[key, usage]];
  });
}

/** Admission goes by the status; the spec counts only until the quota controller has seen it. */
function hardOf(quota: Quota): { readonly [key: string]: string } {
  return quota.status?.hard ?? quota.spec?.hard ?? {};
}

function usageOf(key: string, claim: NewClaim): string | undefined {
  switch (key) {
    case 'persistentvolumeclaims':
    case 'count/persistentvolumeclaims':
      return '1';
    case 'requests.storage':
      return claim.request;
    default:
      if (!claim.className || !key.startsWith(`${claim.className}${classSuffix}`)) return undefined;
      if (key.endsWith('/persistentvolumeclaims')) return '1';
      return key.endsWith('/requests.storage') ? claim.request : undefined;
  }
}

interface ScopeRequirement {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Of all scopes only VolumeAttributesClass can select a claim; a quota with any other scope is not about claims. */
function selects(quota: Quota, { attributesClass }: NewClaim): boolean {
  const scopes: readonly ScopeRequirement[] = [
    ...(quota.spec?.scopes ?? []).map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' })),
    ...(quota.spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every(({ scopeName, operator, values = [] }) => {
    if (scopeName !== 'VolumeAttributesClass') return false;
    switch (operator) {
      case 'Exists':
        return Boolean(attributesClass);
      case 'DoesNotExist':
        return !attributesClass;
      case 'In':
        return attributesClass !== undefined && values.includes(attributesClass);
      case 'NotIn':
        return !attributesClass || !values.includes(attributesClass);
      default:
        return false;
    }
  });
}
