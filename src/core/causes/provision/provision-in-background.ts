import type { Lease } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { pendingTexts, saysCopying } from '../lib/driver-error/senses/time.ts';
import { steps } from '../lib/steps.ts';
import { dataSourceOf } from './data-source.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { answerRule, logsOf, senseFix, tellWords } from './driver-answer.ts';
import type { Answer } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { spokenParameter } from './blamed-parameter.ts';
import { controllerOf, externalProvisionerOf } from './provisioner.ts';
import { ownServiceIn, ownServiceMeaning } from './own-service.ts';
import { restartDriver } from './restart-driver.ts';
import type { ClaimRule } from '../lib/rule.ts';
import { explainRunningCall } from './running-call.ts';
import { addFlag } from './sidecar-flag.ts';
import { isWithoutAnswer } from '../lib/driver-error/speakers.ts';
import { overNetworkText } from '../lib/driver-error/senses/network.ts';

/** Before that a slow backend is only slow; three attempts that end the same way are no coincidence. */
const patienceSeconds = 120;
const manyAttempts = 3;

/**
 * external-provisioner checkError: it is not known whether the volume is being created, so the same call is repeated
 * until it ends.
 */
const answeredInBackground = answerRule('provision-in-background', 'background', (c, error, driver) => {
  if (isCopying(c, error)) return tellCopy(c, error, driver);
  const isYoung = error.count < manyAttempts && (c.now - error.firstSeen) / 1000 < patienceSeconds;
  return {
    severity: isYoung ? 'info' : 'blocking',
    about: driver,
    summary: `${summaryOf(c, error, driver)}${lifeText(c, error)}${isYoung ? ' The call is repeated automatically until it ends.' : ''}`,
    evidence: lifeEvidence(c),
    fix: isYoung ? [] : advise(c, error),
  };
});

export const provisionInBackground: ClaimRule = {
  ...answeredInBackground,
  explain: (c) => answeredInBackground.explain(c) ?? explainRunningCall(c),
};

/** A copy of much data takes its time; after this, a person should check whether it progresses. */
const copySeconds = 3600;

function isCopying(c: PresentClaim, { text }: ProvisionError): boolean {
  return dataSourceOf(c) !== undefined && saysCopying(text);
}

function tellCopy(c: PresentClaim, error: ProvisionError, driver: string): Answer {
  const isLong = (c.now - error.firstSeen) / 1000 > copySeconds;
  return {
    severity: isLong ? 'blocking' : 'info',
    about: driver,
    summary:
      `${tellWords(`${driver} is still copying the data for the new volume, since ${ageText(error.firstSeen, c.now)}`, error)} ` +
      'The call is repeated until the copy is complete, and the claim is then bound.',
    evidence: lifeEvidence(c),
    fix: [watchCopy(c, driver, isLong)],
  };
}

/** A new claim would start the copy anew, so the only step is to see whether it moves. */
function watchCopy(c: PresentClaim, driver: string, isLong: boolean): Fix {
  const owner = ownerOfStorage(driver) ?? 'your storage team';
  const [commands, words] = copyView(c, driver);
  const look = `the progress of the copy, the queue of copies, and the health of the storage${words}`;
  return steps(
    isLong
      ? `Ask ${owner} whether the copy moves: ${look}. The claim is bound when it is complete; recreating the claim would start it anew.`
      : `Wait: the claim is bound when the copy is complete. Do not recreate it, which would start the copy anew. If it takes longer than a copy of that much data should, ask ${owner} for ${look}.`,
    commands,
  );
}

function copyView(c: PresentClaim, driver: string): readonly [readonly string[], string] {
  if (!/cephfs/.test(driver)) return [[], ''];
  const fileSystem = c.storageClassObject?.parameters?.['fsName'];
  const name = fileSystem === undefined ? 'PLACEHOLDER_FS' : shellWord(fileSystem);
  return [
    [
      `ceph fs subvolume ls ${name} --group_name csi`,
      `ceph fs clone status ${name} PLACEHOLDER_CLONE --group_name csi`,
    ],
    `. The lines show it where Ceph's tools are (PLACEHOLDER_CLONE: the latest name in the first line's output${fileSystem === undefined ? '; PLACEHOLDER_FS: the file system of the class' : ''})`,
  ];
}

function summaryOf(c: PresentClaim, error: ProvisionError, driver: string): string {
  const { code, sense, count } = error;
  const attempts = count > 1 ? ` (${count} attempts)` : '';
  // The code says already that it is slow.
  const service = ownServiceIn(c, error);
  const known = sense && sense.about !== 'slow' ? sense.meaning : undefined;
  const meaning = service ? ownServiceMeaning(service) : known;
  switch (sense?.about === 'throttling' ? undefined : code) {
    case 'DeadlineExceeded':
      return tellWords(`${driver} does not answer in time when asked to create the volume${attempts}`, error, meaning);
    case 'Aborted':
      if (hasOwnWords(error)) break;
      return tellWords(
        `An earlier call of ${driver} for the same volume has not returned${attempts}`,
        error,
        meaning ?? 'this does not say that the volume exists; why the first call hangs is not in this text',
      );
    case 'Canceled':
      return tellWords(
        `The call to create the volume was cut off before ${driver} answered${attempts}`,
        error,
        meaning,
      );
    case 'Unavailable':
      if (hasAnswered(error)) break;
      return tellWords(`${driver} is not available to create the volume${attempts}`, error, meaning);
    default:
  }
  return tellWords(`${driver} cannot create the volume now${attempts}`, error, meaning);
}

