import type { Pod } from '../../../kube/kinds.ts';
import type { TargetRef } from '../../../kube/selection.ts';
import { matchesLabelSelector } from '../../../kube/selectors.ts';
import type { RawObject } from '../../../kube/snapshot.ts';
import { imaginedUid } from '../imagine.ts';
import { claimsOfSet, member, podsOf, recordOf } from '../templates.ts';
import { madeNew } from '../defaults.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count, namesOf } from './leave-node.ts';
import { keyOfRef } from './operation.ts';
import { objectionsTo } from './outlook.ts';
import { controllerOf } from './pod-owner.ts';

export function scaleWorkload(f: Future, { kind, namespace, name }: TargetRef, replicas: number): void {
  const raw = f.find(kind, namespace, name);
  const workload = f.before.graph.find(kind as 'StatefulSet', namespace, name);
  if (!raw || !workload) return;
  const pods = f.before
    .list('Pod', namespace, `which pods ${kind} ${name} has`)
    .items.filter(
      (pod) => matchesLabelSelector(workload.spec?.selector, pod.metadata.labels ?? {}) && controllerOf(pod),
    )
    .filter(({ metadata }) => f.world.get('Pod', metadata.namespace, metadata.name) !== undefined);
  const current = workload.spec?.replicas ?? 1;
  const scaled = {
    ...raw,
    spec: { ...recordOf(raw['spec']), replicas },
    status: { ...recordOf(raw['status']), replicas },
  };
  f.world.put(scaled);
  if (replicas > current) scaleUp(f, scaled, current, replicas);
  else if (replicas < current) scaleDown(f, scaled, pods, replicas);
}

function scaleDown(f: Future, workload: RawObject, pods: readonly Pod[], replicas: number): void {
  const isSet = workload.kind === 'StatefulSet';
  const ordinal = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? 0);
  const ordered = isSet ? [...pods].sort((a, b) => ordinal(a) - ordinal(b)) : pods;
  const stopping = ordered.slice(replicas);
  for (const { metadata } of stopping) f.world.remove('Pod', metadata.namespace, metadata.name);
  const status = { ...recordOf(workload['status']), replicas, readyReplicas: replicas, availableReplicas: replicas };
  f.world.put({ ...workload, status });
  if (stopping.length > 0)
    f.add({
      effect: 'stops',
      severity: 'notice',
      confidence: isSet || replicas === 0 ? 'certain' : 'likely',
      summary:
        `${count(stopping.length, 'pod')} would stop: ` +
        `${namesOf(stopping)}${isSet || replicas === 0 ? '' : ', or others of the same workload'}.`,
      objects: stopping.map(plainRef),
    });
  if (isSet) releaseSetClaims(f, workload, stopping);
}

/** persistentVolumeClaimRetentionPolicy.whenScaled: Retain unless it is Delete. */
function releaseSetClaims(f: Future, set: RawObject, stopping: readonly Pod[]): void {
  const isDeleted = member(set, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenScaled') === 'Delete';
  const templates = recordOf(set['spec'])['volumeClaimTemplates'];
  const names = (Array.isArray(templates) ? templates : []).map((template) =>
    String(member(template, 'metadata', 'name')),
  );
  const claims = stopping.flatMap((pod) =>
    names.flatMap(
      (name) =>
        f.before.graph.find('PersistentVolumeClaim', pod.metadata.namespace, `${name}-${pod.metadata.name}`) ?? [],
    ),
  );
  if (claims.length === 0) return;
  if (isDeleted) f.leavingClaims.push(...claims);
  else
    f.add({
      effect: 'changes',
      severity: 'notice',
      summary: `${count(claims.length, 'claim')} would stay bound and unused: ${namesOf(claims)}.`,
      objects: claims.map(plainRef),
    });
}

/** The new pods are played through as preflight does. */
function scaleUp(f: Future, workload: RawObject, current: number, replicas: number): void {
  const existing = new Set(f.world.ofKind('Pod').map((pod) => keyOfRef(plainRef(pod))));
  const made = podsOf(workload)
    .map(({ object }) => object)
    .filter((pod) => !existing.has(keyOfRef(plainRef(pod))))
    .slice(0, replicas - current);
  if (workload.kind === 'StatefulSet')
    for (const { object } of claimsOfSet(workload)) {
      const { namespace, name } = object.metadata;
      if (f.world.get('PersistentVolumeClaim', namespace, name)) continue;
      const fresh = madeNew(object, f.world.madeAt);
      const claim = { ...fresh, metadata: { ...fresh.metadata, uid: imaginedUid('pvc', namespace, name) } };
      f.world.put(claim);
      f.world.noteNovelty(claim);
    }
  for (const pod of made) {
    const { namespace, name } = pod.metadata;
    const uid = imaginedUid('pod', namespace, name);
    const own = { ...pod, metadata: { ...pod.metadata, uid, creationTimestamp: f.world.madeAt } };
    f.world.put(own);
    f.world.noteNovelty(own);
  }
  const objections = objectionsTo(f, f.world, made.map(plainRef));
  const failing = made.filter((pod) => objections.has(keyOfRef(plainRef(pod))));
  const [first] = failing;
  const objection = first && objections.get(keyOfRef(plainRef(first)));
  if (objection)
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      cause: objection.cause,
      confidence: objection.confidence,
      summary: `${failing.length} of ${count(made.length, 'new pod')} could not start. ${objection.summary}`,
      objects: failing.map(plainRef),
      evidence: objection.evidence,
      fix: objection.fix,
    });
  if (made.length > failing.length)
    f.add({
      effect: 'changes',
      severity: 'notice',
      confidence: 'likely',
      summary: `${count(made.length - failing.length, 'new pod')} would start.`,
      objects: made.filter((pod) => !failing.includes(pod)).map(plainRef),
    });
  for (const pod of made) f.world.remove('Pod', pod.metadata.namespace, pod.metadata.name);
  if (replicas - current > made.length)
    f.unforeseen.add(
      `The other ${replicas - current - made.length} new pods: at most 20 of one workload are played through.`,
    );
}
