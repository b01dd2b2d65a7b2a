import type { Lease, ObjectOf } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isHeldBy, secondsSinceDeletion } from './claim-deletion.ts';
import { nameSome } from './claim-holders.ts';
import { deletionEvidence, removeFinalizerFix, snapshotSourceProtection } from './finalizers.ts';

type VolumeSnapshot = ObjectOf<'VolumeSnapshot'>;

const controllerLease = 'snapshot-controller-leader';
/** How long the snapshot controller may take to remove its finalizer after the last snapshot. */
const actSeconds = 60;
const staleSeconds = 60;

/** snapshot-controller checkandRemovePVCFinalizer: the finalizer goes when every snapshot of the claim is ready. */
export const pvcTerminatingSnapshotSource = claimRule({
  cause: 'pvc-terminating-snapshot-source',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isHeldBy(c, snapshotSourceProtection)) return undefined;
    const { items, complete } = c.ask.list('VolumeSnapshot', c.namespace, `which snapshots are taken of pvc/${c.name}`);
    const open = items.filter(
      ({ spec, status }) => spec?.source?.persistentVolumeClaimName === c.name && status?.readyToUse !== true,
    );
    if (open.length > 0) return explainSnapshots(c, open);
    if (secondsSinceDeletion(c) < actSeconds) return undefined;
    return complete ? explainSnapshotController(c) : explainUnseenSnapshots(c);
  },
});

function explainSnapshots(c: PresentClaim, snapshots: readonly VolumeSnapshot[]): Explanation {
  const names = nameSome(snapshots.map(({ metadata }) => `volumesnapshot/${metadata.name}`));
  const failed = snapshots.find(({ status }) => status?.error?.message);
  return {
    summary: `pvc/${c.name} is being deleted and a snapshot of it is not ready: ${names}${failed ? ' reports an error' : ''}`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...snapshots
        .slice(0, 3)
        .map((snapshot) => field(snapshot, 'status.readyToUse', snapshot.status?.readyToUse ?? 'not set')),
      ...(failed ? [field(failed, 'status.error.message')] : []),
    ],
    fix: snapshotFixes(c, snapshots[0]?.metadata.name ?? ''),
  };
}

function snapshotFixes(c: PresentClaim, snapshot: string): Fix[] {
  return [
    fix(
      'see why the snapshot is not ready: the claim goes by itself after it',
      `kubectl csi why vs/${shellWord(snapshot)} -n ${shellWord(c.namespace)}`,
    ),
    fix(
      'or delete the snapshot, if nobody needs it',
      `kubectl ${inNamespace(c.namespace)}delete volumesnapshot ${shellWord(snapshot)}`,
      'disruptive',
    ),
  ];
}

/** The finalizer alone tells: it stays as long as a snapshot is not ready. */
function explainUnseenSnapshots(c: PresentClaim): Explanation {
  return {
    confidence: 'likely',
    summary: `pvc/${c.name} is being deleted and is protected as the source of a snapshot that is not ready; which one could not be read`,
    evidence: deletionEvidence(c.claim),
    fix: [fix('see which snapshots of it are not ready', `kubectl -n ${shellWord(c.namespace)} get volumesnapshots`)],
  };
}

/** No snapshot is open: then it is the snapshot controller that does not remove its finalizer. */
function explainSnapshotController(c: PresentClaim): Explanation {
  const { items, complete } = c.ask.leasesNamed(controllerLease, 'whether the snapshot controller is alive');
  const [lease] = items;
  const renewed = Math.max(0, ...items.map(({ spec }) => parseTime(spec?.renewTime) ?? 0));
  const isStale = lease !== undefined && (c.now - renewed) / 1000 > staleSeconds;
  return {
    confidence: isStale ? 'certain' : 'likely',
    about: 'snapshot-controller',
    summary: `pvc/${c.name} is being deleted and no snapshot of it is open any more, ${isStale ? staleWords(c, renewed) : 'yet the snapshot controller has not taken its finalizer off: it does not run, or was removed'}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'every snapshot of it is ready or gone'),
      ...leaseEvidence(lease, complete),
    ],
    fix: controllerFixes(c),
  };
}

function staleWords(c: PresentClaim, renewed: number): string {
  return `but the snapshot controller, which must let it go, has not renewed its lease${renewed > 0 ? ` for ${ageText(renewed, c.now)}` : ''}`;
}

function leaseEvidence(lease: Lease | undefined, areAllLeasesRead: boolean): Evidence[] {
  if (lease) return [field(lease, 'spec.renewTime')];
  return areAllLeasesRead ? [absent('Lease', controllerLease)] : [];
}

function controllerFixes(c: PresentClaim): Fix[] {
  return [
    fix(
      'get the snapshot controller to run again: the claim then goes by itself',
      'kubectl get pods -A | grep snapshot-controller',
    ),
    removeFinalizerFix(
      c.claim,
      snapshotSourceProtection,
      'only if the snapshot controller was removed for good, take the finalizer off by hand',
    ),
  ];
}
