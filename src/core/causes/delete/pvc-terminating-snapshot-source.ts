import type { Lease, ObjectOf } from '../../kube/kinds.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { renewalWords, startUnseen } from '../../facts/driver/controller-health.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { sourceDeletingText } from '../lib/driver-error/sentences/snapshots.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { deletedWords, isHeldBy, policyEvidence, secondsSinceDeletion } from './claim-deletion.ts';
import { nameSome } from './claim-holders.ts';
import { obstacleOf } from '../provision/snapshot-obstacle.ts';
import { keepFirst, retainCommand, volumeAtRisk } from './data-first.ts';
import { removeFinalizerFix } from './finalizer-fixes.ts';
import { deletionEvidence, snapshotSourceProtection } from './finalizers.ts';

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
  const words = parseDriverError(failed?.status?.error?.message ?? '').words;
  const said = failed ? ` volumesnapshot/${failed.metadata.name} reports ${quoteWords(words)}.` : '';
  const isDeadlock =
    failed !== undefined && sourceDeletingText.test(failed.status?.error?.message ?? '') && !hasContent(failed);
  const [held] = failed ? [failed] : snapshots;
  const isLeaving = held?.metadata.deletionTimestamp !== undefined;
  const obstacle = held && !isDeadlock && !isLeaving ? obstacleOf(c.ask, held) : undefined;
  const error = obstacle ? ` ${obstacle.summary}` : said;
  return {
    summary: `${deletedWords(c)} and is kept as the source of ${names}, which ${snapshots.length === 1 ? 'is' : 'are'} not ready${snapshots.every(({ metadata }) => metadata.deletionTimestamp !== undefined) ? ` and ${snapshots.length === 1 ? 'is' : 'are'} being deleted` : ' yet'}.${error}${isDeadlock ? ' The two wait for each other.' : ''}`,
    evidence: [
      ...deletionEvidence(c.claim),
      ...snapshots
        .slice(0, 3)
        .map((snapshot) => field(snapshot, 'status.readyToUse', snapshot.status?.readyToUse ?? 'not set')),
      ...(failed ? [field(failed, 'status.error.message')] : []),
      ...policyEvidence(c),
    ],
    fix: snapshots.length > 1 ? fixesOfSeveral(c, snapshots) : snapshotFixes(c, held, obstacle),
  };
}

/** Deleting the snapshot ends the protection of its source, whose data then goes with the claim. */
function snapshotFixes(
  c: PresentClaim,
  snapshot: VolumeSnapshot | undefined,
  obstacle: Explanation | undefined,
): Fix[] {
  if (!snapshot) return [];
  const { name, deletionTimestamp } = snapshot.metadata;
  if (deletionTimestamp !== undefined) {
    const follow = steps(
      `Release volumesnapshot/${name}, which is being deleted itself: this line names what keeps it, and ` +
        'how to repair that. The claim goes automatically after it.',
      [`kubectl csi why ${shellWord(`vs/${name}`)} -n ${shellWord(c.namespace)}`],
    );
    return keepFirst(volumeAtRisk(c), [follow], 'The claim then goes, and its volume with the data.');
  }
  if (isHopeless(snapshot)) return endDeadlock(c, snapshot);
  const finish = steps(
    `Let volumesnapshot/${name} become ready: this line names what keeps it, and how to repair that. The ` +
      'claim goes automatically when all of its snapshots are ready.',
    [`kubectl csi why ${shellWord(`vs/${name}`)} -n ${shellWord(c.namespace)}`],
  );
  const drop = steps(
    `Delete volumesnapshot/${name}, if this restore point is not needed.`,
    [saveCommand(snapshot), kubectl('delete', snapshot)],
    'data-loss',
  );
  const [act] = obstacle?.fix ?? [];
  return keepFirst(volumeAtRisk(c), [act ?? finish, drop], 'The claim then goes, and its volume with the data.');
}

/** The claim stays until none of them is open, so there is a step for each, and one that ends all. */
function fixesOfSeveral(c: PresentClaim, snapshots: readonly VolumeSnapshot[]): Fix[] {
  const staying = snapshots.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const goes = ` The claim goes when ${snapshots.length === 2 ? 'both' : `all ${snapshots.length}`} snapshots are ready or gone.`;
  const acts = snapshots.filter((snapshot) => !isHopeless(snapshot)).map((snapshot) => actOn(c, snapshot));
  const names = nameSome(staying.map(({ metadata }) => `volumesnapshot/${metadata.name}`));
  const drop = steps(
    `Delete ${names}, if ${staying.length === 1 ? 'this restore point is' : 'these restore points are'} not needed.${goes}`,
    staying.flatMap((snapshot) => [saveCommand(snapshot), kubectl('delete', snapshot)]),
    'data-loss',
  );
  const together = joinSame(acts).map((act) => ({ ...act, text: sentence(act.text) + goes }));
  const then = 'The volume goes with the claim, and its data with it.';
  return keepFirst(volumeAtRisk(c), [...together, ...(staying.length > 0 ? [drop] : [])], then);
}

