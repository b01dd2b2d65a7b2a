import type { StatefulSet } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { defaultClassOf } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { excessSaid, neededSaid, raiseFor } from './quota-raise.ts';
import type { Raise } from './quota-raise.ts';
import { excessOf, usesClassKeys } from './quota-room.ts';
import type { Excess, NewClaim } from './quota-room.ts';
import { confidenceOf, refusalEvidence, refusalRule, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, retryCommands, retryText } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

/** Quota is the last admission plugin: a refusal by an earlier one, where an event reports it, comes first. */
export const pvcCreateDeniedQuota = refusalRule('pvc-create-denied-quota', 'quota', (c, unmade, refusal) => {
  const claim = newClaim(c, unmade);
  const full = c.ask
    .list('ResourceQuota', c.namespace, 'whether a quota has room for the claim')
    .items.flatMap((quota) => excessOf(quota, claim));
  const quotaName = refusingQuota(full, refusal);
  if (quotaName === undefined && !refusal) return undefined;
  const shown = full.filter(({ quota }) => quota.metadata.name === quotaName);
  return {
    confidence: confidenceOf(full.length > 0, refusal),
    ...(quotaName !== undefined && { about: `${c.namespace}/${quotaName}` }),
    summary: `${claimText(c)} was never created: ${quotaText(quotaName, shown, refusal, unmade)}`,
    evidence: [
      absenceOf(c),
      ...full.map(({ quota, key, used, hard }) => field(quota, `status.used[${key}]`, `${used} of ${hard}`)),
      ...requestEvidence(unmade),
      ...refusalEvidence(refusal),
    ],
    fix: advise(c, unmade, raiseOf(c, unmade, shown, { quotaName, refusal, claim })),
  };
});

/** Which class admission would fill in matters only where a quota counts by class. */
function newClaim(c: ClaimCase, { spec, className }: UnmadeClaim): NewClaim {
  const quotas = c.ask.list('ResourceQuota', c.namespace, 'whether a quota has room for the claim').items;
  const isByClass = className === undefined && quotas.some(usesClassKeys);
  return {
    request: spec?.resources?.requests?.['storage'],
    className: isByClass
      ? defaultClassOf(c.ask.list('StorageClass', undefined, 'which class is the default').items)?.metadata.name
      : className,
    attributesClass: spec?.volumeAttributesClassName,
  };
}

/** The full quota that the refusal names, else any full one, else the one that it names. */
function refusingQuota(full: readonly Excess[], refusal: Refusal | undefined): string | undefined {
  const named = refusal && /(?:exceeded quota|quota): ([^\s,:]+)/i.exec(refusal.text)?.[1];
  const names = full.map(({ quota }) => quota.metadata.name);
  return names.find((name) => name === named) ?? names[0] ?? named;
}

function quotaText(
  quotaName: string | undefined,
  shown: readonly Excess[],
  refusal: Refusal | undefined,
  { label }: UnmadeClaim,
): string {
  const quota = quotaName === undefined ? 'a ResourceQuota' : `ResourceQuota "${quotaName}"`;
  const numbers = shown.length > 0 ? shown : excessSaid(refusal?.text ?? '');
  if (numbers.length === 0) return `${quota} refuses it for ${label}: "${serverWords(refusal?.text ?? '').trim()}".`;
  const words = numbers.map(
    ({ key, requested, used, hard }) => `${hard} of ${key} allowed, ${used} used, ${requested} more needed`,
  );
  return `${quota} has no room for the claim that ${label} needs (${words.join('; ')}).`;
}

function requestEvidence({ owner, path, spec }: UnmadeClaim): Evidence[] {
  if (!spec) return [];
  const request = spec.resources?.requests?.['storage'] ?? 'not set';
  return [field(owner, `${path}.spec.resources.requests.storage`, request)];
}

interface Said {
  readonly quotaName: string | undefined;
  readonly refusal: Refusal | undefined;
  readonly claim: NewClaim;
}