/** Words of its own behind UNAVAILABLE: the driver runs, and something that it needs does not. */
function hasAnswered({ code, text, sense }: ProvisionError): boolean {
  return (
    code === 'Unavailable' &&
    text !== '' &&
    sense?.about !== 'socket' &&
    (!isWithoutAnswer(text) || overNetworkText.test(text))
  );
}

/** The provisioner itself is alive: then it is the driver, or what is behind it, that does not answer. */
function leaseOf(c: PresentClaim): Lease | undefined {
  const provisioner = externalProvisionerOf(c);
  const { lease } = provisioner ? controllerOf(c, provisioner) : {};
  return lease?.state === 'fresh' ? lease.object : undefined;
}

function lifeEvidence(c: PresentClaim): Evidence[] {
  const lease = leaseOf(c);
  return lease ? [field(lease, 'spec.renewTime')] : [];
}

function lifeText(c: PresentClaim, { code }: ProvisionError): string {
  const renewed = parseTime(leaseOf(c)?.spec?.renewTime);
  if (code !== 'DeadlineExceeded' || renewed === undefined) return '';
  return ` The provisioner itself is running (lease renewed ${ageText(renewed, Math.max(renewed, c.now))} ago).`;
}

function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  const { sense, code } = error;
  if (sense?.about === 'throttling') return senseFix(c, error);
  const own = sense?.about === 'slow' || sense?.about === 'socket' ? [] : senseFix(c, error);
  switch (code) {
    case 'Aborted':
      if (hasOwnWords(error)) return [...(own.length > 0 ? own : [waitFor(c, error)]), ...logsOf(c)];
      return [...own, askStorage, ...dropCall(c)];
    case 'DeadlineExceeded':
      return [...own, ...restartDriver(c, askForPath(c)), ...raiseTimeout(c)];
    default:
      if (hasAnswered(error)) return [...(own.length > 0 ? own : [correctWhatIsNamed]), ...logsOf(c)];
      return [...own, ...restartDriver(c)];
  }
}

const correctWhatIsNamed = fix(
  'Restore what the driver names: it answers itself, and something that it needs does not. The next retry, ' +
    'within 5 minutes, then succeeds.',
);

const askStorage = fix(
  'Ask your storage team whether the storage answers writes (pool full, degraded, or not reachable from ' +
    'the pod of the driver). Once the first call ends, the next retry succeeds.',
);

/** ABORTED with words that are not about a call that still runs. */
function hasOwnWords({ text }: ProvisionError): boolean {
  return text !== '' && !isOpaque(text) && !pendingTexts.test(text);
}

/** CSI spec: ABORTED is to be tried again. */
function waitFor(c: PresentClaim, error: ProvisionError): Fix {
  const spoken = spokenParameter(c, error);
  const about = spoken ? ` about "${spoken.value}" (${spoken.name} of StorageClass "${c.class.name}")` : '';
  const owner = ownerOfStorage(externalProvisionerOf(c)?.name) ?? 'your storage team';
  return fix(
    'Wait: by its code (Aborted) the driver wants the call repeated, and it is, automatically, at most 5 ' +
      `minutes apart. If the words stay the same, ask ${owner}${about} to end what they name.`,
  );
}

/** A driver keeps running calls in memory: a new process knows none of them. */
function dropCall(c: PresentClaim): Fix[] {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods, workload } = provisioner ? controllerOf(c, provisioner) : {};
  const pod = leader ?? pods?.items[0];
  return pod
    ? [
        restartFix(
          pod,
          workload,
          'Do so only when the storage is healthy: a new process does not know the call that hangs.',
        ),
      ]
    : [];
}

/** A probe asks no storage: a driver that answers it waits for its storage itself. */
function askForPath(c: PresentClaim): string {
  const provisioner = externalProvisionerOf(c);
  const { leader, pods } = provisioner ? controllerOf(c, provisioner) : {};
  const node = (leader ?? pods?.items[0])?.spec?.nodeName;
  const from = node === undefined ? 'the pod of the driver' : `${node}, where the controller of the driver runs`;
  return (
    'ask your storage and network teams whether the storage accepts writes (not full, not degraded) and can ' +
    `be reached on all its data ports from ${from}; the next retry, within 5 minutes, then succeeds.`
  );
}

/** external-provisioner --timeout: 10 s unless set. */
function raiseTimeout(c: PresentClaim): Fix[] {
  const provisioner = externalProvisionerOf(c);
  const command = provisioner && addFlag(controllerOf(c, provisioner), 'provisioner', 'timeout', '60s');
  const text =
    'Only if the storage is healthy and known to be slow: set --timeout=60s on the provisioner (10 s unless set).';
  return [steps(text, command === undefined ? [] : [command], 'disruptive')];
}
