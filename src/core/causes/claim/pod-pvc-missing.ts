import { addQuantities } from '../../kube/quantity.ts';
import type { Claim, KubeEvent, Pod, Volume } from '../../kube/kinds.ts';
import { nearNames } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, resolveClass } from '../../facts/class/storage-class.ts';
import { absent, eventSaid, field, note } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import { messageOf } from '../../graph/events.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { applyCommand, kubectl, patchCommand, steps } from '../lib/steps.ts';
import { excessOf } from './quota-room.ts';
import { boundsText, isExact, rangeText, sizeLimits } from './size-limits.ts';
import type { Excess } from './quota-room.ts';

/** A pod names a claim that does not exist; no controller of Kubernetes creates it. */
export const podPvcMissing = absentClaimRule({
  cause: 'pod-pvc-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    for (const pod of c.expectation.pods.filter((candidate) => volumeNaming(candidate, c.name))) {
      if (c.lookup.state === 'missing') return explainMissing(c, pod);
      // Where claims cannot be read, the scheduler may still report the missing one.
      const said = new PodCase(c.ask, pod).schedulingMessage?.raw;
      if (said?.includes(`persistentvolumeclaim "${c.name}" not found`)) return explainMissing(c, pod, said);
    }
    return undefined;
  },
});

function volumeNaming(pod: Pod, claimName: string): string | undefined {
  return pod.spec?.volumes?.find((volume) => volume.persistentVolumeClaim?.claimName === claimName)?.name;
}

function explainMissing(c: ClaimCase, pod: Pod, said?: string): Explanation {
  const set = setOf(c, pod);
  if (set !== undefined) return explainUnmadeBySet(c, pod, set, said);
  const near = nearClaims(c).filter((claim) => !isOfSibling(c, pod, claim));
  return {
    confidence: said === undefined ? 'certain' : 'likely',
    about: `${c.namespace}/${c.name}`,
    summary:
      `pod/${pod.metadata.name} in namespace ${c.namespace} uses pvc/${c.name}, which does not ` +
      `exist.${hintText(c, near)}${rangeText(c)}`,
    evidence: evidenceOf(c, pod, near, said),
    fix: advise(c, pod, near),
  };
}

/**
 * The StatefulSet whose claim this is by its name, TEMPLATE-POD; undefined where the set was read and has no such
 * template, and for a pod that may have started.
 */
function setOf(c: ClaimCase, pod: Pod): string | undefined {
  const owner = ownerOf(pod);
  if (owner?.kind !== 'StatefulSet' || pod.spec?.nodeName || !c.name.endsWith(`-${pod.metadata.name}`))
    return undefined;
  const set = c.ask.graph.find('StatefulSet', c.namespace, owner.name);
  const hasTemplate = set?.spec?.volumeClaimTemplates?.some(
    ({ metadata }) => `${metadata?.name ?? ''}-${pod.metadata.name}` === c.name,
  );
  return set && hasTemplate !== true ? undefined : owner.name;
}

/**
 * A StatefulSet creates the claims of a pod together with the pod (stateful_pod_control CreateStatefulPod); only newer
 * controllers also look at a pod that is still Pending.
 */
function explainUnmadeBySet(c: ClaimCase, pod: Pod, set: string, said?: string): Explanation {
  const { name } = pod.metadata;
  const deleted = deletionSaid(c, pod);
  const gone = deleted ? 'was deleted and does not exist any more' : 'does not exist';
  const hint = formerVolume(c) ? hintText(c, []) : '';
  return {
    confidence: said === undefined ? 'certain' : 'likely',
    about: `${c.namespace}/${c.name}`,
    summary:
      `pod/${name} in namespace ${c.namespace} uses pvc/${c.name}, which ${gone}. ` +
      `statefulset/${set} creates this claim from its template when it creates the pod, and the pod ` +
      `exists already.${hint}`,
    evidence: [...evidenceOf(c, pod, [], said), ...(deleted ? [eventSaid(pod, deleted)] : [])],
    fix: formerVolume(c) ? advise(c, pod, []) : [recreateWithPod(c, pod, set)],
  };
}

/** The scheduler saw the claim while it was being deleted. */
function deletionSaid(c: ClaimCase, pod: Pod): KubeEvent | undefined {
  const words = `persistentvolumeclaim "${c.name}" is being deleted`;
  return c.ask.eventsOf(pod).items.find((event) => messageOf(event).includes(words));
}

