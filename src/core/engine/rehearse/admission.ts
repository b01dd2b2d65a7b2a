import type { Claim, ObjectOf } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Objection } from '../../report/preflight.ts';
import { addQuantities } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { patchCommand } from '../../causes/lib/steps.ts';
import { excessOf, usageIn } from '../../causes/claim/quota-room.ts';
import { breachesOf } from '../../causes/claim/pvc-create-denied-limitrange.ts';
import { faultOf } from '../../causes/claim/pvc-create-denied-validation.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isDefaultClass, resolveClass } from '../../facts/class/storage-class.ts';
import { claimShapeOf, recordOf } from './templates.ts';
import type { World } from './world.ts';

type Quota = ObjectOf<'ResourceQuota'>;

/** The namespace must exist and not be terminating. */
export function refusedNamespace(ask: Inquiry, namespace: string, object: RawObject): Objection | undefined {
  const found = ask.get('Namespace', undefined, namespace, `whether namespace ${namespace} exists`);
  if (found.state === 'unknown') return undefined;
  const base = { stage: 'claim', confidence: 'certain' } as const;
  if (found.state === 'missing') {
    return {
      ...base,
      cause: 'namespace-missing',
      summary: `Namespace "${namespace}" does not exist, and these manifests do not create it.`,
      evidence: [field(object, 'metadata.namespace', namespace), absent('Namespace', namespace)],
      fix: [
        fix(
          'Create the namespace first, or name another one with -n.',
          `kubectl create namespace ${shellWord(namespace)}`,
        ),
      ],
    };
  }
  if (found.object.metadata.deletionTimestamp === undefined && found.object.status?.phase !== 'Terminating')
    return undefined;
  return {
    ...base,
    cause: 'namespace-terminating',
    summary: `Namespace "${namespace}" is being deleted and accepts no new objects.`,
    evidence: [field(found.object, 'status.phase', found.object.status?.phase ?? 'Terminating')],
    fix: [
      fix(
        'Wait until it is deleted and create it again, or check what holds it.',
        `kubectl csi why ns/${shellWord(namespace)}`,
      ),
    ],
  };
}

const nameForm = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

export function refusedName(object: RawObject): Objection | undefined {
  const { name } = object.metadata;
  const fault = nameFault(name);
  if (fault === undefined) return undefined;
  return {
    cause: 'object-invalid',
    stage: 'claim',
    confidence: 'certain',
    summary: `The API server refuses the ${object.kind}: ${fault}.`,
    evidence: [field(object, 'metadata.name', name)],
    fix: [fix('Give it another name.')],
  };
}

function nameFault(name: string): string | undefined {
  if (name.length > longestName) return `its name is longer than ${longestName} characters`;
  if (nameForm.test(name)) return undefined;
  return `${JSON.stringify(name)} is not a valid name: lower-case letters, digits, - and . only, with a letter or digit at both ends`;
}

/** Why the server would refuse a new claim, in the order of its checks: validation, default class, limits, quotas. */
export function refusedClaim(raw: RawObject, world: World, ask: Inquiry): Objection | undefined {
  const claim = claimShapeOf(raw);
  if (!claim) return undefined;
  return (
    refusedByValidation(claim) ??
    refusedByDefaults(claim, ask) ??
    refusedByLimits(claim, ask) ??
    refusedByQuota(claim, ask, world)
  );
}

function refusedByValidation(claim: Claim): Objection | undefined {
  const fault = faultOf(claim.metadata.name, claim.spec);
  if (!fault) return undefined;
  return {
    cause: 'pvc-create-denied-validation',
    stage: 'claim',
    confidence: 'certain',
    summary: `The API server refuses pvc/${claim.metadata.name}: ${fault.words.replace(/\.$/, '')}.`,
    evidence: [field(claim, fault.path, fault.value)],
    fix: [fix('Correct the claim in the manifest.')],
  };
}

