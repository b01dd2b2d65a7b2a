import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { beingDeletedAnnotation, belongsTo, isRetained } from '../../facts/snapshot/snapshot-case.ts';
import { errorSaid, ruleForBoth, ruleForContent, ruleForSnapshot } from './snapshot-rule.ts';

/** syncUnreadySnapshot and syncReadySnapshot: the content that is asked for, or was bound, is not there. */
export const snapContentMissing = ruleForSnapshot({
  cause: 'snap-content-missing',
  severity: 'blocking',
  explain(s) {
    if (s.subject.kind !== 'VolumeSnapshot') return undefined;
    const { subject: snapshot, contentName, contentLookup } = s;
    const bound = snapshot.status?.boundVolumeSnapshotContentName;
    const path = bound ? 'status.boundVolumeSnapshotContentName' : 'spec.source.volumeSnapshotContentName';
    if ((!bound && !s.isPreProvisioned) || contentName === undefined || contentLookup?.state === 'found')
      return undefined;
    const said = errorSaid(s, /VolumeSnapshotContent is missing/);
    const isMissing = contentLookup?.state === 'missing';
    if (!isMissing && !said) return undefined;
    const { name, namespace } = snapshot.metadata;
    return {
      confidence: isMissing ? 'certain' : 'likely',
      summary: `volumesnapshotcontent/${contentName}, ${bound ? 'which stands for' : 'from which'} volumesnapshot/${name}${bound ? '' : ' is to be made'}, ${isMissing ? 'does not exist' : 'was not found by the snapshot controller'}`,
      evidence: [
        field(snapshot, path),
        ...(isMissing ? [absent('VolumeSnapshotContent', contentName)] : []),
        ...(said ? [said.evidence] : []),
      ],
      fix: s.isPreProvisioned
        ? [
            fix(
              `create volumesnapshotcontent/${contentName} with the handle of the snapshot on the storage and volumeSnapshotRef ${namespace ?? ''}/${name}: the snapshot then goes on by itself`,
              'kubectl get volumesnapshotcontent',
            ),
          ]
        : [
            fix(
              'see whether the snapshot still exists on the storage; if so, bring it back with a content and a snapshot made by hand',
              'kubectl get volumesnapshotcontent',
            ),
            fix(
              'if it is not needed, delete the snapshot and take a new one',
              `kubectl ${inNamespace(namespace)}delete volumesnapshot ${shellWord(name)}`,
              'disruptive',
            ),
          ],
    };
  },
});

/** getPreprovisionedContentFromStore, getDynamicallyProvisionedContentFromStore: one that was taken cannot be brought, nor the reverse. */
export const snapContentMismatch = ruleForBoth({
  cause: 'snap-content-mismatch',
  severity: 'blocking',
  explain(s) {
    const { snapshot, content, contentName } = s;
    if (!snapshot || (s.subject.kind === 'VolumeSnapshotContent' && !asksFor(snapshot, s.subject.metadata.name)))
      return undefined;
    const said = errorSaid(
      s,
      /is (?:dynamically provisioned|pre-provisioned) while expecting a (?:pre-provisioned|dynamically provisioned) one|Snapshot handle should not be set in content/,
    );
    const isBrought = snapshot.spec?.source?.volumeSnapshotContentName !== undefined;
    const { volumeHandle, snapshotHandle } = content?.spec?.source ?? {};
    const isProven =
      content !== undefined &&
      (isBrought
        ? volumeHandle !== undefined && snapshotHandle === undefined
        : snapshotHandle !== undefined && volumeHandle === undefined && !s.isGroupMember);
    if (!isProven && (content !== undefined || !said)) return undefined;
    return {
      confidence: isProven ? 'certain' : 'likely',
      summary: isBrought
        ? `volumesnapshot/${snapshot.metadata.name} wants to be made from volumesnapshotcontent/${contentName ?? ''}, which was taken of a volume for another snapshot: only a content with spec.source.snapshotHandle can be brought`
        : `volumesnapshot/${snapshot.metadata.name} is to be taken of a claim, and its volumesnapshotcontent/${contentName ?? ''} names a snapshot that exists already`,
      evidence: [
        field(snapshot, isBrought ? 'spec.source.volumeSnapshotContentName' : 'spec.source.persistentVolumeClaimName'),
        ...(content ? [field(content, 'spec.source.volumeHandle'), field(content, 'spec.source.snapshotHandle')] : []),
        ...(said ? [said.evidence] : []),
      ],
      fix: [
        isBrought
          ? fix(
              'make a new content with the snapshot handle of this one (status.snapshotHandle) and volumeSnapshotRef set to the snapshot, and a new snapshot that names it',
              `kubectl get volumesnapshotcontent ${shellWord(contentName ?? '')} -o yaml`,
            )
          : fix(
              'make the snapshot again, with the content as its source',
              `kubectl get volumesnapshotcontent ${shellWord(contentName ?? '')} -o yaml`,
              'disruptive',
            ),
      ],
    };
  },
});