/** A pod that never ran loses nothing, and the set fills in what its template says. */
function recreateWithPod(c: ClaimCase, pod: Pod, set: string): Fix {
  const { name } = pod.metadata;
  const missing = claimNamesOf(pod).filter(
    (claim) => claim !== c.name && c.ask.graph.find('PersistentVolumeClaim', c.namespace, claim) === undefined,
  );
  const isKnown = missing.length > 0 && c.ask.graph.coverage.isWhole('PersistentVolumeClaim');
  const claims = isKnown ? [c.name, ...missing] : [c.name];
  const [what, volumes] = claims.length > 1 ? ['these claims', 'volumes are'] : ['the claim', 'volume is'];
  const [full] = fullQuotas(c);
  const obstacle = full
    ? ` ResourceQuota "${full.quota.metadata.name}" is full and has to be raised first; its owner decides.`
    : '';
  return steps(
    `Delete pod/${name}, which never started: statefulset/${set} recreates it, and with it ` +
      `${claims.map((claim) => `pvc/${claim}`).join(' and ')} from its ${claims.length > 1 ? 'templates' : 'template'}. ` +
      `The new ${volumes} empty: if the data of ${what} is kept elsewhere (a retained volume, a snapshot, a backup), ` +
      `restore ${claims.length > 1 ? 'them' : 'it'} under the same name first.${obstacle}`,
    [...(full ? [raiseFull(full)] : []), kubectl('delete', pod)],
  );
}

/** A claim that another pod of the same controller uses is that pod's own, not a misspelling. */
function isOfSibling(c: ClaimCase, pod: Pod, { metadata: { name } }: Claim): boolean {
  const owner = ownerOf(pod);
  if (!owner) return false;
  return c.ask.graph.podsUsing({ namespace: c.namespace, name }).some((other) => {
    const otherOwner = ownerOf(other);
    return (
      other.metadata.name !== pod.metadata.name && otherOwner?.kind === owner.kind && otherOwner.name === owner.name
    );
  });
}

/** Claims of nearly that name in the namespace, the nearest first. */
function nearClaims(c: ClaimCase): readonly Claim[] {
  const { items } = c.ask.list('PersistentVolumeClaim', c.namespace, 'which claims the namespace has');
  const names = nearNames(
    c.name,
    items.map(({ metadata }) => metadata.name),
  );
  return names.flatMap((name) => items.filter(({ metadata }) => metadata.name === name));
}

function hintText(c: ClaimCase, near: readonly Claim[]): string {
  if (near.length > 0)
    return ` ${near.map((claim) => `pvc/${claim.metadata.name} does (${stateText(c, claim)})`).join(', ')}.`;
  const volume = formerVolume(c);
  if (volume) return ` pv/${volume.metadata.name} still holds the data of an earlier claim of this name.`;
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.name === c.name && metadata.namespace !== c.namespace)
    .map(({ metadata }) => metadata.namespace ?? '');
  return elsewhere.length > 0
    ? ` A claim of that name exists in namespace ${elsewhere.join(', ')}, but a pod can use only claims ` +
        'of its own namespace.'
    : '';
}

/** `Bound, 1Gi, used by no pod` */
function stateText(c: ClaimCase, claim: Claim): string {
  const { metadata, spec, status } = claim;
  const size = status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage'];
  const users = c.ask.graph.podsUsing({ namespace: c.namespace, name: metadata.name });
  const use =
    users.length > 0 ? `used by ${users.map((pod) => `pod/${pod.metadata.name}`).join(', ')}` : 'used by no pod';
  return [status?.phase ?? 'no phase', ...(size === undefined ? [] : [size]), use].join(', ');
}

/** With policy Retain a volume outlives its claim, and still names it. */
function formerVolume(c: ClaimCase): Volume | undefined {
  return c.ask
    .seen('PersistentVolume')
    .find(
      ({ spec, status }) =>
        status?.phase === 'Released' && spec?.claimRef?.namespace === c.namespace && spec.claimRef.name === c.name,
    );
}

function evidenceOf(c: ClaimCase, pod: Pod, near: readonly Claim[], said?: string): Explanation['evidence'] {
  return [
    field(pod, `spec.volumes[${volumeNaming(pod, c.name) ?? ''}].persistentVolumeClaim.claimName`, c.name),
    said === undefined
      ? absent('PersistentVolumeClaim', c.name, c.namespace)
      : field(pod, 'status.conditions[PodScheduled].message', said),
    ...near.map((claim) => note(claim, stateText(c, claim))),
    ...formerEvidence(c),
    ...sizeLimits(c).map(({ range, min, max }) =>
      field(range, 'spec.limits[PersistentVolumeClaim]', `min ${min ?? 'not set'}, max ${max ?? 'not set'}`),
    ),
    ...fullQuotas(c).map(({ quota, key, used, hard }) =>
      field(quota, `status.used[${key}]`, `${used} of ${hard}: a new claim would be refused`),
    ),
  ];
}

function formerEvidence(c: ClaimCase): Evidence[] {
  const volume = formerVolume(c);
  return volume ? [field(volume, 'status.phase'), field(volume, 'spec.claimRef', `${c.namespace}/${c.name}`)] : [];
}

