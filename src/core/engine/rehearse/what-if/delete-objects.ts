import type { Pod } from '../../../kube/kinds.ts';
import type { TargetRef } from '../../../kube/selection.ts';
import type { RawObject } from '../../../kube/snapshot.ts';
import { field } from '../../../facts/evidence.ts';
import { isDefaultClass } from '../../../facts/class/storage-class.ts';
import { chooseNodes } from './choose-nodes.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count, deleteNodes, namesOf } from './leave-node.ts';
import { controllerOf } from './pod-owner.ts';
import { deleting, foreignFinalizers } from './release.ts';
import { deleteDriver } from './delete-driver.ts';
import { deleteSnapshots } from './delete-snapshots.ts';

/** Returns the pods that may not be able to start again. */
export function deleteObject(f: Future, { kind, namespace, name }: TargetRef): readonly Pod[] {
  if (kind === 'Node') {
    deleteNodes(f, chooseNodes(f, [{ name }]));
    return [];
  }
  const raw = f.find(kind, namespace, name);
  if (!raw) return [];
  switch (kind) {
    case 'Namespace':
      deleteNamespace(f, raw);
      return [];
    case 'PersistentVolumeClaim': {
      const claim = f.before.graph.find(kind, namespace, name);
      if (claim) f.leavingClaims.push(claim);
      return f.before.graph.podsUsing({ namespace: namespace ?? '', name });
    }
    case 'PersistentVolume':
      return deleteVolume(f, raw);
    case 'StorageClass':
      return deleteClass(f, raw);
    case 'CSIDriver':
      return deleteDriver(f, name);
    case 'VolumeSnapshot':
      deleteSnapshots(f, [raw]);
      return [];
    case 'Pod':
      deletePod(f, raw);
      return [];
    default:
      return [];
  }
}

function deletePod(f: Future, raw: RawObject): void {
  const pod = f.before.graph.find('Pod', raw.metadata.namespace, raw.metadata.name);
  if (!pod) return;
  f.world.remove('Pod', raw.metadata.namespace, raw.metadata.name);
  const returns = controllerOf(pod) !== undefined;
  if (returns) f.departures.push({ pod, raw, node: pod.spec?.nodeName ?? '', why: 'deleted', returns });
  else
    f.add({
      effect: 'stops',
      severity: 'breaks',
      summary: `pod/${raw.metadata.name} would be deleted, and nothing recreates it.`,
      objects: [plainRef(raw)],
    });
}

const namespacedWorkloads = [
  'StatefulSet',
  'Deployment',
  'ReplicaSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'PodDisruptionBudget',
] as const;

/** Everything in it is deleted at once; what has a finalizer stays until its controller removes it. */
function deleteNamespace(f: Future, raw: RawObject): void {
  const { name } = raw.metadata;
  const needed = `what namespace ${name} holds`;
  const pods = f.before.list('Pod', name, needed).items;
  const claims = f.before.list('PersistentVolumeClaim', name, needed).items;
  const snapshots = f.before.list('VolumeSnapshot', name, needed).items;
  for (const pod of pods) f.world.remove('Pod', name, pod.metadata.name);
  for (const kind of namespacedWorkloads)
    for (const object of f.world.ofKind(kind))
      if (object.metadata.namespace === name) f.world.remove(kind, name, object.metadata.name);
  if (pods.length > 0)
    f.add({
      effect: 'stops',
      severity: 'breaks',
      summary: `${count(pods.length, 'pod')} would be deleted with namespace ${name}.`,
      objects: pods.map(plainRef),
    });
  const held = [...pods, ...snapshots].filter((object) => foreignFinalizers(object).length > 0);
  if (held.length > 0)
    f.add({
      effect: 'stuck',
      severity: 'breaks',
      cause: 'namespace-terminating-storage',
      confidence: 'likely',
      summary: `Namespace ${name} would stay Terminating until another controller removes its finalizer from ${namesOf(held)}.`,
      objects: [plainRef(raw), ...held.map(plainRef)],
      evidence: held
        .slice(0, 4)
        .map((object) => field(object, 'metadata.finalizers', foreignFinalizers(object).join(', '))),
    });
  f.leavingClaims.push(...claims);
  deleteSnapshots(
    f,
    snapshots.flatMap(({ metadata }) => f.world.get('VolumeSnapshot', name, metadata.name) ?? []),
  );
  f.world.put({ ...deleting(raw, f), status: { phase: 'Terminating' } });
  f.unforeseen.add(
    `Objects of other kinds in namespace ${name}, such as custom resources: a finalizer on one of them keeps the namespace Terminating.`,
  );
}

