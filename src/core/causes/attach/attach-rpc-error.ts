import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { grantFix } from '../lib/grant.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { saysLimit } from '../lib/driver-error/senses/capacity.ts';
import { powerCycleTexts, saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { spelledOut } from '../lib/driver-error/spelled-out.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import {
  accountForbiddenText,
  attacherOwnTexts,
  attacherTexts,
  secretUnreadableTexts,
  userForbiddenText,
} from '../lib/driver-error/senses/kubernetes.ts';
import {
  brokenStateTexts,
  operationPendingTexts,
  saysTimeout,
  saysTransition,
} from '../lib/driver-error/senses/time.ts';
import { refusedRequestStatus } from '../lib/driver-error/senses/http.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { linesAbout, steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import type { StorageView } from '../lib/storage-view.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { answerOf, driverAnswerOf, driverLogs, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { slotFixes } from './attach-rpc-limit.ts';
import { missesSomething } from './attach-rpc-not-found.ts';
import { fullMachineEvidence, fullMachineOf, fullMachineText } from './machine-limit.ts';
import { ownPartFix } from './node-registry.ts';
import { powerCycleFixes } from './power-cycle.ts';
import { unplacedReplicasIn } from './unplaced-replicas.ts';
import {
  wrongAttributeEvidence,
  wrongAttributeFixes,
  wrongAttributeIn,
  wrongAttributeText,
} from './wrong-attribute.ts';
import { missingPartIn, partEvidence, partFix, partText } from './storage-part.ts';
import { handleText } from './holding-node.ts';
import { machineFix, zoneFix } from './other-node-fixes.ts';

/** Until then a volume that the storage is still working on is a wait. */
const transitionSeconds = 600;

/** Any other answer: the attacher repeats the call without end, and only the words of the answer show what to do. */
export const attachRpcError = attachRules('attach-rpc-error', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || saysTimeout(error) || isExplained(error)) return undefined;
  // The same words have a cause of their own.
  if (driverAnswerOf(trouble) && saysAttachedElsewhere(error) && !saysCredentials(error)) return undefined;
  // So have a full machine, what the storage does not find, and a refusal of the driver's rights.
  if (driverAnswerOf(trouble) && (saysLimit(error) || missesSomething(trouble))) return undefined;
  if (driverAnswerOf(trouble) && saysCredentials(error) && !userForbiddenText.test(error.raw)) return undefined;
  // Some drivers answer ABORTED to what no retry changes.
  const isFixed = /^(?:zone|machine)$/.test(attachSenseOf(error.raw)?.about ?? '');
  const isPassing =
    !isFixed &&
    missingPartIn(trouble, error) === undefined &&
    !brokenStateTexts.test(error.raw) &&
    (operationPendingTexts.test(error.raw) || saysTransition(error.raw));
  const isWait = isPassing && trouble.waitedSeconds < transitionSeconds;
  return {
    confidence: confidenceOf(trouble),
    ...(isWait && { severity: 'info' as const }),
    summary: `${refusalText(trouble, error, 'could not attach')}${isPassing ? ' An earlier operation on the volume or its machine has not finished.' : meaningText(trouble, error)}`,
    evidence: [error.evidence, ...(isPassing ? [] : (readingOf(trouble, error)?.evidence ?? []))],
    fix: isWait ? [waitFix(trouble)] : fixesFor(trouble, error, isPassing),
  };
});

/** Words of the attacher that have causes of their own; a secret that exists by now is left to this one. */
function isExplained({ raw }: AttachError): boolean {
  return attacherOwnTexts.test(raw) && !(attacherTexts.secret.test(raw) && !secretUnreadableTexts.test(raw));
}

/** What a class names was found long ago: the volume exists. Here the error misses something else. */
function attachSenseOf(raw: string): ReturnType<typeof senseOf> {
  const sense = senseOf(raw) ?? senseOf(spelledOut(raw) ?? '');
  const isStatus = sense !== undefined && refusedRequestStatus.test(sense.words);
  return (sense?.about === 'missing' || sense?.about === 'parameter') && isStatus ? undefined : sense;
}

function meaningText(trouble: AttachTrouble, error: AttachError): string {
  return readingOf(trouble, error)?.text ?? senseText(error);
}