/** Quotas, of those read already, that would refuse any new claim. */
function fullQuotas(c: ClaimCase): Excess[] {
  return c.ask
    .seen('ResourceQuota')
    .filter(({ metadata }) => metadata.namespace === c.namespace)
    .flatMap((quota) => excessOf(quota, { request: undefined, className: undefined, attributesClass: undefined }));
}

/** An empty claim comes last: the application would start on an empty disk while its data may be elsewhere. */
function advise(c: ClaimCase, pod: Pod, [nearest]: readonly Claim[]): Fix[] {
  const former = formerVolume(c);
  return [
    ...(former ? [rebind(c, former)] : []),
    ...(nearest ? [useNearest(c, pod, nearest)] : []),
    ...(former ? [] : [createEmpty(c, nearest)]),
  ];
}

/** The new claim names the volume, and the volume the claim: no other can come between. */
function rebind(c: ClaimCase, volume: Volume): Fix {
  const { spec = {} } = volume;
  const manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: c.name, namespace: c.namespace },
    spec: {
      accessModes: spec.accessModes ?? ['ReadWriteOnce'],
      storageClassName: resolveClass(volume).name,
      ...(spec.volumeMode !== undefined && { volumeMode: spec.volumeMode }),
      resources: { requests: { storage: spec.capacity?.['storage'] ?? 'PLACEHOLDER_SIZE' } },
      volumeName: volume.metadata.name,
    },
  };
  return steps(
    `Create pvc/${c.name} again on pv/${volume.metadata.name}, which holds the data of the earlier claim. ` +
      'The two are bound within 15 seconds, and the pod then starts automatically.',
    [
      ...(spec.persistentVolumeReclaimPolicy === 'Delete'
        ? [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })]
        : []),
      patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
      applyCommand(manifest),
    ],
  );
}

function useNearest(c: ClaimCase, pod: Pod, { metadata: { name: claimName }, status }: Claim): Fix {
  const name = volumeNaming(pod, c.name) ?? '';
  return changePodFix(
    pod,
    { volumes: [{ name, persistentVolumeClaim: { claimName } }] },
    (where) =>
      `If pvc/${claimName} is meant, name it ${where}. ` +
      `${status?.phase === 'Bound' ? 'The pod then starts with its data.' : 'The pod then waits for that claim to bind.'}`,
  );
}

/** Another claim of the namespace that works shows which class and access mode do. */
function boundNeighbour(c: ClaimCase): Claim | undefined {
  const bound = c.ask.graph
    .inNamespace('PersistentVolumeClaim', c.namespace)
    .filter(({ status, spec }) => status?.phase === 'Bound' && spec?.storageClassName);
  const classes = new Set(bound.map(({ spec }) => spec?.storageClassName));
  return classes.size === 1 ? bound[0] : undefined;
}

function createEmpty(c: ClaimCase, nearest: Claim | undefined): Fix {
  const hasDefault = defaultClassOf(c.ask.seen('StorageClass')) !== undefined;
  const like = nearest ?? (hasDefault ? undefined : boundNeighbour(c));
  const className = like?.spec?.storageClassName;
  const [limit] = sizeLimits(c);
  const size = limit && isExact(limit) && limit.min !== undefined ? limit.min : undefined;
  const isGiven = className !== undefined || hasDefault;
  const manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: c.name, namespace: c.namespace },
    spec: {
      accessModes: like?.spec?.accessModes ?? ['ReadWriteOnce'],
      ...(className !== undefined && { storageClassName: className }),
      ...(!isGiven && { storageClassName: 'PLACEHOLDER_CLASS' }),
      resources: { requests: { storage: size ?? 'PLACEHOLDER_SIZE' } },
    },
  };
  const sizeWords = limit ? `PLACEHOLDER_SIZE is its size, ${boundsText(limit)}` : 'PLACEHOLDER_SIZE is its size';
  const words = [
    ...(size === undefined
      ? [sizeWords]
      : [`${size} is the only size that LimitRange "${limit?.range.metadata.name ?? ''}" accepts`]),
    ...(isGiven ? [] : ['PLACEHOLDER_CLASS its class']),
    ...(like && !nearest ? [`class and access mode are those of pvc/${like.metadata.name}`] : []),
  ].join(', ');
  const [full] = fullQuotas(c);
  const obstacle = full
    ? ` ResourceQuota "${full.quota.metadata.name}" is full and has to be raised first (the first ` +
      'line); its owner decides.'
    : '';
  return steps(
    `${nearest ? 'Otherwise create' : 'Create'} pvc/${c.name} (${words}). ` +
      'Its volume is empty, so make sure that no other claim holds the data; ' +
      `the pod then starts automatically.${obstacle}`,
    [...(full ? [raiseFull(full)] : []), applyCommand(manifest)],
  );
}

function raiseFull({ quota, key, used }: Excess): string {
  return patchCommand(quota, { spec: { hard: { [key]: addQuantities(used, '1') } } });
}
