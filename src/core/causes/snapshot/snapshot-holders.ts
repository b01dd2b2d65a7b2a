import { newestMatch } from '../../graph/events.ts';
import type { Claim } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { belongsTo, beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { provenTrouble, silentTrouble } from './controller-trouble.ts';
import { aboutController } from './snap-controller-down.ts';
import { ruleForSnapshot } from './snapshot-rule.ts';

const asSource = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection';
const bound = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
const inGroup = 'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection';
const restoreBegun = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
const settleSeconds = 60;
const silenceSeconds = 120;
/** Within that time a restore is only on its way. */
const restoreSeconds = 120;

function finalizersOf({ subject }: SnapshotCase): readonly string[] {
  return subject.metadata.finalizers ?? [];
}

function terminating(s: SnapshotCase): VolumeSnapshot | undefined {
  return s.subject.kind === 'VolumeSnapshot' && s.subject.metadata.deletionTimestamp !== undefined
    ? s.subject
    : undefined;
}

/** isVolumeBeingCreatedFromSnapshot: a Pending claim of the namespace that names it. */
function restoringClaims(
  s: SnapshotCase,
  { metadata }: VolumeSnapshot,
): { readonly claims: readonly Claim[]; readonly complete: boolean } {
  const { items, complete } = s.ask.list(
    'PersistentVolumeClaim',
    metadata.namespace ?? '',
    `which claims are being restored from volumesnapshot/${metadata.name}`,
  );
  const claims = items.filter(
    ({ spec, status }) =>
      status?.phase === 'Pending' &&
      [spec?.dataSource, spec?.dataSourceRef].some(
        (source) =>
          source?.kind === 'VolumeSnapshot' &&
          source.name === metadata.name &&
          (source.namespace ?? metadata.namespace) === metadata.namespace,
      ),
  );
  return { claims, complete };
}

export const snapDeleteRestoring = ruleForSnapshot({
  cause: 'snap-delete-restoring',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminating(s);
    if (!snapshot || !finalizersOf(s).some((finalizer) => finalizer === asSource || finalizer === restoreBegun))
      return undefined;
    const { claims, complete } = restoringClaims(s, snapshot);
    const { name, namespace } = snapshot.metadata;
    const [claim] = claims;
    const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', /being used to restore a PVC/);
    if (!claim) {
      if (complete || !said) return undefined;
      return {
        confidence: 'likely',
        summary: `volumesnapshot/${name} is deleted when the claim that is being restored from it is done`,
        evidence: [eventSaid(snapshot, said.event)],
        fix: [fix('find the claim that is Pending and names the snapshot', `kubectl ${inNamespace(namespace)}get pvc`)],
      };
    }
    const isYoung = claims.every(({ metadata }) => s.secondsSince(metadata.creationTimestamp) < restoreSeconds);
    const names = claims.map(({ metadata }) => metadata.name);
    return {
      ...(isYoung && { severity: 'info' as const }),
      summary: `volumesnapshot/${name} is being deleted, and ${names.length === 1 ? `claim ${names[0] ?? ''} is` : `claims ${names.join(', ')} are`} still to be restored from it`,
      evidence: [
        field(snapshot, 'metadata.finalizers', finalizersOf(s).join(', ')),
        ...claims.slice(0, 5).map((each) => field(each, 'status.phase')),
        ...(said ? [eventSaid(snapshot, said.event)] : []),
      ],
      fix: isYoung
        ? [
            fix(
              'wait until the claim is bound',
              `kubectl ${inNamespace(namespace)}get pvc ${shellWord(claim.metadata.name)}`,
            ),
          ]
        : [
            fix(
              'see why the restore does not end, and mend that',
              `kubectl csi why pvc/${shellWord(claim.metadata.name)} ${inNamespace(namespace)}`.trim(),
            ),
            fix(
              'or give the restore up',
              `kubectl ${inNamespace(namespace)}delete pvc ${names.map(shellWord).join(' ')}`,
              'disruptive',
            ),
          ],
    };
  },
});

export const snapDeleteGroupMember = ruleForSnapshot({
  cause: 'snap-delete-group-member',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminating(s);
    const owner = snapshot?.metadata.ownerReferences?.find(({ kind }) => kind === 'VolumeGroupSnapshot')?.name;
    const group = snapshot?.status?.volumeGroupSnapshotName || owner;
    if (!snapshot || !group || !finalizersOf(s).includes(inGroup)) return undefined;
    const { name, namespace } = snapshot.metadata;
    const lookup = s.ask.get(
      'VolumeGroupSnapshot',
      namespace,
      group,
      `whether volumegroupsnapshot/${group}, to which the snapshot belongs, exists`,
    );
    const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', /belongs to group snapshot/);
    if (lookup.state === 'missing') return undefined;
    return {
      confidence: lookup.state === 'found' ? 'certain' : 'likely',
      about: `volumegroupsnapshot/${namespace ?? ''}/${group}`,
      summary: `volumesnapshot/${name} belongs to volumegroupsnapshot/${group} and goes only with the whole group`,
      evidence: [
        field(snapshot, 'status.volumeGroupSnapshotName', group),
        field(snapshot, 'metadata.finalizers', finalizersOf(s).join(', ')),
        ...(said ? [eventSaid(snapshot, said.event)] : []),
      ],
      fix: [
        fix(
          'leave it: the group stays whole',
          `kubectl ${inNamespace(namespace)}get volumegroupsnapshot ${shellWord(group)}`,
        ),
        fix(
          'data-loss: if no snapshot of the group is needed, delete the group',
          `kubectl ${inNamespace(namespace)}delete volumegroupsnapshot ${shellWord(group)}`,
          'data-loss',
        ),
      ],
    };
  },
});

