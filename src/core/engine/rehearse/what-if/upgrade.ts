import type { Pod, Volume } from '../../../kube/kinds.ts';
import { migratedPlugins } from '../../../kube/in-tree.ts';
import { compareText } from '../../../kube/order.ts';
import { atLeast, parseServerVersion } from '../../../kube/version.ts';
import type { ObjectRef } from '../../../report/report.ts';
import type { WhatIfEffect } from '../../../report/what-if.ts';
import { field } from '../../../facts/evidence.ts';
import { removedSources } from '../../../causes/mount/intree-removed-volume.ts';
import { listOf, member } from '../templates.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count, namesOf } from './leave-node.ts';
import { groupAlike } from './outlook.ts';

interface Version {
  readonly major: number;
  readonly minor: number;
}

/** Kubelets may be three minor versions older than the API server (version skew policy, since 1.28). */
const kubeletSkew = 3;

/**
 * What changes for the storage of this cluster between its version and another one. What it does not use is not
 * mentioned.
 */
export function upgradeTo(f: Future, version: Version): void {
  const current = parseServerVersion(f.snapshot.serverVersion) ?? newestKubelet(f);
  if (!current)
    f.add({
      effect: 'changes',
      severity: 'breaks',
      confidence: 'possible',
      summary: 'The version that the cluster has is not known, so it is not known what the upgrade changes.',
      objects: [],
    });
  const changes = (since: number): boolean => version.minor >= since && (!current || current.minor < since);
  f.before.list('CSIDriver', undefined, 'which drivers are installed');
  judgeRemovedPlugins(f, changes);
  judgeGates(f, changes);
  judgeRemovedApis(f, changes);
  judgeSkew(f, version, current);
  f.unforeseen.add(
    'Whether the installed versions of the CSI drivers and sidecars support the new Kubernetes version.',
  );
  f.unforeseen.add('What happens while nodes are replaced or restarted: add a drain, such as "+ drain NODE".');
}

function newestKubelet(f: Future): Version | undefined {
  const versions = f.before
    .list('Node', undefined, 'which version the nodes have')
    .items.flatMap(({ status }) => parseServerVersion(status?.nodeInfo?.kubeletVersion) ?? []);
  return versions.sort((a, b) => b.minor - a.minor)[0];
}

/** The minor version from which the code of a migrated plugin is gone, so that its CSI driver must be installed. */
const codeRemoved: Readonly<Record<string, number>> = {
  cinder: 26,
  awsElasticBlockStore: 27,
  azureDisk: 27,
  gcePersistentDisk: 28,
  azureFile: 30,
  vsphereVolume: 30,
  portworxVolume: 36,
};

function judgeRemovedPlugins(f: Future, changes: (since: number) => boolean): void {
  const volumes = f.before.seen('PersistentVolume');
  const pods = f.before.seen('Pod');
  for (const { source, since } of removedSources) {
    if (!changes(since)) continue;
    addUse(f, usersOf(volumes, pods, source), {
      effect: 'cannot-restart',
      severity: 'breaks',
      cause: 'intree-removed-volume',
      words: (who) =>
        `${who} use the ${source} plugin, which Kubernetes has no longer had since 1.${since}. Pods with such volumes do not start.`,
    });
  }
  for (const { source, driver } of migratedPlugins) {
    const since = codeRemoved[source] ?? Number.POSITIVE_INFINITY;
    if (!changes(since)) continue;
    const isThere = f.before.graph.find('CSIDriver', undefined, driver) !== undefined;
    if (!isThere)
      addUse(f, usersOf(volumes, pods, source), {
        effect: 'cannot-restart',
        severity: 'breaks',
        cause: 'provisioner-migrated-driver-missing',
        words: (who) =>
          `${who} use the ${source} plugin, whose code is gone since 1.${since}, and its CSI driver ${driver} is not installed.`,
      });
  }
}

function usersOf(
  volumes: readonly Volume[],
  pods: readonly Pod[],
  source: keyof NonNullable<Volume['spec']>,
): ObjectRef[] {
  return [
    ...volumes.filter(({ spec }) => spec?.[source] !== undefined),
    ...pods.filter(({ spec }) =>
      (spec?.volumes ?? []).some((volume) => volume[source as keyof typeof volume] !== undefined),
    ),
  ].map(plainRef);
}

