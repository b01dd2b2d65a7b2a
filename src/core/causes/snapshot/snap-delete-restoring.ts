import { lastSeen, newestMatch } from '../../graph/events.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { applyCommand, kubectl, saveCommand, steps } from '../lib/steps.ts';
import { wffcNoConsumer } from '../schedule/wffc-no-consumer.ts';
import { losesData, storedText } from './deletion-fixes.ts';
import {
  finalizers,
  finalizersEvidence,
  hasFinalizer,
  restoringClaims,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { objectText, ruleForSnapshot } from './snapshot-rule.ts';
import { restoringText } from '../lib/driver-error/sentences/snapshots.ts';

/** Within this time a restore is only on its way. */
const restoreSeconds = 120;

/**
 * checkandRemoveSnapshotFinalizersAndCheckandDeleteContent keeps a snapshot while a claim is being restored from it.
 */
export const snapDeleteRestoring = ruleForSnapshot({
  cause: 'snap-delete-restoring',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    if (!snapshot || !hasFinalizer(snapshot, finalizers.asSource, finalizers.restoreBegun)) return undefined;
    const { items, complete } = restoringClaims(s, snapshot);
    const said = controllerSaid(s, snapshot);
    const [first, ...rest] = items;
    if (first) return explainClaims(s, snapshot, [first, ...rest], said);
    return complete ? undefined : explainUnread(snapshot, said);
  },
});

function controllerSaid(s: SnapshotCase, snapshot: VolumeSnapshot): Evidence[] {
  const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', restoringText);
  return said ? [eventSaid(snapshot, said.event)] : [];
}

function explainClaims(
  s: SnapshotCase,
  snapshot: VolumeSnapshot,
  claims: readonly [Claim, ...Claim[]],
  said: readonly Evidence[],
): Explanation {
  const isYoung = claims.every(({ metadata }) => s.secondsSince(metadata.creationTimestamp) < restoreSeconds);
  const names = claims.map(({ metadata }) => `pvc/${metadata.name}`);
  const wait = waitOf(s, claims);
  const pending = wait ? ` ${wait.summary}` : ' The restore is still pending.';
  return {
    severity: isYoung ? 'info' : 'blocking',
    summary:
      `${objectText(snapshot)} is deleted once ${nameAll(names)} ${names.length > 1 ? 'have' : 'has'} been ` +
      `restored from it.${isYoung ? ' This is expected.' : pending}`,
    evidence: [
      finalizersEvidence(snapshot),
      ...claims.slice(0, 5).map((claim) => field(claim, 'status.phase')),
      ...(isYoung ? [] : [...(wait?.evidence ?? complaintOf(s, claims[0]))]),
      ...said,
    ],
    fix: isYoung ? [] : repairOrGiveUp(s, claims, wait),
  };
}

/** A claim of a class with WaitForFirstConsumer is restored when a pod uses it, and not before. */
function waitOf({ ask }: SnapshotCase, [claim, ...others]: readonly [Claim, ...Claim[]]): Explanation | undefined {
  if (others.length > 0) return undefined;
  const subject = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name);
  return isPresent(subject) ? wffcNoConsumer.explain(subject) : undefined;
}

/** What was last reported about the restore. */
function complaintOf({ ask }: SnapshotCase, claim: Claim): Evidence[] {
  const [newest] = ask
    .eventsOf(claim)
    .items.filter(({ type }) => type === 'Warning')
    .toSorted((a, b) => lastSeen(b) - lastSeen(a));
  return newest ? [eventSaid(claim, newest)] : [];
}

function repairOrGiveUp(s: SnapshotCase, claims: readonly [Claim, ...Claim[]], wait: Explanation | undefined): Fix[] {
  const { content } = s;
  const { name, namespace } = claims[0].metadata;
  const isKept = !content || !losesData(content);
  if (wait) return [giveUp(s, claims, 'If the restore is not wanted, give it up'), useClaim(claims[0], wait)];
  const why = `kubectl csi why pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim();
  return [
    steps(
      `${isKept ? 'Repair' : 'Keep the data on the storage until that is done (policy Retain), and repair'} ` +
        `the restore of pvc/${name}: ${isKept ? 'this' : 'the last line'} names what blocks it and the steps. ` +
        'The snapshot is deleted once the claim is bound.',
      [...(isKept ? [] : [retainContent(content)]), why],
    ),
    giveUp(s, claims, 'Or give the restore up'),
  ];
}

function giveUp({ content }: SnapshotCase, claims: readonly Claim[], intro: string): Fix {
  return steps(
    `${intro}: save and delete what is to be restored; it was never bound, so it holds no data. ` +
      `The snapshot is then deleted${losesData(content) ? `, and ${storedText(content)} removed from the storage` : ''}.`,
    claims.flatMap((claim) => [saveCommand(claim), kubectl('delete', claim)]),
    losesData(content) ? 'data-loss' : 'disruptive',
  );
}

/** Any pod will do: the provisioner restores the claim as soon as the scheduler has chosen its node. */
function useClaim({ metadata: { name, namespace } }: Claim, { severity, fix: [known] = [] }: Explanation): Fix {
  if (known && severity !== 'warning')
    return { ...known, text: `If it is wanted: ${known.text} The snapshot is deleted once the claim is bound.` };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `use-${name}`.slice(0, 63), namespace },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'use', image: 'busybox', command: ['true'], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  };
  return steps(
    `If it is wanted, start the pod that uses pvc/${name}; this one only lets it be restored, and can be deleted afterwards. The snapshot is deleted once the claim is bound.`,
    [applyCommand(pod)],
  );
}

/** The claims could not be read, and the controller reports that one is being restored. */
function explainUnread(snapshot: VolumeSnapshot, [said]: readonly Evidence[]): Explanation | undefined {
  if (!said) return undefined;
  const { namespace } = snapshot.metadata;
  return {
    confidence: 'likely',
    summary:
      `${objectText(snapshot)} is deleted once a claim has been restored from it, as the snapshot controller ` +
      'reports. The claims could not be read.',
    evidence: [said],
    fix: [
      steps(
        'Repair the claim that is being restored (PLACEHOLDER_CLAIM: ' +
          'Pending, with this snapshot as its dataSource). The snapshot is deleted once it is bound.',
        [
          `kubectl ${inNamespace(namespace)}get pvc -o ` +
            `custom-columns='NAME:.metadata.name,PHASE:.status.phase,SOURCE:.spec.dataSource.name'`,
          `kubectl csi why pvc/PLACEHOLDER_CLAIM ${inNamespace(namespace)}`.trim(),
        ],
      ),
    ],
  };
}