/** The controller has to mark the content and delete it, or to take its finalizers away. */
export const snapControllerDownOnDelete = ruleForSnapshot({
  cause: 'snap-controller-down',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminating(s);
    if (
      !snapshot ||
      !finalizersOf(s).some((finalizer) => finalizer === asSource || finalizer === bound) ||
      s.leavingSeconds < settleSeconds
    )
      return undefined;
    const isSidecarsTurn =
      s.content?.metadata.deletionTimestamp !== undefined &&
      s.content.metadata.annotations?.[beingDeletedAnnotation] !== undefined;
    if (isSidecarsTurn || s.contentLookup?.state === 'missing') return undefined;
    const isWaitedFor =
      s.content !== undefined && s.leavingSeconds >= silenceSeconds && restoringClaims(s, snapshot).complete;
    const trouble = provenTrouble(s) ?? (isWaitedFor ? silentTrouble(s) : undefined);
    if (!trouble) return undefined;
    return {
      confidence: trouble.confidence,
      about: aboutController,
      summary: `the snapshot controller ${trouble.words}, so nobody deletes volumesnapshot/${snapshot.metadata.name}`,
      evidence: [...trouble.evidence, field(snapshot, 'metadata.finalizers', finalizersOf(s).join(', '))],
      fix: trouble.fix,
    };
  },
});

/** The content is gone, or belongs to another, so nothing is left that the controller should wait for. */
export const snapDeleteFinalizerLeft = ruleForSnapshot({
  cause: 'snap-delete-finalizer-left',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminating(s);
    const left = finalizersOf(s).filter(
      (finalizer) => finalizer === asSource || finalizer === bound || finalizer === inGroup,
    );
    if (!snapshot || left.length === 0 || s.leavingSeconds < settleSeconds) return undefined;
    const { content, contentLookup, contentName = '' } = s;
    const isOthers = content !== undefined && !belongsTo(content, snapshot);
    // A dump that holds snapshots and not one content was most likely taken where there was none.
    const isUnseen =
      contentLookup?.state === 'unknown' &&
      s.ask.graph.coverage.of('VolumeSnapshotContent', { name: contentName }).state === 'unread';
    if (contentLookup?.state !== 'missing' && !isOthers && !isUnseen) return undefined;
    const { name, namespace } = snapshot.metadata;
    const trouble = provenTrouble(s);
    return {
      ...(isUnseen && { confidence: 'likely' as const }),
      ...(trouble && { about: aboutController }),
      summary: `volumesnapshot/${name} was deleted ${ageText(parseTime(snapshot.metadata.deletionTimestamp) ?? 0, s.now)} ago and its content is ${isOthers ? "another snapshot's" : 'gone'}, but its finalizer${left.length > 1 ? 's' : ''} ${left.join(', ')} ${left.length > 1 ? 'are' : 'is'} still there${trouble ? `: the snapshot controller ${trouble.words}` : ''}`,
      evidence: [
        field(snapshot, 'metadata.finalizers', finalizersOf(s).join(', ')),
        isOthers
          ? field(content, 'spec.volumeSnapshotRef')
          : isUnseen
            ? note(snapshot, 'its content was not seen')
            : absent('VolumeSnapshotContent', contentName),
        ...(trouble?.evidence ?? []),
      ],
      fix: [
        ...(trouble?.fix ?? [
          fix(
            'see in the log of the snapshot controller why it does not take them away (rights, a webhook)',
            'kubectl get deploy,pods -A | grep -i snapshot-controller',
          ),
        ]),
        fix(
          'only if the controller is gone for good, take them away by hand: the snapshot on the storage is not touched by that',
          `kubectl ${inNamespace(namespace)}patch volumesnapshot ${shellWord(name)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
          'disruptive',
        ),
      ],
    };
  },
});

/** external-provisioner sets it when a restore begins; one that fails or is given up leaves it behind (snapshot_finalizer_controller sweeps it since 6.2). */
export const snapSourceFinalizerOrphan = ruleForSnapshot({
  cause: 'snap-source-finalizer-orphan',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminating(s);
    if (!snapshot || !finalizersOf(s).includes(restoreBegun) || s.leavingSeconds < settleSeconds) return undefined;
    const { claims, complete } = restoringClaims(s, snapshot);
    if (claims.length > 0) return undefined;
    const { name, namespace } = snapshot.metadata;
    return {
      confidence: complete ? 'certain' : 'likely',
      summary: `volumesnapshot/${name} is held by the finalizer of a restore (${restoreBegun}), and no claim is being restored from it any more`,
      evidence: [
        field(snapshot, 'metadata.finalizers', finalizersOf(s).join(', ')),
        note(
          snapshot,
          complete
            ? `no Pending claim in ${namespace ?? ''} names it as its source`
            : 'no Pending claim that names it as its source was seen',
        ),
      ],
      fix: [
        fix(
          'external-provisioner 6.2 and later takes it away every five minutes, if it may: look for errors about volumesnapshots in its log, and give it the right to update them',
          `kubectl auth can-i update volumesnapshots.snapshot.storage.k8s.io --as=system:serviceaccount:NAMESPACE:SERVICEACCOUNT ${inNamespace(namespace)}`.trim(),
        ),
        fix(
          'or take that one finalizer away by hand, after making sure that no restore runs',
          `kubectl ${inNamespace(namespace)}patch volumesnapshot ${shellWord(name)} --type=merge -p ${shellWord(JSON.stringify({ metadata: { finalizers: finalizersOf(s).filter((finalizer) => finalizer !== restoreBegun) } }))}`,
          'disruptive',
        ),
      ],
    };
  },
});
