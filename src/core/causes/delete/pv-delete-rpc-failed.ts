import { messageOf } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { knownLogs } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import { invalidHandleText } from '../lib/driver-error/sentences/provisioner.ts';
import { deletionSenseOf } from '../lib/driver-error/deletion-sense.ts';
import type { DeletionSense } from '../lib/driver-error/deletion-sense.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import type { DriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { isWithoutAnswer } from '../lib/driver-error/speakers.ts';
import { hasSnapshotsText } from '../lib/driver-error/senses/use.ts';
import { stillAttachedText } from '../lib/driver-error/sentences/provisioner.ts';
import { grantFix } from '../lib/grant.ts';
import { objectRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { cleanupPodOf } from './cleanup-pod.ts';
import type { CleanupPod } from './cleanup-pod.ts';
import { dataFirst } from './data-first.ts';
import { dependentEvidence, dependentFixes, dependentsOf, dependentWords } from './volume-dependents.ts';
import type { Dependents } from './volume-dependents.ts';
import { attachmentsOf, deleteFailure, deleterOf, deletingController, isToBeDeleted } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { isHandMade, isStaticDelete } from './static-volume.ts';
import { forgetFix, releasedWords, reuseFix } from './volume-words.ts';

/** What the driver answered, and what it means. */
interface FailedCall {
  readonly deleter: string;
  readonly said: EventMatch;
  readonly error: DriverError;
  readonly sense: DeletionSense;
  readonly dependents: Dependents;
  readonly cleanup: CleanupPod | undefined;
}

/** The answer of DeleteVolume is kept in the event only. */
export const pvDeleteRpcFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-rpc-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const call = findFailedCall(v);
    if (!call) return undefined;
    return {
      confidence: 'likely',
      summary: `${releasedWords(v)} and is not deleted: ${answerWords(v, call)}`,
      evidence: [
        eventSaid(v.object, call.said.event),
        field(v.object, 'status.phase'),
        field(v.object, 'spec.persistentVolumeReclaimPolicy'),
        ...dependentEvidence(v, call.dependents),
        ...(call.cleanup?.evidence ?? []),
        ...(isForeign(v, call.error) ? [field(v.object, 'spec.csi.volumeHandle')] : []),
      ],
      fix: fixesFor(v, call),
    };
  },
});

function findFailedCall(v: VolumeSubject): FailedCall | undefined {
  const deleter = deleterOf(v.object);
  if (deleter === undefined || !isToBeDeleted(v)) return undefined;
  const said = deleteFailure(v, /[^]*/);
  const text = said ? messageOf(said.event) : '';
  if (!said || stillAttachedText.test(text)) return undefined;
  const sense = deletionSenseOf(text);
  return {
    deleter,
    said,
    error: parseDriverError(said.event),
    sense,
    dependents: dependentsOf(v, sense),
    cleanup: cleanupPodOf(v, retry),
  };
}

function answerWords(v: VolumeSubject, { deleter, error, sense, dependents, cleanup }: FailedCall): string {
  const quote = quoteWords(error.words === '' ? (error.code ?? 'an error without description') : error.words);
  if (error.speaker === 'apiServer') return sentence(`the API server refuses the provisioner of ${deleter}: ${quote}`);
  if (isWithoutAnswer(error.words)) return sentence(`the provisioner gets no answer from ${deleter}: ${quote}`);
  if (cleanup) return `${sentence(`${deleter} reports ${quote}`)} ${cleanup.words}`;
  if (isForeign(v, error)) return `${sentence(`${deleter} reports ${quote}`)} ${foreignWords(v)}`;
  const known = dependentWords(v, dependents);
  // What the cluster knows makes the usual guesses superfluous.
  const meaning = known === '' ? meaningOf(error.words, sense) : sense.meaning.replace(/(?<=\.) .*$/, '');
  return `${sentence(`${deleter} reports ${quote}`)}${meaning === '' ? '' : ` ${meaning}`}${known}`;
}

/**
 * The driver does not find what it never created: it looks for a volume of its own, by the form of its own handles. A
 * volume that it had created and lost is another matter.
 */
function isForeign(v: VolumeSubject, { code, words }: DriverError): boolean {
  return isHandMade(v.object) && (code === 'NotFound' || (code === 'InvalidArgument' && invalidHandleText.test(words)));
}