/** A bound volume is protected: it goes only when its claim does. */
function deleteVolume(f: Future, raw: RawObject): readonly Pod[] {
  const { name } = raw.metadata;
  const volume = f.before.graph.find('PersistentVolume', undefined, name);
  if (!volume) return [];
  const { claimRef, persistentVolumeReclaimPolicy: policy = 'Retain' } = volume.spec ?? {};
  const isProtected = (volume.metadata.finalizers ?? []).includes('kubernetes.io/pv-protection');
  const pods = claimRef?.name
    ? f.before.graph.podsUsing({ namespace: claimRef.namespace ?? '', name: claimRef.name })
    : [];
  if (volume.status?.phase === 'Bound' && isProtected) {
    f.world.put(deleting(raw, f));
    f.add({
      effect: 'stuck',
      severity: 'breaks',
      cause: 'pv-terminating-bound',
      summary:
        `pv/${name} would stay Terminating until pvc/${claimRef?.name ?? '?'} in namespace ` +
        `${claimRef?.namespace ?? '?'} is deleted. ` +
        `${policy === 'Delete' ? 'Then its data is deleted too.' : 'Its data stays in the storage system (Retain).'}`,
      objects: [plainRef(raw)],
      evidence: [field(volume, 'status.phase'), field(volume, 'metadata.finalizers')],
    });
    return pods;
  }
  const [foreign] = foreignFinalizers(volume);
  if (foreign !== undefined) {
    f.world.put(deleting(raw, f));
    f.add({
      effect: 'stuck',
      severity: 'breaks',
      cause: 'pv-terminating-foreign-finalizer',
      summary: `pv/${name} would stay Terminating until another controller removes finalizer ${foreign}.`,
      objects: [plainRef(raw)],
    });
    return pods;
  }
  f.world.remove('PersistentVolume', undefined, name);
  const loses =
    policy === 'Delete' &&
    (volume.metadata.finalizers ?? []).some((finalizer) => finalizer.startsWith('external-provisioner'));
  f.add(
    loses
      ? {
          effect: 'data-deleted',
          severity: 'breaks',
          confidence: 'likely',
          summary: `pv/${name} would be deleted with all data: its reclaim policy is Delete, and its provisioner deletes the storage first.`,
          objects: [plainRef(raw)],
          evidence: [field(volume, 'spec.persistentVolumeReclaimPolicy')],
        }
      : {
          effect: 'orphaned',
          severity: 'notice',
          summary: `pv/${name} would be deleted as an object; its data stays in the storage system without a volume that points to it.`,
          objects: [plainRef(raw)],
          evidence: [field(volume, 'spec.persistentVolumeReclaimPolicy')],
        },
  );
  return pods;
}

/** Bound claims do not need their class any more, except to grow. */
function deleteClass(f: Future, raw: RawObject): readonly Pod[] {
  const { name } = raw.metadata;
  const storageClass = f.before.graph.find('StorageClass', undefined, name);
  f.world.remove('StorageClass', undefined, name);
  const bound = f.before
    .seen('PersistentVolumeClaim')
    .filter(({ spec, status }) => spec?.storageClassName === name && status?.phase === 'Bound');
  if (bound.length > 0)
    f.add({
      effect: 'changes',
      severity: 'notice',
      summary: `${count(bound.length, 'bound claim')} of class ${name} keep${bound.length === 1 ? 's' : ''} working, but cannot be expanded without the class.`,
      objects: bound.map(plainRef),
    });
  const sets = f.before
    .list('StatefulSet', undefined, `which StatefulSets create claims of class ${name}`)
    .items.filter(({ spec }) =>
      (spec?.volumeClaimTemplates ?? []).some((template) => template.spec?.storageClassName === name),
    );
  if (sets.length > 0)
    f.add({
      effect: 'broken',
      severity: 'wait',
      cause: 'sc-missing',
      summary: `${count(sets.length, 'StatefulSet')} could not get claims for new replicas: ${namesOf(sets)}.`,
      objects: sets.map(plainRef),
    });
  if (storageClass && isDefaultClass(storageClass))
    f.add({
      effect: 'changes',
      severity: 'wait',
      cause: 'class-nil-no-default',
      summary: `${name} is the default class. New claims without a class would wait for another default.`,
      objects: [plainRef(raw)],
    });
  return f.before
    .seen('Pod')
    .filter((pod) =>
      (pod.spec?.volumes ?? []).some(
        ({ ephemeral }) => ephemeral?.volumeClaimTemplate?.spec?.storageClassName === name,
      ),
    );
}