/** The content names another snapshot, or an earlier one of the same name. */
export const snapContentMisbound = ruleForBoth({
  cause: 'snap-content-misbound',
  severity: 'blocking',
  explain(s) {
    const { content } = s;
    const snapshot = s.subject.kind === 'VolumeSnapshot' ? s.subject : namesakeOf(s.subject);
    const said = errorSaid(
      s,
      /is bound to a different snapshot|is not bound to the VolumeSnapshot correctly|Could not bind snapshot/,
    );
    if (s.subject.kind === 'VolumeSnapshot' && content === undefined && said && s.contentLookup?.state === 'unknown') {
      return {
        confidence: 'likely',
        summary: `the content of volumesnapshot/${s.subject.metadata.name} belongs to another snapshot`,
        evidence: [said.evidence],
        fix: [lookFix(s.contentName ?? '')],
      };
    }
    if (!snapshot || !content || belongsTo(content, snapshot)) return undefined;
    const reference = content.spec?.volumeSnapshotRef;
    const { name, namespace, uid } = snapshot.metadata;
    const isNamesake = reference?.name === name && reference.namespace === namespace;
    const isBrought = content.spec?.source?.snapshotHandle !== undefined;
    const other = isNamesake
      ? 'an earlier snapshot of the same name'
      : reference?.name
        ? `volumesnapshot/${reference.name} in namespace ${reference.namespace ?? ''}`
        : 'no snapshot';
    return {
      summary: `volumesnapshot/${name} wants volumesnapshotcontent/${content.metadata.name}, which belongs to ${other}`,
      evidence: [
        field(
          content,
          'spec.volumeSnapshotRef',
          `${reference?.namespace ?? ''}/${reference?.name ?? ''}${reference?.uid ? `, uid ${reference.uid}` : ''}`,
        ),
        field(snapshot, 'metadata.uid', uid),
        ...(said ? [said.evidence] : []),
      ],
      fix: [
        lookFix(content.metadata.name),
        ...(isBrought
          ? [
              fix(
                'if no other snapshot needs it, let it name this one, and leave the uid empty',
                `kubectl patch volumesnapshotcontent ${shellWord(content.metadata.name)} --type=merge -p ${shellWord(JSON.stringify({ spec: { volumeSnapshotRef: { name, namespace, uid: null } } }))}`,
                'disruptive',
              ),
            ]
          : [
              fix(
                'or make a new content with the same snapshot handle for this snapshot, and leave the old one to its own',
              ),
            ]),
      ],
    };

    /** The snapshot that asks for this content, wherever the content points. */
    function namesakeOf({ metadata, spec }: Extract<typeof s.subject, { kind: 'VolumeSnapshotContent' }>) {
      const found =
        spec?.volumeSnapshotRef?.name && spec.volumeSnapshotRef.namespace !== undefined
          ? s.ask.get('VolumeSnapshot', spec.volumeSnapshotRef.namespace, spec.volumeSnapshotRef.name)
          : undefined;
      return found?.state === 'found' && asksFor(found.object, metadata.name) ? found.object : undefined;
    }
  },
});

/** A content that is kept on purpose when its snapshot goes. */
export const snapContentRetained = ruleForContent({
  cause: 'snap-content-retained',
  severity: 'info',
  explain(s) {
    const { content } = s;
    const reference = content?.spec?.volumeSnapshotRef;
    if (!content || !isRetained(s)) return undefined;
    const { name } = content.metadata;
    const handle = content.status?.snapshotHandle ?? content.spec?.source?.snapshotHandle;
    const isGone = s.snapshotLookup?.state === 'missing';
    return {
      ...(!isGone && { confidence: 'likely' as const }),
      summary: `volumesnapshotcontent/${name} is kept since its policy is Retain, though its snapshot ${reference?.namespace ?? ''}/${reference?.name ?? ''} is ${isGone ? 'gone' : 'deleted'}`,
      evidence: [
        field(content, 'spec.deletionPolicy'),
        isGone
          ? absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace)
          : field(
              content,
              `metadata.annotations[${beingDeletedAnnotation}]`,
              content.metadata.annotations?.[beingDeletedAnnotation],
            ),
        ...(handle === undefined ? [] : [field(content, 'status.snapshotHandle', handle)]),
      ],
      fix: [
        fix(
          'to use it again, make a content with its snapshot handle and a snapshot that names that content',
          `kubectl get volumesnapshotcontent ${shellWord(name)} -o yaml`,
        ),
        fix(
          'data-loss: if the data is not needed, delete the content, and then the snapshot on the storage by hand',
          `kubectl delete volumesnapshotcontent ${shellWord(name)}`,
          'data-loss',
        ),
      ],
    };
  },
});

function asksFor(
  snapshot: {
    readonly spec?: { readonly source?: { readonly volumeSnapshotContentName?: string } };
    readonly status?: { readonly boundVolumeSnapshotContentName?: string };
    readonly metadata: { readonly uid?: string };
  },
  contentName: string,
): boolean {
  return (
    snapshot.spec?.source?.volumeSnapshotContentName === contentName ||
    snapshot.status?.boundVolumeSnapshotContentName === contentName ||
    `snapcontent-${snapshot.metadata.uid ?? ''}` === contentName
  );
}

function lookFix(contentName: string) {
  return fix(
    'look which snapshot the content belongs to; use another content if that one is still needed',
    `kubectl get volumesnapshotcontent ${shellWord(contentName)} -o yaml`,
  );
}