function foreignWords({ object }: VolumeSubject): string {
  const handle = object.spec?.csi?.volumeHandle ?? '';
  const isPath = /^fs-[0-9a-f]+(?::|$)/.test(handle) && !/:fsap-/.test(handle);
  return (
    `The volume was created by hand (it has no ${isStaticDelete(object) ? 'annotation of a provisioner' : 'name or attribute that a provisioner gives'}), and its handle "${handle}" ` +
    `${isPath ? 'names a path and no access point' : 'seems to be none of those that the driver creates'}, so there is nothing of its own ` +
    'that the driver could delete. This does not show that the data is gone.'
  );
}

/** A volume that was created by hand is removed by hand, and what is behind it stays. */
function forgetForeign(v: VolumeSubject): Fix[] {
  const reuse = reuseFix(v);
  return [
    forgetFix(
      v,
      `Stop the deletion and remove the object: with policy Retain the driver is not called any more, and the data stays on the storage. Delete it there if it is not needed. Give volumes that you create by hand policy Retain.`,
    ),
    ...(reuse ? [reuse] : []),
  ];
}

/** Nothing is added to words that say it already. */
function meaningOf(words: string, sense: DeletionSense): string {
  return hasSnapshotsText.test(words) && sense.mayBeSnapshots ? '' : sense.meaning;
}

const retry = 'The provisioner retries within 5 minutes.';

/** Snapshots that Kubernetes knows are found by the handle, where they could not be read. */
function unknownDependents(v: VolumeSubject, { cure, mayBeSnapshots, isAttached }: DeletionSense): Fix {
  const handle = v.object.spec?.csi?.volumeHandle;
  if (isAttached) return releaseAttached(v, handle);
  if (!mayBeSnapshots || handle === undefined || v.ask.graph.coverage.answers('VolumeSnapshotContent', {}))
    return steps(`${cure} ${retry}`, []);
  return steps(
    `${cure} Those that Kubernetes knows are listed by this line, with their VolumeSnapshot: delete them here. ${retry}`,
    [
      'kubectl get volumesnapshotcontents -o ' +
        "custom-columns='CONTENT:.metadata.name,NAMESPACE:.spec.volumeSnapshotRef.namespace,SNAPSHOT:.spec.volumeSnapshotRef.name,SOURCE:.spec.source.volumeHandle' " +
        `| grep -F -e ${shellWord(handle)}`,
    ],
    'data-loss',
  );
}

/** An attachment of this cluster is ended here; one that only the backend knows, there. */
function releaseAttached(v: VolumeSubject, handle: string | undefined): Fix {
  const volume = handle === undefined ? 'the volume' : `volume ${handle}`;
  const { items, complete } = attachmentsOf(v);
  if (complete && items.length === 0)
    return steps(
      `Ask your storage team to detach ${volume} in the backend, once nothing on that machine uses it: ` +
        `this cluster has no VolumeAttachment for it any more. ${retry}`,
      [],
    );
  return steps(
    'Find out whether this cluster still attaches it. If the first line shows an attachment ' +
      `(PLACEHOLDER_ATTACHMENT), the second names what keeps it. If it shows none, detach ${volume} in the ` +
      `backend, once nothing on that machine uses it. ${retry}`,
    [
      `kubectl get volumeattachments.storage.k8s.io | grep -F -e ${shellWord(v.name)}`,
      'kubectl csi why va/PLACEHOLDER_ATTACHMENT',
    ],
  );
}

function fixesFor(v: VolumeSubject, { deleter, said, error, sense, dependents, cleanup }: FailedCall): Fix[] {
  if (error.speaker === 'apiServer') return dataFirst(v.object, [grantFix(messageOf(said.event), deleter, retry)]);
  if (cleanup) return dataFirst(v.object, cleanup.fix);
  if (isForeign(v, error)) return forgetForeign(v);
  const known = dependentFixes(v, dependents);
  const { action, caller } = rightIn(error.words);
  const right =
    action === undefined
      ? []
      : [
          steps(
            `Ask the owner of the storage account to allow ${action} for ${caller ?? `the identity of ${deleter}`}. ${retry}`,
            [],
          ),
        ];
  const repair = [known, right, [unknownDependents(v, sense)]].find(({ length }) => length > 0) ?? [];
  return [
    ...(dependents.twins.length > 0 ? repair : dataFirst(v.object, repair)),
    ...knownLogs(deletingController(v, deleter), 'driver'),
  ];
}
