import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { inNamespace } from '../../facts/evidence.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { growthSince, isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { sizeChange } from '../lib/remake-claim.ts';
import { correctRecord, recordWords } from '../lib/correct-record.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { invalidObjectIn } from '../lib/driver-error/invalid-object.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { changeRateTexts, changeRateWords } from '../lib/driver-error/senses/capacity.ts';
import { conflictText, cutOffTexts, runningTexts, saysTransition } from '../lib/driver-error/senses/time.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { controllerErrorOf } from './controller-error.ts';
import type { ControllerError } from './controller-error.ts';
import { driverWords, growthEvidence, resizerOf, retryWords, sizeNow, volumeOf, volumeWords } from './expansion.ts';
import { correctUnit, lowerRequest, namesLimit } from './lower-request.ts';
import { speaksOfUse } from '../lib/driver-error/in-use-words.ts';
import { nodeRoomEvidence, nodeRoomFixes, nodeRoomWords } from './node-room.ts';
import { refusalInUse } from './resize-offline-only.ts';
import { currentSizeIn, notLargerTexts, sizeRefusedTexts } from '../lib/driver-error/senses/size.ts';
import { blockedBySnapshotsTexts } from '../lib/driver-error/senses/use.ts';
import { changeSenseOf, driverLog, fixesForChange, restartDriver, restartResizer } from './storage-fixes.ts';
import type { ChangeSense } from './storage-fixes.ts';

/**
 * external-resizer markControllerExpansionFailedCondition; before 1.31, and for in-tree plugins, only an event reports
 * it.
 */
export const resizeControllerError = claimRule({
  cause: 'resize-controller-error',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const error = findError(c);
    if (!error) return undefined;
    return {
      ...(isPassing(c, error) && { severity: 'info' as const }),
      confidence: error.isKept ? 'certain' : 'likely',
      summary: summarize(c, error),
      evidence: [
        ...growthEvidence(c),
        error.evidence,
        ...(isAboutRoom(senseOfError(error)) ? nodeRoomEvidence(c) : []),
      ],
      fix: adviceFor(c, error),
    };
  },
});

function findError(c: PresentClaim): ControllerError | undefined {
  if (isForNode(c.claim)) return undefined;
  const error = controllerErrorOf(c);
  // After a code that may pass, the call may still be running in the backend, unless a condition calls it final.
  if (!error || (!error.isKept && mayPass(error.code)) || refusalInUse(c)) return undefined;
  return error;
}

