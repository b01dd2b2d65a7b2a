import type { Claim, Volume } from '../../../kube/kinds.ts';
import type { RawObject } from '../../../kube/snapshot.ts';
import type { ObjectRef } from '../../../report/report.ts';
import { field, note } from '../../../facts/evidence.ts';
import { addQuantities } from '../../../kube/quantity.ts';
import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { servingDriver } from '../../../facts/volume/volume-slots.ts';
import { diagnose } from '../../diagnose.ts';
import { recordOf } from '../templates.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count, namesOf } from './leave-node.ts';
import { keyOfRef } from './operation.ts';
import { groupAlike } from './outlook.ts';
import { ephemeralClaimsOf } from './replacements.ts';
import type { Finding } from '../../../report/report.ts';

/** Finalizers that Kubernetes and the CSI sidecars remove themselves. */
const ownFinalizer =
  /^(?:kubernetes\.io|foregroundDeletion|orphan$|external-attacher|external-provisioner|provisioner\.storage|snapshot\.storage|.*\.storage\.kubernetes\.io|volume-snapshot)/;

export function foreignFinalizers(object: {
  readonly metadata: { readonly finalizers?: readonly string[] };
}): string[] {
  return (object.metadata.finalizers ?? []).filter((name) => !ownFinalizer.test(name));
}

/** The object with a deletion that has taken long enough to count as stuck, if it is stuck. */
export function deleting(raw: RawObject, f: Future): RawObject {
  return { ...raw, metadata: { ...raw.metadata, deletionTimestamp: f.world.madeAt } };
}

/** Causes that only time proves: an object that would be deleted has had none. */
const provenByTime: ReadonlySet<string> = new Set([
  'blocked-unexplained',
  'pv-delete-still-attached',
  'pv-released-delete-pending',
  'pv-terminating-attached',
  'pv-terminating-protection-stuck',
  'pvc-terminating-protection-stuck',
]);

/** What the diagnosis reports about objects in the world after the operation. */
export function findingsAbout(f: Future, refs: readonly ObjectRef[]): ReadonlyMap<string, Finding> {
  if (refs.length === 0) return new Map();
  const { report, needs } = diagnose(f.world.snapshot, { targets: refs as never });
  f.need(needs);
  const found = new Map<string, Finding>();
  for (const { target, status, findings } of report.items) {
    const cause = findings.find(({ role }) => role === 'cause');
    if (
      cause &&
      !provenByTime.has(cause.cause) &&
      (status === 'blocked' || status === 'waiting') &&
      cause.confidence !== 'possible'
    )
      found.set(keyOfRef({ ...target }), cause);
  }
  return found;
}

/** Deletes the claims: those in use stay Terminating, the volumes of the others go the way of their reclaim policy. */
export function releaseClaims(f: Future): void {
  const claims = [...new Set(f.leavingClaims)];
  if (claims.length === 0) return;
  const graph = f.world.inquire().graph;
  const stays: { readonly claim: Claim; readonly why: string; readonly cause: string; readonly inUse: boolean }[] = [];
  const gone: Claim[] = [];
  for (const claim of claims) {
    const { namespace = '', name } = claim.metadata;
    const [user] = graph.podsUsing({ namespace, name }).filter((pod) => pod.spec?.nodeName && !isTerminated(pod));
    const [foreign] = foreignFinalizers(claim);
    if (user)
      stays.push({ claim, why: `pod/${user.metadata.name} uses it`, cause: 'pvc-terminating-in-use', inUse: true });
    else if (foreign !== undefined)
      stays.push({
        claim,
        why: `finalizer ${foreign} holds it`,
        cause: 'pvc-terminating-foreign-finalizer',
        inUse: false,
      });
    else gone.push(claim);
  }
  for (const { members } of groupAlike(stays, ({ cause }) => cause)) {
    const [first] = members;
    if (!first) continue;
    for (const { claim } of members) {
      const raw = f.world.get('PersistentVolumeClaim', claim.metadata.namespace, claim.metadata.name);
      if (raw) f.world.put(deleting(raw, f));
    }
    f.add({
      effect: 'stuck',
      severity: 'breaks',
      cause: first.cause,
      summary:
        `${members.length === 1 ? `pvc/${first.claim.metadata.name}` : `${members.length} claims`} would stay ` +
        `Terminating: ${first.why}.${first.inUse ? ' Running pods keep their volume; a pod that uses the claim cannot be scheduled again.' : ''}`,
      objects: members.map(({ claim }) => plainRef(claim)),
      evidence: members.slice(0, 4).map(({ claim, why }) => note(claim, why)),
    });
  }
  for (const { metadata } of gone) f.world.remove('PersistentVolumeClaim', metadata.namespace, metadata.name);
  if (gone.length > 0)
    f.add({
      effect: 'deleted',
      severity: 'notice',
      summary: `${count(gone.length, 'claim')} would be deleted: ${namesOf(gone)}.`,
      objects: gone.map(plainRef),
    });
  releaseVolumes(
    f,
    gone.flatMap((claim) => volumeOf(f, claim) ?? []),
  );
}

function volumeOf(f: Future, claim: Claim): Volume | undefined {
  const name = claim.spec?.volumeName;
  return name ? f.before.graph.find('PersistentVolume', undefined, name) : undefined;
}

