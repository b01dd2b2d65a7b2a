import type { Fix } from '../../report/report.ts';
import { fix, inNamespace } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { grantFix } from '../lib/grant.ts';
import { runningTexts } from '../lib/driver-error/senses/time.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { plainlyUnimplementedText } from '../lib/driver-error/senses/request.ts';
import { wantsAttachedTexts, wantsAvailableText } from '../lib/driver-error/senses/use.ts';
import { limitNamedTexts, snapshotWord } from '../lib/driver-error/senses/capacity.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import { senseFixes } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';

const retry = 'The call is repeated automatically within 5 minutes.';

/** What to do about a driver's answer to CreateSnapshot: by its words where they are well known, else by its code. */
export function refusalFixes(s: SnapshotCase, words: DriverWords): Fix[] {
  const driver = s.driver ?? 'the driver';
  if (accountForbiddenText.test(words.text)) return [grantFix(words.text, driver, retry)];
  const known = senseFixes(words);
  // Without words there is nothing to correct yet: the log comes first.
  if (words.text === '') return [];
  if (wantsAvailableText.test(words.text)) return [...forceFix(s), stopFix(s)];
  if (wantsAttachedTexts.test(words.text)) return [startFix(s)];
  if (senseOf(words.text)?.about === 'count' && snapshotWord.test(words.text) && !runningTexts.test(words.text))
    return [dropOldFix(s), raiseFix(words.text)];
  return known.length > 0 ? known : [fix(adviceOf(s, words, driver))];
}

function startFix(s: SnapshotCase): Fix {
  const claim = s.snapshot?.spec?.source?.persistentVolumeClaimName;
  return fix(
    `Start a pod that uses ${claim === undefined ? volumeOf(s) : `pvc/${claim}`} and keep it until the ` +
      `snapshot is ready: the storage wants the volume attached. ${retry}`,
  );
}

function forceFix(s: SnapshotCase): Fix[] {
  const object =
    s.className === undefined ? undefined : s.ask.graph.find('VolumeSnapshotClass', undefined, s.className);
  if (!object || !s.driver?.includes('cinder')) return [];
  return [
    steps(
      `Recreate VolumeSnapshotClass "${object.metadata.name}" with parameter force-create=true, so that ` +
        'snapshots are taken of volumes in use: a class cannot be changed in place. The data is then as ' +
        `after a power cut. ${retry}`,
      recreateCommands(object, { parameters: { 'force-create': 'true' } }),
    ),
  ];
}

/** A limit on snapshots is met by snapshots that exist; which of them may go, their owner knows. */
function dropOldFix(s: SnapshotCase): Fix {
  const claim = s.snapshot?.spec?.source?.persistentVolumeClaimName;
  const place = inNamespace(s.snapshot?.metadata.namespace);
  const which = claim === undefined ? 'this volume' : `pvc/${claim}`;
  return steps(
    `Delete snapshots of ${which} that are no longer needed: a restore point is lost with each. ` +
      "PLACEHOLDER_SNAPSHOT is a snapshot in the first line's " +
      `output${claim === undefined ? '' : ` whose SOURCE is ${claim}`}; snapshots that only the storage ` +
      `knows have to be deleted there. ${retry}`,
    [
      `kubectl ${place}get volumesnapshot --sort-by=.metadata.creationTimestamp -o ` +
        'custom-columns=NAME:.metadata.name,SOURCE:.spec.source.persistentVolumeClaimName,CREATED:.metadata.creationTimestamp',
      `kubectl ${place}get volumesnapshot PLACEHOLDER_SNAPSHOT -o yaml > PLACEHOLDER_SNAPSHOT.volumesnapshot.yaml`,
      `kubectl ${place}delete volumesnapshot PLACEHOLDER_SNAPSHOT`,
    ],
    'data-loss',
  );
}

function raiseFix(text: string): Fix {
  return fix(
    `Or ask the owner of the storage to raise the limit${limitNamedTexts.test(text) ? ' that the error names' : ''}. ${retry}`,
  );
}

function stopFix(s: SnapshotCase): Fix {
  const claim = s.snapshot?.spec?.source?.persistentVolumeClaimName;
  return fix(
    `Or stop the pods that use ${claim === undefined ? volumeOf(s) : `pvc/${claim}`} until the snapshot is ` +
      `ready: the storage wants the volume detached. ${retry}`,
    undefined,
    'disruptive',
  );
}

function adviceOf(s: SnapshotCase, { code, sense, text }: DriverWords, driver: string): string {
  if (sense?.about === 'credentials') return askForAccess(driver);
  switch (code) {
    case 'PermissionDenied':
    case 'Unauthenticated':
      return askForAccess(driver);
    case 'NotFound':
      return `Ask the owner of the storage whether ${volumeOf(s)} exists in the account and region that ${driver} uses. ${retry}`;
    case 'ResourceExhausted':
      return (
        'Ask the owner of the storage to raise the limit that the error names, or delete snapshots there ' +
        `that are no longer needed. ${retry}`
      );
    case 'Unimplemented':
      return !plainlyUnimplementedText.test(text)
        ? `Set up snapshots only for volumes for which ${driver} supports them, as its words say, or copy ` +
            'the data another way. The request can be deleted; nothing was taken.'
        : `Upgrade ${driver} to a release that takes snapshots, or copy the data another way: this release ` +
            'does not. The request can be deleted; nothing was taken.';
    case 'FailedPrecondition':
      return `Let ${volumeOf(s)} reach the state that the error asks for (detached, or no other operation running). ${retry}`;
    case 'InvalidArgument':
      return `Correct what ${driver} names: ${classText(s)}in its settings or on the storage. ${retry}`;
    default:
      return (
        `Ask your storage team, with the quoted words, why ${volumeOf(s)} cannot be snapshotted, and correct ` +
        `what they name: ${classText(s)}in the settings of ${driver} or on the storage. ${retry}`
      );
  }
}

function askForAccess(driver: string): string {
  return (
    `Ask the owner of the storage account to allow the identity of ${driver} what the error names: the ` +
    `action and the resource. ${retry}`
  );
}

function volumeOf({ content }: SnapshotCase): string {
  const handle = content?.spec?.source?.volumeHandle;
  return handle === undefined ? 'the volume' : `volume ${handle}`;
}

function classText({ className }: SnapshotCase): string {
  return className === undefined ? '' : `in the parameters of VolumeSnapshotClass "${className}", `;
}