function summarize(c: PresentClaim, error: ControllerError): string {
  const meaning = meaningOf(c, error);
  const isGrown = notLargerTexts.test(error.text);
  return [
    sentence(`${speakerWords(c, error)} could not grow ${volumeWords(c)} to ${targetOf(c)}: ${answerWords(error)}`),
    ...(meaning === undefined ? [] : [meaning]),
    isGrown ? shownSize(c) : sizeNow(c).trim(),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** What the storage has is not known here: only the claim is. */
function shownSize({ claim }: PresentClaim): string {
  const capacity = claim.status?.capacity?.['storage'];
  return capacity === undefined ? '' : `The claim still shows ${capacity}.`;
}

/** The resizer's own failures (a secret, a right, a lost connection) are not the driver's. */
function speakerWords(c: PresentClaim, { speaker }: ControllerError): string {
  const { driver } = resizerOf(c);
  return driver !== undefined && speaker !== 'driver' && speaker !== 'unknown'
    ? `The resizer of ${driver}`
    : driverWords(c);
}

export function targetOf(c: PresentClaim): string {
  return c.claim.status?.allocatedResources?.['storage'] ?? c.request ?? 'the new size';
}

/** The words of the answer; where it has none, its code. */
export function answerWords({ words, code }: Pick<ControllerError, 'words' | 'code'>, decisive?: string): string {
  return words === '' ? `"code = ${code ?? 'Unknown'}", without a description` : quoteWords(words, decisive);
}

function senseOfError(error: ControllerError): ChangeSense | undefined {
  return speaksOfUse(error) ? undefined : changeSenseOf(error.text);
}

function meaningOf(c: PresentClaim, error: ControllerError): string | undefined {
  const refused = invalidObjectIn(error.text);
  if (refused) return recordWords(refused);
  if (conflictText.test(error.text))
    return 'Two components changed the same object of Kubernetes at once; the next attempt reads it again.';
  if (saysTransition(error.text)) return 'The storage is still working on an earlier change of the volume.';
  if (error.code === 'Unimplemented') return 'This release of the driver cannot grow volumes.';
  if (cutOffTexts.test(error.text)) return 'The storage has cut off the connection of the driver.';
  if (isRateLimited(error)) return 'The storage allows a volume to be changed only once in a while.';
  if (namesSnapshots(error)) return 'The volume has snapshots, and the storage does not grow such a volume.';
  if (notLargerTexts.test(error.text))
    return 'On the storage the volume probably has this size or more already: it was grown outside Kubernetes, or by an earlier call whose answer was lost.';
  const sense = senseOfError(error);
  return isAboutRoom(sense) ? (nodeRoomWords(c) ?? sense?.meaning) : sense?.meaning;
}

/** The storage limits how often a volume may be changed. */
function isRateLimited({ text }: ControllerError): boolean {
  return changeRateTexts.test(text);
}

function namesSnapshots({ text }: ControllerError): boolean {
  return blockedBySnapshotsTexts.test(text) && !runningTexts.test(text);
}

function adviceFor(c: PresentClaim, error: ControllerError): Fix[] {
  const { driver } = resizerOf(c);
  if (isRateLimited(error)) return [waitForRate(error)];
  if (notLargerTexts.test(error.text)) return [requestMore(c, error), ...driverLog(c, driver)];
  if (sizeRefusedTexts.test(error.text)) return [lowerRequest(c, error.words), ...driverLog(c, driver)];
  if (saysTransition(error.text)) return [waitForStorage(c)];
  if (error.code === 'Unimplemented') return growElsewhere(c);
  if (driver !== undefined && (conflictText.test(error.text) || cutOffTexts.test(error.text)))
    return [restartDriver(c, driver, retryWords(c)), ...driverLog(c, driver)];
  const refused = invalidObjectIn(error.text);
  if (refused) return [correctRecord(c.ask, refused, volumeOf(c), retryWords(c)), ...driverLog(c, driver)];
  const sense = senseOfError(error);
  const specific = specificFixes(c, error, sense);
  // The request itself is refused: a smaller one is the way out, whatever else the text contains.
  if (error.code === 'OutOfRange' && specific.length === 0)
    return [lowerRequest(c, error.words), ...driverLog(c, driver)];
  if (error.code === 'ResourceExhausted' && specific.length === 0 && error.words !== '')
    return [raiseLimit(c), lowerRequest(c, error.words), ...driverLog(c, driver)];
  if (namesLimit(c, error.words) && specific.length === 0)
    return [
      lowerRequest(c, error.words),
      correctWhatIsNamed(c),
      ...restartIfPutOff(c, driver, error),
      ...driverLog(c, driver),
    ];
  return [
    ...(specific.length > 0 ? specific : [correctWhatIsNamed(c)]),
    ...restartIfPutOff(c, driver, error),
    ...(isAboutSize(sense) || namesLimit(c, error.words) ? [lowerRequest(c, error.words)] : []),
    ...driverLog(c, driver),
  ];
}

/** How long the storage may take for an earlier change before a person should look. */
const transitionSeconds = 3600;
const conflictSeconds = 300;

/** The words promise that it passes, and it has not lasted long. */
function isPassing(c: PresentClaim, { text, isKept }: ControllerError): boolean {
  if (isKept) return false;
  const since = growthSince(c);
  const seconds = since === undefined ? 0 : (c.now - since) / 1000;
  return (
    (saysTransition(text) && seconds < transitionSeconds) || (conflictText.test(text) && seconds < conflictSeconds)
  );
}

function waitForStorage(c: PresentClaim): Fix {
  const view = storageViewOf(resizerOf(c).driver, volumeOf(c));
  return steps(
    'Wait until the storage has finished the earlier change (on some clouds hours, for large disks). ' +
      `${retryWords(c)} If the state stays the same for long, ask ${view.team} about it.${viewWords(view)}`,
    viewCommands(view),
  );
}

/** UNIMPLEMENTED: nothing in Kubernetes makes this driver grow the volume. */
function growElsewhere(c: PresentClaim): Fix[] {
  return [
    steps(
      `Upgrade ${resizerOf(c).driver ?? 'the driver'} to a release that can grow volumes, if there is one. ` +
        'Otherwise copy the data to a new, larger claim. Where the storage is a share or directory without a ' +
        'quota (NFS), the size limits nothing, and the old size in the claim has no effect.',
      [],
    ),
    ...correctUnit(c),
  ];
}

function specificFixes(c: PresentClaim, error: ControllerError, sense: ChangeSense | undefined): Fix[] {
  if (namesSnapshots(error)) return [deleteSnapshots(c)];
  const room = isAboutRoom(sense) ? nodeRoomFixes(c) : [];
  return room.length > 0 ? room : fixesForChange(c, resizerOf(c).driver, sense, error.text, retryWords(c));
}

/** A size above what the volume has on the storage is granted, and Kubernetes then records it. */
function requestMore(c: PresentClaim, { text }: ControllerError): Fix {
  const current = currentSizeIn(text);
  const size = current === undefined ? 'PLACEHOLDER_SIZE' : `${current + 1}Gi`;
  const view = storageViewOf(resizerOf(c).driver, volumeOf(c));
  const isMore = current !== undefined && compareQuantities(size, c.request) > 0;
  const end =
    'The resizer then grows it once more and records the new size. Upgrade ' +
    `${resizerOf(c).driver ?? 'the driver'} to avoid this: the CSI specification wants success for a volume ` +
    'that is large enough.';
  return isMore
    ? steps(`Request ${size}, which is more than the ${current} GiB that the storage names. ${end}`, [
        patchCommand(c.claim, sizeChange(size)),
      ])
    : steps(
        `Look up the size of ${handleOf(c)} on the storage${view.command === undefined ? '' : ' (the first line shows it, if a user with the right runs it)'}, and request 1Gi more than that (PLACEHOLDER_SIZE, more than ${c.request ?? 'the present request'}). What is granted cannot shrink later. ${end}`,
        [...viewCommands(view), patchCommand(c.claim, sizeChange('PLACEHOLDER_SIZE'))],
      );
}

function handleOf(c: PresentClaim): string {
  const handle = volumeOf(c)?.spec?.csi?.volumeHandle;
  return handle === undefined ? volumeWords(c) : `volume ${handle}`;
}

function isAboutRoom(sense: ChangeSense | undefined): boolean {
  return sense?.about === 'space' || sense?.about === 'placement';
}

/** A smaller size may still fit. */
function isAboutSize(sense: ChangeSense | undefined): boolean {
  return sense !== undefined && ['space', 'quota', 'count', 'placement'].includes(sense.about);
}

/** CSI spec, ControllerExpandVolume: space or a limit of the storage is used up. */
function raiseLimit(c: PresentClaim): Fix {
  return steps(
    `Ask the owner of the storage for more of what the error names, or free some of it. ${retryWords(c)}`,
    [],
  );
}

function correctWhatIsNamed(c: PresentClaim): Fix {
  const { driver } = resizerOf(c);
  const view = storageViewOf(driver, volumeOf(c));
  const commands = viewCommands(view);
  return steps(
    `${commands.length > 0 ? 'Look up what the storage knows of the volume, and ask' : 'Ask'} ${view.team}, with the quoted words, why ${volumeWords(c)} cannot grow to ${targetOf(c)}; correct what they name: on the storage, or in the settings of ${driver ?? 'the driver'}.${viewWords(view)} ${retryWords(c)}`,
    commands,
  );
}

function waitForRate({ text }: ControllerError): Fix {
  return steps(
    `Wait until the storage allows the next change (${changeRateWords(text)}). The resizer keeps trying and then succeeds.`,
    [],
  );
}

function deleteSnapshots(c: PresentClaim): Fix {
  return steps(
    'Delete the snapshots of this volume that are no longer needed: a restore point is lost with each. ' +
      `PLACEHOLDER_SNAPSHOT is a snapshot whose SOURCE is ${c.name}; snapshots that only the storage knows ` +
      `have to be deleted there. ${retryWords(c)}`,
    [
      `kubectl ${inNamespace(c.namespace)}get volumesnapshot -o ` +
        'custom-columns=NAME:.metadata.name,SOURCE:.spec.source.persistentVolumeClaimName,CREATED:.metadata.creationTimestamp',
      `kubectl ${inNamespace(c.namespace)}get volumesnapshot PLACEHOLDER_SNAPSHOT -o yaml > PLACEHOLDER_SNAPSHOT.yaml`,
      `kubectl ${inNamespace(c.namespace)}delete volumesnapshot PLACEHOLDER_SNAPSHOT`,
    ],
    'data-loss',
  );
}

/**
 * The resizer reads this code as a volume in use, and does not retry while a pod uses the claim
 * (usedPVCs.hasInUseErrors).
 */
function restartIfPutOff(c: PresentClaim, driver: string | undefined, { code }: ControllerError): Fix[] {
  const [pod] = c.consumers.items;
  if (code !== 'FailedPrecondition' || !pod || driver === undefined) return [];
  return [
    restartResizer(
      c,
      driver,
      (what) =>
        `Then restart ${what}: after this code it does not retry while pod/${pod.metadata.name} uses the ` +
        'claim. Volumes in use are not affected.',
    ),
  ];
}