/** From the quota itself, or, where it could not be read, from the numbers of the refusal. */
function raiseOf(
  c: ClaimCase,
  unmade: UnmadeClaim,
  [first]: readonly Excess[],
  { quotaName, refusal, claim }: Said,
): Raise | undefined {
  if (first) return raiseFor(c.ask, first.quota, unmade, claim, c.name);
  if (quotaName === undefined) return undefined;
  const needed = neededSaid(refusal?.text ?? '');
  const hard = needed.length > 0 ? Object.fromEntries(needed) : { 'requests.storage': 'PLACEHOLDER_SIZE' };
  return { quota: quotaName, hard, claims: 1 };
}

function advise(c: ClaimCase, unmade: UnmadeClaim, raise: Raise | undefined): Fix[] {
  return [raiseQuota(c, unmade, raise), ...runFewer(c, unmade), ...deleteUnused(c)];
}

function raiseQuota(c: ClaimCase, unmade: UnmadeClaim, raise: Raise | undefined): Fix {
  const name = raise?.quota ?? 'PLACEHOLDER_QUOTA';
  const hard = raise?.hard ?? { 'requests.storage': 'PLACEHOLDER_SIZE' };
  const limits = Object.entries(hard).map(([key, size]) => `${key} ${size}`);
  const many = raise && raise.claims > 1 ? `, which is enough for the ${raise.claims} claims still missing` : '';
  return steps(
    `Raise ResourceQuota "${name}" to ${limits.join(' and ')}${many}; its owner decides.${retryText(unmade)}`,
    [
      patchCommand({ kind: 'ResourceQuota', metadata: { namespace: c.namespace, name } }, { spec: { hard } }),
      ...retryCommands(unmade, c.now),
    ],
  );
}

/** Offered only where none of the pods that are given up exists. */
function runFewer(c: ClaimCase, { owner }: UnmadeClaim): Fix[] {
  if (owner.kind !== 'StatefulSet' || !c.ask.graph.coverage.answers('Pod', { namespace: c.namespace })) return [];
  const first = owner.spec?.ordinals?.start ?? 0;
  const ordinal = Number(/-(\d+)$/.exec(c.name)?.[1] ?? 0);
  const replicas = ordinal - first;
  if (replicas < 1 || podsFrom(c, owner, ordinal).length > 0) return [];
  return [
    steps(
      `Run only ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} of statefulset/${owner.metadata.name}, ` +
        'if that is enough. No running pod is stopped.',
      [kubectl('scale', owner, `--replicas=${replicas}`)],
    ),
  ];
}

/** The pods of the set that exist from this ordinal on. */
function podsFrom(c: ClaimCase, { metadata, spec }: StatefulSet, ordinal: number): string[] {
  const end = (spec?.ordinals?.start ?? 0) + Math.min(spec?.replicas ?? 1, 10_000);
  return Array.from({ length: Math.max(0, end - ordinal) }, (_, index) => `${metadata.name}-${ordinal + index}`).filter(
    (name) => c.ask.graph.find('Pod', c.namespace, name) !== undefined,
  );
}

/** Claims without a pod count as much as the others. The pods were read to find out what needs the claim. */
function deleteUnused(c: ClaimCase): Fix[] {
  if (!c.ask.graph.coverage.answers('Pod', { namespace: c.namespace })) return [];
  const unused = c.ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.namespace === c.namespace && metadata.deletionTimestamp === undefined)
    .filter(({ metadata: { name } }) => c.ask.graph.podsUsing({ namespace: c.namespace, name }).length === 0);
  const [first] = unused;
  if (!first) return [];
  const size = first.spec?.resources?.requests?.['storage'] ?? 'a size not set';
  return [
    steps(
      `If the data of pvc/${first.metadata.name} (${size}, used by no pod) is not needed, delete that claim to make room.`,
      [saveCommand(first), kubectl('delete', first)],
      'data-loss',
    ),
  ];
}
