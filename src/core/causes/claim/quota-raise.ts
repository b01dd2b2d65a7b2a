import type { ObjectOf, StatefulSet } from '../../kube/kinds.ts';
import { addQuantities, compareQuantities } from '../../kube/quantity.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { claimsExpectedBy } from '../../facts/claim/expectation.ts';
import type { Excess, NewClaim } from './quota-room.ts';
import { usageIn } from './quota-room.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

type Quota = ObjectOf<'ResourceQuota'>;

/** What a quota has to be raised to. */
export interface Raise {
  readonly quota: string;
  /** By counted resource: the new limit. */
  readonly hard: Readonly<Record<string, string>>;
  /** How many claims there is room for then. */
  readonly claims: number;
}

/** Room for this claim and for those of the set that come after it: otherwise the next one is refused as well. */
export function raiseFor(ask: Inquiry, quota: Quota, unmade: UnmadeClaim, own: NewClaim, name: string): Raise {
  const claims = [own, ...laterClaims(ask, unmade, own, name)];
  const used = { ...quota.status?.used };
  for (const claim of claims)
    for (const [key, usage] of usageIn(quota, claim)) used[key] = addQuantities(used[key] ?? '0', usage);
  const limits = quota.status?.hard ?? quota.spec?.hard ?? {};
  const hard = Object.entries(limits).flatMap(([key, limit]): [string, string][] => {
    const needed = used[key];
    return needed !== undefined && compareQuantities(needed, limit) > 0 ? [[key, needed]] : [];
  });
  return { quota: quota.metadata.name, hard: Object.fromEntries(hard), claims: claims.length };
}

/** Claims of the set that do not exist yet either, as far as can be seen. */
function laterClaims(ask: Inquiry, { owner, template }: UnmadeClaim, own: NewClaim, name: string): NewClaim[] {
  if (owner.kind !== 'StatefulSet') return [];
  const { namespace } = owner.metadata;
  return expectedAfter(owner, template, name)
    .filter((each) => ask.graph.find('PersistentVolumeClaim', namespace, each) === undefined)
    .map(() => own);
}

/** The claims of the same template for later pods. */
function expectedAfter(set: StatefulSet, template: string, name: string): string[] {
  const all = claimsExpectedBy(set).filter(
    ({ name: each, expectation }) => each === `${template}-${expectation.podName}`,
  );
  const ordinal = all.find((each) => each.name === name)?.expectation.ordinal ?? Number.POSITIVE_INFINITY;
  return all.filter(({ expectation }) => expectation.ordinal > ordinal).map((each) => each.name);
}

/** The numbers of a refusal: `exceeded quota: NAME, requested: KEY=SIZE, used: KEY=SIZE, limited: KEY=SIZE`. */
export function excessSaid(text: string): readonly Omit<Excess, 'quota'>[] {
  const [requested, used, limited] = ['requested', 'used', 'limited'].map((word) => pairsAfter(text, word));
  return [...(requested ?? [])].flatMap(([key, size]): Omit<Excess, 'quota'>[] => {
    const [inUse, hard] = [used?.get(key), limited?.get(key)];
    return inUse === undefined || hard === undefined ? [] : [{ key, requested: size, used: inUse, hard }];
  });
}

/** What each counted resource has to be raised to. The limit is the end of the text, which a recorder may cut off. */
export function neededSaid(text: string): readonly (readonly [string, string])[] {
  const [requested, used] = ['requested', 'used'].map((word) => pairsAfter(text, word));
  return [...(requested ?? [])].flatMap(([key, size]): [string, string][] => {
    const inUse = used?.get(key);
    return inUse === undefined ? [] : [[key, addQuantities(inUse, size)]];
  });
}

function pairsAfter(text: string, word: string): ReadonlyMap<string, string> {
  const list = new RegExp(`\\b${word}: ((?:[^\\s,=]+=[^\\s,]+,?)+)`).exec(text)?.[1] ?? '';
  return new Map(
    list
      .split(',')
      .map((pair) => pair.split('='))
      .flatMap(([key, value]): [string, string][] => (key && value ? [[key, value]] : [])),
  );
}