function addUse(
  f: Future,
  objects: readonly ObjectRef[],
  {
    words,
    ...effect
  }: Pick<WhatIfEffect, 'effect' | 'severity'> & Partial<WhatIfEffect> & { readonly words: (who: string) => string },
): void {
  if (objects.length === 0) return;
  const names = objects.slice(0, 3).map(({ name }) => name);
  const more = objects.length > names.length ? ` and ${objects.length - names.length} more` : '';
  f.add({
    ...effect,
    summary: words(`${names.join(', ')}${more}`).replace(
      /^([^,]+) use /,
      objects.length === 1 ? '$1 uses ' : '$1 use ',
    ),
    objects,
  });
}

/** Behaviour that a feature gate changes by default. */
function judgeGates(f: Future, changes: (since: number) => boolean): void {
  const pods = f.before.seen('Pod').filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const isGit = (pod: Pod): boolean => (pod.spec?.volumes ?? []).some(({ gitRepo }) => gitRepo !== undefined);
  if (changes(33) || changes(36))
    addUse(f, pods.filter(isGit).map(plainRef), {
      effect: 'cannot-restart',
      severity: 'breaks',
      cause: 'gitrepo-disabled',
      words: (who) =>
        `${who} use gitRepo volumes, which kubelets do not mount by default since 1.33, and not at all since 1.36.`,
    });
  if (changes(37)) {
    judgeSeLinux(f, pods);
    const capacity = f.before.seen('CSIDriver').filter(({ spec }) => spec?.storageCapacity === true);
    addUse(f, capacity.map(plainRef), {
      effect: 'changes',
      severity: 'notice',
      words: (who) =>
        `${who} publish storage capacity: from 1.37 on the scheduler scores nodes by free space, so new volumes are placed differently.`.replace(
          'publish',
          capacity.length === 1 ? 'publishes' : 'publish',
        ),
    });
    const strict = f.before.seen('CSIDriver').filter(({ spec }) => spec?.preventPodSchedulingIfMissing === true);
    addUse(f, strict.map(plainRef), {
      effect: 'changes',
      severity: 'wait',
      cause: 'sched-driver-not-installed',
      words: (who) =>
        `${who} set preventPodSchedulingIfMissing: from 1.37 on the scheduler refuses nodes where the driver is not registered.`,
    });
  }
  if (changes(31)) {
    const kept = f.before
      .seen('PersistentVolume')
      .filter(
        ({ spec, status }) =>
          spec?.persistentVolumeReclaimPolicy === 'Delete' && status?.phase === 'Released' && spec.csi !== undefined,
      );
    addUse(f, kept.map(plainRef), {
      effect: 'changes',
      severity: 'wait',
      words: (who) =>
        `${who}: from 1.31 on the reclaim policy Delete is honoured also for a volume that is deleted before its ` +
        'claim, so deleting such an object deletes its data.',
    });
  }
  if (changes(26)) {
    const waiting = f.before
      .seen('PersistentVolumeClaim')
      .filter(({ spec, status }) => status?.phase === 'Pending' && spec?.storageClassName === undefined);
    addUse(f, waiting.map(plainRef), {
      effect: 'changes',
      severity: 'notice',
      words: (who) =>
        `${who}: from 1.26 on a waiting claim without a class gets the default class, also if that is created later.`,
    });
  }
}

