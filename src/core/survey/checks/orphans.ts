import type { CheckFinding } from '../../report/check.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { ReportItem } from '../../report/report.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { parseTime } from '../../kube/time.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { ownFinding } from './own-finding.ts';

type Content = ObjectOf<'VolumeSnapshotContent'>;

/** A volume that was released today may still be wanted back. */
const keptMs = 24 * 60 * 60 * 1000;

/**
 * What may be left over although nothing waits for it: the rules decide what it is. For one namespace, only of what has
 * been read.
 */
export function orphanTargets(ask: Inquiry, namespace: string | undefined): TargetRef[] {
  const isHere = (reference: { readonly namespace?: string } | undefined): boolean =>
    namespace === undefined || reference?.namespace === namespace;
  const volumes =
    namespace === undefined
      ? ask.list('PersistentVolume', undefined, 'which volumes are left over')
      : { items: ask.seen('PersistentVolume'), complete: false };
  const names = new Set(volumes.items.map(({ metadata }) => metadata.name));
  const released = volumes.items.filter(({ metadata, spec, status }) => {
    const since = parseTime(status?.lastPhaseTransitionTime ?? metadata.creationTimestamp);
    return (
      isHere(spec?.claimRef) &&
      metadata.deletionTimestamp === undefined &&
      status?.phase === 'Released' &&
      (spec?.persistentVolumeReclaimPolicy ?? 'Retain') === 'Retain' &&
      since !== undefined &&
      ask.now - since > keptMs
    );
  });
  // Attachments that are not attached, or being detached, are targets anyway.
  const attachments =
    namespace === undefined && volumes.complete
      ? ask.list('VolumeAttachment', undefined, 'which attachments are left over').items
      : [];
  const detached = attachments.filter(
    ({ metadata, spec, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.attached === true &&
      spec?.source?.persistentVolumeName !== undefined &&
      !names.has(spec.source.persistentVolumeName),
  );
  return [...released, ...detached, ...orphanContents(ask, namespace)].map(({ kind, metadata }): TargetRef => ({
    kind,
    name: metadata.name,
  }));
}

/** Contents whose snapshot no longer exists. A content that still waits for its snapshot names no uid. */
function orphanContents(ask: Inquiry, namespace: string | undefined): Content[] {
  const contents =
    namespace === undefined
      ? ask.list('VolumeSnapshotContent', undefined, 'which snapshot contents are left over').items
      : ask.seen('VolumeSnapshotContent');
  return contents.filter((content) => {
    const reference = content.spec?.volumeSnapshotRef;
    if (
      !reference?.uid ||
      !reference.name ||
      reference.namespace === undefined ||
      content.metadata.deletionTimestamp !== undefined
    )
      return false;
    if (namespace !== undefined && reference.namespace !== namespace) return false;
    const snapshot = ask.get(
      'VolumeSnapshot',
      reference.namespace,
      reference.name,
      'which snapshot contents are left over',
    );
    return (
      snapshot.state === 'missing' ||
      (snapshot.state === 'found' &&
        snapshot.object.metadata.uid !== undefined &&
        snapshot.object.metadata.uid !== reference.uid)
    );
  });
}

/** Contents that no rule explains: their policy is Delete, but no snapshot is left whose deletion would trigger it. */
export function contentFindings(
  ask: Inquiry,
  namespace: string | undefined,
  judged: readonly ReportItem[],
): CheckFinding[] {
  const told = new Set(judged.filter(({ cause }) => cause !== undefined).map(({ target }) => target.name));
  return orphanContents(ask, namespace)
    .filter(({ metadata }) => !told.has(metadata.name))
    .map((content) => {
      const { name } = content.metadata;
      const reference = content.spec?.volumeSnapshotRef;
      return ownFinding('snapshot-content-orphan', content, {
        summary:
          `volumesnapshotcontent/${name} is left, though its snapshot ` +
          `${reference?.namespace ?? ''}/${reference?.name ?? ''} is gone`,
        evidence: [
          absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace),
          field(content, 'spec.deletionPolicy'),
          field(content, 'spec.volumeSnapshotRef.uid'),
        ],
        fix: [
          fix(
            'if the data is not needed, delete the content: with the policy Delete the driver then deletes the snapshot too',
            `kubectl delete volumesnapshotcontent ${shellWord(name)}`,
            'data-loss',
          ),
        ],
      });
    });
}
