import type { Pod } from '../../../kube/kinds.ts';
import type { Objection } from '../../../report/preflight.ts';
import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { servingDriver } from '../../../facts/volume/volume-slots.ts';
import { claimNamesOf } from '../../../graph/cluster-graph.ts';
import { World } from '../world.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { controllerOf } from './pod-owner.ts';
import { groupAlike, objectionsTo } from './outlook.ts';
import { recreate } from './replacements.ts';
import { keyOfRef } from './operation.ts';

/**
 * Pods that run now and could not start again afterwards, although they could before. One of each kind is played
 * through.
 */
export function judgeRestarts(f: Future, pods: readonly Pod[], words: string): void {
  const leaving = new Set(f.departures.map(({ pod }) => keyOfRef(plainRef(pod))));
  const running = pods.filter(
    (pod) =>
      pod.spec?.nodeName &&
      !isTerminated(pod) &&
      !leaving.has(keyOfRef(plainRef(pod))) &&
      f.world.get('Pod', pod.metadata.namespace, pod.metadata.name) !== undefined,
  );
  const groups = groupAlike(running, (pod) => outlookOf(f, pod));
  const firsts = groups.flatMap(({ members: [first] }) => first ?? []);
  const after = restartIn(f, new World(f.world.snapshot), firsts);
  const before = restartIn(f, new World(f.snapshot), firsts);
  const folded = new Map<string, { readonly objection: Objection; readonly pods: Pod[] }>();
  for (const { members } of groups) {
    const [first] = members as [Pod];
    const key = keyOfRef(plainRef(first));
    const objection = after.get(key);
    if (!objection || before.get(key)?.cause === objection.cause) continue;
    const known = folded.get(objection.cause);
    if (known) known.pods.push(...members);
    else folded.set(objection.cause, { objection, pods: [...members] });
  }
  for (const { objection, pods: members } of folded.values())
    f.add({
      effect: 'cannot-restart',
      severity: 'breaks',
      cause: objection.cause,
      confidence: objection.confidence,
      summary:
        `${members.length === 1 ? `pod/${members[0]?.metadata.name ?? ''} keeps running, but it` : `${members.length} pods keep running, but they`} ` +
        `could not start again ${words}. ${objection.summary}`,
      objects: members.map(plainRef),
      evidence: objection.evidence,
      fix: objection.fix,
    });
}

function restartIn(f: Future, world: World, pods: readonly Pod[]): ReadonlyMap<string, Objection> {
  for (const { metadata } of pods) {
    const raw = world.get('Pod', metadata.namespace, metadata.name);
    if (raw) recreate(raw, world);
  }
  const claims = new Set(
    pods.flatMap((pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ''}/${name}`)),
  );
  const volumes = new Set(
    f.before
      .seen('PersistentVolumeClaim')
      .filter(({ metadata }) => claims.has(`${metadata.namespace ?? ''}/${metadata.name}`))
      .map(({ spec }) => spec?.volumeName),
  );
  for (const { metadata, spec } of f.before.seen('VolumeAttachment'))
    if (volumes.has(spec?.source?.persistentVolumeName)) world.remove('VolumeAttachment', undefined, metadata.name);
  return objectionsTo(f, world, pods.map(plainRef));
}

/**
 * Pods of one controller with volumes of the same drivers have the same outlook; claims are examined only as far as
 * they differ.
 */
function outlookOf(f: Future, pod: Pod): string {
  const owner = controllerOf(pod);
  const volumes = (pod.spec?.volumes ?? []).map(({ csi, ephemeral, persistentVolumeClaim }) => {
    if (csi) return `inline ${csi.driver ?? ''}`;
    if (ephemeral) return `ephemeral ${ephemeral.volumeClaimTemplate?.spec?.storageClassName ?? ''}`;
    const name = persistentVolumeClaim?.claimName;
    if (name === undefined) return '';
    const raw = f.world.get('PersistentVolumeClaim', pod.metadata.namespace, name);
    const claim = f.before.graph.find('PersistentVolumeClaim', pod.metadata.namespace, name);
    const volumeName = claim?.spec?.volumeName ?? '';
    const volume = f.before.graph.find('PersistentVolume', undefined, volumeName);
    const rawVolume = f.world.get('PersistentVolume', undefined, volumeName);
    return [
      volume && servingDriver(volume),
      raw === undefined ? 'gone' : String(raw.metadata['deletionTimestamp'] !== undefined),
      rawVolume === undefined ? 'gone' : String(rawVolume.metadata['deletionTimestamp'] !== undefined),
    ].join();
  });
  return JSON.stringify([owner?.kind, volumes.filter(Boolean).sort()]);
}
