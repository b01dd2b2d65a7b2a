import { neededQuota } from './capacity.ts';

/** Google writes `projects/NAME/…`. */
export function projectIn(text: string): string | undefined {
  return /\bprojects\/([a-z][a-z0-9:.-]+)/.exec(text)?.[1];
}

/** AWS: what was refused, in a form that only the account can decode. */
export function encodedRefusalIn(text: string): string | undefined {
  return /Encoded authorization failure message: ([\w-]+)/i.exec(text)?.[1];
}

/** AWS: `not authorized to perform: ec2:CreateVolume on resource: arn:aws:ec2:…` */
export function deniedResourceIn(text: string): string | undefined {
  return /on resource: (arn:[^\s"']+)/.exec(text)?.[1];
}

/** Azure: `does not have authorization to perform action 'A' over scope '/subscriptions/…'` */
export function scopeIn(text: string): string | undefined {
  return /\bscope ['"](\/subscriptions\/[^'"]+)['"]/i.exec(text)?.[1];
}

/** Azure: in the address of the resource that was asked for. */
export function resourceGroupIn(text: string): string | undefined {
  return /\/resourceGroups\/([\w.()-]+)/i.exec(text)?.[1];
}

/** Azure: the policy assignment that forbids a request, where the answer holds its details. */
export function policyAssignmentIn(text: string): string | undefined {
  return /"policyAssignment":\s*\{[^}]*"id":\s*"([^"]+)"/.exec(text)?.[1];
}

export const azurePolicyText = /RequestDisallowedByPolicy/i;
export const storageAccountText = /Microsoft\.Storage\/storageAccounts/i;

/** Azure: `exceeding approved … quota. … Location: westeurope` */
export function locationIn(text: string): string | undefined {
  return /\bLocation: ([a-z0-9]+)/i.exec(text)?.[1];
}

/** A quota of OpenStack that is used up, as far as the text tells. */
export interface OpenStackQuota {
  readonly project: string | undefined;
  /** `volumes`, `gigabytes_fast` */
  readonly name: string | undefined;
  /** The least limit with which the request passes. */
  readonly needed: string | undefined;
}

/** Cinder and Manila: quotas of volumes, gigabytes and snapshots, each also for one type. */
const quotaNames =
  /\bquota '((?:volumes|gigabytes|snapshots|per_volume_gigabytes|backups|backup_gigabytes|shares|share_gigabytes)\w*)'|\b(Volume|Snapshot|Share)(?:Limit|LimitExceeded)\b|\b(Volume|Share)SizeExceedsAvailableQuota\b/i;

export function openStackQuotaIn(text: string): OpenStackQuota {
  const [, named, counted, sized] = quotaNames.exec(text) ?? [];
  const isSize = sized !== undefined || /Requested \d+G/i.test(text);
  const limit = /allowed \((\d+)\)|quota is (\d+)G?\b/i.exec(text);
  const most = Number(limit?.[1] ?? limit?.[2] ?? Number.NaN);
  return {
    project: /\/v[23](?:\.\d+)?\/([0-9a-f]{32})\b/.exec(text)?.[1],
    name:
      named?.toLowerCase() ??
      (counted === undefined ? undefined : `${counted.toLowerCase()}s`) ??
      (isSize ? 'gigabytes' : undefined),
    needed: /^\d+/.exec(neededQuota(text) ?? '')?.[0] ?? (Number.isNaN(most) ? undefined : String(most + 1)),
  };
}

/** Clouds remember a request by its token: that does not prove that a volume was created. */
export const requestKnownTexts = /idempoten|client ?token|request ?(?:token|id) .{0,40}(?:reused|already)/i;