/** What the words and the objects together show, where they show more than the words. */
interface Reading {
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

function readingOf(trouble: AttachTrouble, error: AttachError): Reading | undefined {
  const logs = driverLogs(trouble);
  const missing = missingPartIn(trouble, error);
  if (missing)
    return {
      text: partText(missing),
      evidence: partEvidence(missing),
      fix: [
        partFix(trouble, missing) ??
          ownPartFix(trouble, missing.name ?? trouble.node) ??
          agentFix(trouble, missing.name),
        ...logs,
      ],
    };
  const wrong = wrongAttributeIn(trouble, error);
  if (wrong)
    return {
      text: wrongAttributeText(wrong),
      evidence: wrongAttributeEvidence(trouble, wrong),
      fix: wrongAttributeFixes(trouble, wrong),
    };
  const unplaced = unplacedReplicasIn(trouble, error);
  if (unplaced) return { ...unplaced, fix: [...unplaced.fix, ...logs] };
  const full = attachSenseOf(error.raw) ? undefined : fullMachineOf(trouble);
  return (
    full && {
      text: fullMachineText(trouble, full),
      evidence: fullMachineEvidence(trouble, full),
      fix: [...slotFixes(trouble, full.attached), ...logs],
    }
  );
}

function senseText({ raw, code }: AttachError): string {
  const sense = attachSenseOf(raw);
  if (!sense && code === 'AlreadyExists')
    return ' The code says that the volume is attached to this node already, in another access mode or read-only.';
  if (!sense || sense.about === 'slow') return '';
  return ` ${sense.meaning.charAt(0).toUpperCase()}${sense.meaning.slice(1)}.`;
}

/** What the advice for a claim says about its next attempt. */
const retryOfClaim =
  / The (?:(?:claim is then provisioned|claim is retried|call is repeated) automatically|next retry|call is repeated automatically, and succeeds)[^.]*\.$/;

export function repairFix(trouble: AttachTrouble, name: string): Fix {
  const view = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  return steps(
    `Ask ${view.team} to repair ${name}: its disks, its replicas and the machines that hold them have to ` +
      `be up and have free space. Do not recreate it.${viewWords(view)} ${retryText(trouble)}`,
    viewCommands(view),
  );
}

function agentFix(trouble: AttachTrouble, node = trouble.node): Fix {
  const view = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  return steps(
    `Ask ${view.team} to get the part of the storage running again that the error names, on the node that ` +
      `it names: the first line lists the pods on ${node}; those of the storage have to be ` +
      `ready.${view.shows === undefined ? '' : ` The second line shows ${view.shows}.`} ${retryText(trouble)}`,
    [`kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`, ...viewCommands(view)],
  );
}

/** The state decides, and only the storage shows it. */
function availableFix(trouble: AttachTrouble, name: string): Fix {
  const view = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  return steps(
    `Ask ${view.team} for the state of ${name}, and to bring it to "available". In use: find the machine ` +
      'that has it, and have it detached there once nothing on it has it mounted. Creating, or any other ' +
      `passing state: wait. Error or deleted: restore a snapshot or a backup. ${retryText(trouble)}`,
    viewCommands(view),
  );
}

function waitFix(trouble: AttachTrouble): Fix {
  return steps(`Wait until the operation has finished. ${retryText(trouble)}`, []);
}

function fixesFor(trouble: AttachTrouble, error: AttachError, isPassing: boolean): Fix[] {
  const { driver } = trouble;
  if (accountForbiddenText.test(error.raw)) return [grantFix(error.raw, driver, retryText(trouble))];
  const volume = volumeObjectOf(trouble);
  const name = handleText(volume) ?? trouble.volumeText;
  const view = storageViewOf(driver, volume);
  if (isPassing)
    return [
      steps(
        `Ask ${view.team} which operation holds ${name} or the machine of ${trouble.node}, and to finish ` +
          'or cancel it; repeat a detach that has failed, once nothing has the volume ' +
          `mounted.${viewWords(view)} ${retryText(trouble)}`,
        viewCommands(view),
      ),
      ...driverLogs(trouble),
    ];
  if (powerCycleTexts.test(error.words)) return powerCycleFixes(trouble);
  const reading = readingOf(trouble, error);
  if (reading) return [...reading.fix];
  const sense = attachSenseOf(error.raw);
  if (sense?.about === 'zone') return [zoneFix(trouble, error.raw), ...driverLogs(trouble)];
  if (sense?.about === 'machine') return [machineFix(trouble)];
  if (sense?.about === 'unavailable') return [availableFix(trouble, name), ...driverLogs(trouble)];
  if (sense?.about === 'state') return [repairFix(trouble, name), ...driverLogs(trouble)];
  const advice = sense?.advice;
  const logs = driverLogs(trouble);
  if (advice === undefined && isOpaque(error.words) && logs.length > 0)
    return [
      ...logs.map((each) => ({
        ...each,
        text:
          'Read in the log of the driver, which runs next to the attacher, what it logged before this error, ' +
          `and correct what that names. ${retryText(trouble)}`,
      })),
      steps(
        `If the log says no more, ask the vendor of ${driver ?? 'the driver'} what the quoted error means ` +
          `for ${name}: neither its code nor its words name a reason.`,
        [],
      ),
    ];
  if (advice !== undefined) return [steps(`${advice.replace(retryOfClaim, '')} ${retryText(trouble)}`, []), ...logs];
  const pod = trouble.use?.p.pod;
  if (error.code === 'AlreadyExists' && pod)
    return [
      steps(
        `Stop the pods on ${trouble.node} that use ${name}, and recreate this one: the volume is then ` +
          'detached, and attached in the way that the pod asks for.',
        restartPodCommands(pod),
        'disruptive',
      ),
      ...logs,
    ];
  return askWithLog(trouble, name, logs);
}

/**
 * Words that no rule knows: the team of the storage needs them, the state of the volume there, and the lines of the log
 * about it.
 */
function askWithLog(trouble: AttachTrouble, name: string, logs: Fix[]): Fix[] {
  const volume = volumeObjectOf(trouble);
  const handle = volume?.spec?.csi?.volumeHandle;
  const view = storageViewOf(trouble.driver, volume);
  const withLog = logs.length > 0 ? ' and the lines of the log of the driver around them' : '';
  const readLog = logs.flatMap(({ command = '' }) => (handle === undefined ? command : linesAbout(command, handle)));
  return [
    steps(
      `Ask ${view.team}, with the quoted words${withLog}, why ${name} cannot be attached to ` +
        `${trouble.node}, and correct what they name.${shownWords(view, logs.length)} ${retryText(trouble)}`,
      [...viewCommands(view), ...readLog],
    ),
  ];
}

function shownWords({ shows }: StorageView, logs: number): string {
  if (shows === undefined) return '';
  return ` The ${logs > 0 ? 'first command' : 'command'} shows ${shows}.`;
}