/** SELinuxMount: a mount has one label, so pods with different ones cannot share a volume on a node any more. */
function judgeSeLinux(f: Future, pods: readonly Pod[]): void {
  const labelled = new Set(
    f.before
      .seen('CSIDriver')
      .filter(({ spec }) => spec?.seLinuxMount === true)
      .map(({ metadata }) => metadata.name),
  );
  const byUse = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (pod.spec?.securityContext?.seLinuxChangePolicy === 'Recursive') continue;
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      const name = persistentVolumeClaim?.claimName;
      const claim =
        name === undefined ? undefined : f.before.graph.find('PersistentVolumeClaim', pod.metadata.namespace, name);
      const volume = claim?.spec?.volumeName
        ? f.before.graph.find('PersistentVolume', undefined, claim.spec.volumeName)
        : undefined;
      if (!volume || !labelled.has(volume.spec?.csi?.driver ?? '')) continue;
      byUse.set(volume.metadata.name, [...(byUse.get(volume.metadata.name) ?? []), pod]);
    }
  }
  const levelOf = ({ spec }: Pod): string =>
    JSON.stringify([
      spec?.securityContext?.seLinuxOptions,
      (spec?.containers ?? []).map(({ securityContext }) => securityContext?.seLinuxOptions),
    ]);
  const clashing = [...byUse.values()].filter((users) => new Set(users.map(levelOf)).size > 1).flat();
  if (clashing.length > 0)
    f.add({
      effect: 'cannot-restart',
      severity: 'breaks',
      cause: 'mount-selinux-conflict',
      confidence: 'likely',
      summary:
        `${count(clashing.length, 'pod')} share a volume with different SELinux labels. ` +
        'From 1.37 on a volume of a driver with seLinuxMount is mounted with one label (SELinuxMount), so only ' +
        'pods with the same label start on one node, where nodes use SELinux.',
      objects: [...new Set(clashing)].map(plainRef),
    });
}

/**
 * API versions that are no longer served, by their remaining writers: managedFields names the version of each writer.
 */
const removedApis: readonly (readonly [version: string, since: number])[] = [
  ['storage.k8s.io/v1beta1', 27],
  ['policy/v1beta1', 25],
  ['batch/v1beta1', 25],
];

function judgeRemovedApis(f: Future, changes: (since: number) => boolean): void {
  const kinds = [
    'StorageClass',
    'CSIDriver',
    'CSINode',
    'VolumeAttachment',
    'CSIStorageCapacity',
    'PodDisruptionBudget',
    'CronJob',
  ] as const;
  const gone = new Map(removedApis.filter(([, since]) => changes(since)));
  if (gone.size === 0) return;
  const uses = kinds.flatMap((kind) =>
    f.world.ofKind(kind).flatMap((object) =>
      listOf(object.metadata['managedFields']).flatMap((entry) => {
        const version = member(entry, 'apiVersion');
        const since = typeof version === 'string' ? gone.get(version) : undefined;
        return since === undefined
          ? []
          : [{ object, since, version: String(version), manager: String(member(entry, 'manager') ?? 'unknown') }];
      }),
    ),
  );
  for (const { members } of groupAlike(uses, ({ version, manager }) => `${version} ${manager}`)) {
    const [first] = members;
    if (!first) continue;
    f.add({
      effect: 'broken',
      severity: 'breaks',
      confidence: 'possible',
      summary:
        `${first.manager} has written ${first.version}, which the server no longer serves since ` +
        `1.${first.since}: ${namesOf(members.map(({ object }) => object))}. ` +
        'A version of it that still does this would fail.',
      objects: members.map(({ object }) => plainRef(object)),
      evidence: members
        .slice(0, 4)
        .map(({ object, manager }) =>
          field(object, 'metadata.managedFields.apiVersion', `${first.version} by ${manager}`),
        ),
    });
  }
}

function judgeSkew(f: Future, version: Version, current: Version | undefined): void {
  if (current && version.minor - current.minor > 1)
    f.add({
      effect: 'changes',
      severity: 'notice',
      summary:
        `From 1.${current.minor} to 1.${version.minor} the control plane is upgraded one minor version at a ` +
        'time; the changes of all steps are listed.',
      objects: [],
    });
  const old = f.before
    .list('Node', undefined, 'which version the nodes have')
    .items.filter(({ status }) => {
      const kubelet = parseServerVersion(status?.nodeInfo?.kubeletVersion);
      return kubelet !== undefined && atLeast(kubelet, 1, version.minor - kubeletSkew) === false;
    })
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  if (old.length > 0)
    f.add({
      effect: 'broken',
      severity: 'breaks',
      summary:
        `The kubelets of ${namesOf(old)} are too old for an API server of 1.${version.minor}: ` +
        `at most ${kubeletSkew} minor versions are supported.`,
      objects: old.map(plainRef),
      evidence: old.slice(0, 4).map((node) => field(node, 'status.nodeInfo.kubeletVersion')),
    });
}