/** One step for what has to be done with several snapshots in the same way. */
function joinSame(fixes: readonly Fix[]): Fix[] {
  return [...new Set(fixes.map(({ text }) => text))].map((text) => {
    const same = fixes.filter((fix) => fix.text === text);
    return steps(text, [...new Set(same.flatMap((fix) => commandsOf(fix)))], same[0]?.risk);
  });
}

function actOn(c: PresentClaim, snapshot: VolumeSnapshot): Fix {
  const isLeaving = snapshot.metadata.deletionTimestamp !== undefined;
  return (isLeaving ? undefined : obstacleOf(c.ask, snapshot)?.fix?.[0]) ?? lookAt(c, snapshot);
}

function isHopeless(snapshot: VolumeSnapshot): boolean {
  return sourceDeletingText.test(snapshot.status?.error?.message ?? '') && !hasContent(snapshot);
}

function lookAt(c: PresentClaim, { metadata: { name } }: VolumeSnapshot): Fix {
  return steps(`Repair what keeps volumesnapshot/${name} from becoming ready, or from going: this line names it.`, [
    `kubectl csi why ${shellWord(`vs/${name}`)} -n ${shellWord(c.namespace)}`,
  ]);
}

function hasContent({ status }: VolumeSnapshot): boolean {
  return status?.readyToUse === true || status?.creationTime !== undefined;
}

/** The two wait for each other: the snapshot never became ready, and cannot any more. */
function endDeadlock(c: PresentClaim, snapshot: VolumeSnapshot): Fix[] {
  const volume = volumeAtRisk(c);
  const { name } = snapshot.metadata;
  return [
    steps(
      `Delete volumesnapshot/${name}, which never became ready and cannot any more. The claim then goes${volume ? '; its volume stays with the data, because the first line sets its policy to Retain. If the data is not needed, leave that line out' : ''}. If the snapshot hangs in its turn, the log of the snapshot controller has the reason.`,
      [...(volume ? [retainCommand(volume.metadata.name)] : []), saveCommand(snapshot), kubectl('delete', snapshot)],
      'disruptive',
    ),
  ];
}

/** The finalizer is the only evidence: it stays as long as a snapshot is not ready. */
function explainUnseenSnapshots(c: PresentClaim): Explanation {
  return {
    confidence: 'likely',
    summary: `${deletedWords(c)} and is kept as the source of a snapshot that is not ready. The snapshots could not be read.`,
    evidence: [...deletionEvidence(c.claim), ...policyEvidence(c)],
    fix: keepFirst(volumeAtRisk(c), [
      steps(
        'Find the snapshot of this claim that is not ready (second and third column) and why. ' +
          'PLACEHOLDER_SNAPSHOT is its name; the claim goes automatically when it is ready.',
        [
          `kubectl ${inNamespace(c.namespace)}get volumesnapshots`,
          `kubectl csi why vs/PLACEHOLDER_SNAPSHOT -n ${shellWord(c.namespace)}`,
        ],
      ),
    ]),
  };
}

/** No snapshot is open: then it is the snapshot controller that does not remove its finalizer. */
function explainSnapshotController(c: PresentClaim): Explanation {
  const { items, complete } = c.ask.leasesNamed(controllerLease, 'whether the snapshot controller is alive');
  const [lease] = items;
  const renewed = Math.max(0, ...items.map(({ spec }) => parseTime(spec?.renewTime) ?? 0));
  const isStale = lease !== undefined && (c.now - renewed) / 1000 > staleSeconds;
  const who = 'The snapshot controller, which has to remove its finalizer,';
  return {
    confidence: isStale ? 'certain' : 'likely',
    about: 'snapshot-controller',
    summary:
      `${deletedWords(c)}, and no snapshot of it is open any more. ` +
      `${isStale ? `${who} is not running: ${renewalWords(lease, c.now)}.` : `${who} has not done so: it is not running, or was uninstalled.`}`,
    evidence: [
      ...deletionEvidence(c.claim),
      note(c.claim, 'every snapshot of it is ready or gone'),
      ...leaseEvidence(lease, complete),
      ...policyEvidence(c),
    ],
    fix: controllerFixes(c, lease === undefined && complete),
  };
}

function leaseEvidence(lease: Lease | undefined, areAllLeasesRead: boolean): Evidence[] {
  if (lease) return [field(lease, 'spec.renewTime')];
  return areAllLeasesRead ? [absent('Lease', controllerLease)] : [];
}

function controllerFixes(c: PresentClaim, isUninstalled: boolean): Fix[] {
  const volume = volumeAtRisk(c);
  const start = startUnseen('the snapshot controller');
  const repair = keepFirst(volume, [start], 'The claim then goes, and its volume with the data.');
  if (!isUninstalled) return repair;
  return [
    ...repair,
    removeFinalizerFix(c.claim, snapshotSourceProtection, volume, 'the snapshot controller was uninstalled for good'),
  ];
}