/** Up to 1.25 a claim without a class is refused if several classes are the default; since 1.26 the latest is used. */
function refusedByDefaults(claim: Claim, ask: Inquiry): Objection | undefined {
  if (resolveClass(claim).source !== 'none' || atLeast(ask.graph.serverVersion, 1, 26) !== false) return undefined;
  const defaults = ask.list('StorageClass', undefined, 'which class is the default').items.filter(isDefaultClass);
  if (defaults.length < 2) return undefined;
  return {
    cause: 'class-default-multiple',
    stage: 'claim',
    confidence: 'certain',
    summary:
      `pvc/${claim.metadata.name} names no class, and this server refuses it because there are several default ` +
      `classes (${defaults.map(({ metadata }) => metadata.name).join(', ')}).`,
    evidence: [
      field(claim, 'spec.storageClassName', 'not set'),
      ...defaults.map((one) => note(one, 'a default class')),
    ],
    fix: [fix('Name a class in the claim, or keep only one default class.')],
  };
}

function refusedByLimits(claim: Claim, ask: Inquiry): Objection | undefined {
  const { namespace = '', name } = claim.metadata;
  const request = claim.spec?.resources?.requests?.['storage'];
  const [breach] = ask
    .list('LimitRange', namespace, 'whether a limit range allows the size')
    .items.flatMap((range) => breachesOf(range, request));
  if (!breach) return undefined;
  return {
    cause: 'pvc-create-denied-limitrange',
    stage: 'claim',
    confidence: 'certain',
    summary:
      `pvc/${name} asks for ${request ?? 'a size'}, and LimitRange "${breach.range.metadata.name}" allows at ` +
      `${breach.bound === 'min' ? 'least' : 'most'} ${breach.limit}.`,
    evidence: [
      field(claim, 'spec.resources.requests.storage', request),
      field(breach.range, `spec.limits[PersistentVolumeClaim].${breach.bound}.storage`, breach.limit),
    ],
    fix: [
      fix(`Request ${breach.limit} in the manifest, which is allowed.`),
      fix(
        'Otherwise let the LimitRange allow the size; its owner decides.',
        `kubectl ${inNamespace(namespace)}edit limitrange ${shellWord(breach.range.metadata.name)}`,
      ),
    ],
  };
}

function refusedByQuota(claim: Claim, ask: Inquiry, world: World): Objection | undefined {
  const { namespace = '', name } = claim.metadata;
  const quotas = [...ask.list('ResourceQuota', namespace, 'whether a quota has room for the claim').items].sort(
    (a, b) => compareText(a.metadata.name, b.metadata.name),
  );
  const taken = {
    request: claim.spec?.resources?.requests?.['storage'],
    className: resolveClass(claim).name || undefined,
    attributesClass: claim.spec?.volumeAttributesClassName,
  };
  const excess = quotas.flatMap((quota) => excessOf(quota, taken));
  const [first] = excess;
  if (!first) {
    for (const quota of quotas) countUsage(quota, usageIn(quota, taken), world);
    return undefined;
  }
  const same = excess.filter(({ quota }) => quota.metadata.name === first.quota.metadata.name);
  const words = same
    .map(({ key, requested, used, hard }) => `${key}: ${used} of ${hard} used, ${requested} more requested`)
    .join('; ');
  return {
    cause: 'pvc-create-denied-quota',
    stage: 'claim',
    confidence: 'certain',
    summary: `ResourceQuota "${first.quota.metadata.name}" has no room for pvc/${name} (${words}).`,
    evidence: same.map(({ quota, key, used, hard }) =>
      field(quota, `status.used[${key}]`, `${used} of ${hard}, with what comes before it in these manifests`),
    ),
    fix: [
      fix(
        `Raise the quota to what these manifests need; its owner decides. Otherwise request less.`,
        patchCommand(first.quota, {
          spec: {
            hard: Object.fromEntries(same.map(({ key, requested, used }) => [key, addQuantities(used, requested)])),
          },
        }),
      ),
    ],
  };
}

/** The claims after this one find less room in the quota. */
function countUsage(quota: Quota, usage: readonly (readonly [string, string])[], world: World): void {
  const raw = world.get('ResourceQuota', quota.metadata.namespace, quota.metadata.name);
  if (!raw || usage.length === 0) return;
  const used = { ...quota.status?.used };
  for (const [key, amount] of usage) used[key] = addQuantities(used[key], amount);
  world.put({ ...raw, status: { ...recordOf(raw['status']), used } });
}