/** What becomes of the volumes of deleted claims (pv_controller reclaimVolume). */
function releaseVolumes(f: Future, volumes: readonly Volume[]): void {
  for (const volume of volumes) {
    const raw = f.world.get('PersistentVolume', undefined, volume.metadata.name);
    if (raw) f.world.put({ ...raw, status: { ...recordOf(raw['status']), phase: 'Released' } });
  }
  const policyOf = (volume: Volume): string => volume.spec?.persistentVolumeReclaimPolicy ?? 'Retain';
  const kept = volumes.filter((volume) => policyOf(volume) === 'Retain');
  if (kept.length > 0)
    f.add({
      effect: 'orphaned',
      severity: 'notice',
      cause: 'pv-released-retain',
      summary:
        `${count(kept.length, 'volume')} (${sizeOf(kept)}) would be kept and Released, because ` +
        `${kept.length === 1 ? 'its' : 'their'} reclaim policy is Retain. ` +
        `No new claim binds ${kept.length === 1 ? 'it' : 'them'} until the claimRef is removed.`,
      objects: kept.map(plainRef),
      evidence: kept.slice(0, 4).map((volume) => field(volume, 'spec.persistentVolumeReclaimPolicy')),
    });
  deleteVolumes(
    f,
    volumes.filter((volume) => policyOf(volume) !== 'Retain'),
  );
}

/** One volume of each driver is checked: its deleter may be down, or there may be none. */
function deleteVolumes(f: Future, volumes: readonly Volume[]): void {
  if (volumes.length === 0) return;
  const groups = groupAlike(volumes, (volume) => {
    const isProvisioned = volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
    return `${servingDriver(volume) ?? Object.keys(volume.spec ?? {}).join()}|${String(isProvisioned)}|${foreignFinalizers(volume).join()}`;
  });
  const findings = findingsAbout(
    f,
    groups.flatMap(({ members: [first] }) => (first ? [plainRef(first)] : [])),
  );
  for (const { members } of groups) {
    const [first] = members as [Volume];
    const finding = findings.get(keyOfRef(plainRef(first)));
    const isHeld = finding !== undefined && finding.severity === 'blocking';
    f.add(
      isHeld
        ? {
            effect: 'stuck',
            severity: 'breaks',
            cause: finding.cause,
            confidence: finding.confidence,
            summary: `${count(members.length, 'volume')} would stay Released and not be deleted (${finding.cause}): ${namesOf(members)}.`,
            objects: members.map(plainRef),
            evidence: finding.evidence,
            fix: finding.fix,
          }
        : {
            effect: 'data-deleted',
            severity: 'breaks',
            summary:
              `${count(members.length, 'volume')} (${sizeOf(members)}) would be deleted with all data, because ` +
              `${members.length === 1 ? 'its' : 'their'} reclaim policy is Delete: ${namesOf(members)}.`,
            objects: members.map(plainRef),
            evidence: members.slice(0, 4).map((volume) => field(volume, 'spec.persistentVolumeReclaimPolicy')),
          },
    );
    if (!isHeld) for (const { metadata } of members) f.world.remove('PersistentVolume', undefined, metadata.name);
  }
  noteSnapshots(f, volumes);
}

/** Snapshots of a volume that is deleted: most drivers keep them, some refuse to delete the volume. */
function noteSnapshots(f: Future, volumes: readonly Volume[]): void {
  const contents = f.before.list('VolumeSnapshotContent', undefined, 'which snapshots were taken of the volumes').items;
  const handles = new Set(volumes.flatMap(({ spec }) => spec?.csi?.volumeHandle ?? []));
  const taken = contents.filter(
    ({ spec }) => spec?.source?.volumeHandle !== undefined && handles.has(spec.source.volumeHandle),
  );
  if (taken.length > 0)
    f.add({
      effect: 'changes',
      severity: 'notice',
      confidence: 'likely',
      summary:
        `${count(taken.length, 'snapshot')} of these volumes exist${taken.length === 1 ? 's' : ''}. ` +
        `Most drivers keep ${taken.length === 1 ? 'it' : 'them'}; ` +
        'some refuse to delete a volume that has snapshots.',
      objects: taken.map(plainRef),
    });
}

function sizeOf(volumes: readonly Volume[]): string {
  return addQuantities(...volumes.map(({ spec }) => spec?.capacity?.['storage']));
}

/** Generic ephemeral volumes live and die with their pod. */
export function releaseEphemeral(f: Future): void {
  const claims = f.departures.flatMap(({ raw }) =>
    ephemeralClaimsOf(raw).flatMap(
      (name) => f.before.graph.find('PersistentVolumeClaim', raw.metadata.namespace, name) ?? [],
    ),
  );
  if (claims.length === 0) return;
  for (const claim of claims) {
    f.world.remove('PersistentVolumeClaim', claim.metadata.namespace, claim.metadata.name);
    const volume = volumeOf(f, claim);
    if (volume?.spec?.persistentVolumeReclaimPolicy === 'Delete')
      f.world.remove('PersistentVolume', undefined, volume.metadata.name);
  }
  const kept = claims
    .flatMap((claim) => volumeOf(f, claim) ?? [])
    .filter(({ spec }) => spec?.persistentVolumeReclaimPolicy === 'Retain');
  f.add({
    effect: 'data-deleted',
    severity: 'notice',
    summary:
      `${count(claims.length, 'ephemeral claim')} would be deleted with ` +
      `${claims.length === 1 ? 'its pod' : 'their pods'}; a new pod gets a new, empty ` +
      `volume.${kept.length > 0 ? ` ${count(kept.length, 'volume')} would be left over (Retain).` : ''}`,
    objects: claims.map(plainRef),
  });
}
