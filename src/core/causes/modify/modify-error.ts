import type { Fix } from '../../report/report.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { changeRateTexts, changeRateWords } from '../lib/driver-error/senses/capacity.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { resizerRetries, volumeOf } from '../expand/expansion.ts';
import { unusedWords } from '../lib/driver-error/in-use-words.ts';
import { stopAndStart } from '../expand/pod-restart.ts';
import { changeSenseOf, driverLog, fixesForChange } from '../expand/storage-fixes.ts';
import { takeBack } from './class-change.ts';
import { modificationOf, modifyEvidence } from './modification.ts';
import { keptRefusal, refusalOf, refusalWords } from './refused-modification.ts';
import type { ModifyRefusal } from './refused-modification.ts';

/** How long an error that may pass is left to the resizer's retries. */
const patienceSeconds = 600;

/** external-resizer markControllerModifyVolumeStatus. */
export const modifyError = claimRule({
  cause: 'modify-error',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const refusal = findLastingRefusal(c);
    if (!refusal) return undefined;
    const { target } = modificationOf(c);
    const driver = volumeOf(c)?.spec?.csi?.driver;
    return {
      confidence: keptRefusal(c) === undefined ? 'likely' : 'certain',
      summary: summarize(c, driver, target, refusal),
      evidence: [...modifyEvidence(c), refusal.evidence],
      fix: adviceFor(c, driver, refusal),
    };
  },
});

function summarize(c: PresentClaim, driver: string | undefined, target: string, refusal: ModifyRefusal): string {
  const meaning = meaningOf(refusal);
  return [
    sentence(
      `${driver ?? 'The driver'} could not give the volume of pvc/${c.name} the attributes of ` +
        `VolumeAttributesClass "${target}": ${refusalWords(refusal)}`,
    ),
    ...(meaning === undefined ? [] : [meaning]),
    'The volume stays in use as it is.',
  ].join(' ');
}

function meaningOf(refusal: ModifyRefusal): string | undefined {
  if (isRateLimited(refusal)) return 'The storage allows a volume to be changed only once in a while.';
  if (refusal.code === 'Unimplemented') return 'The driver does not implement this change.';
  return unusedWords.test(refusal.words)
    ? 'The storage changes it only while no machine has it attached.'
    : changeSenseOf(refusal.words)?.meaning;
}

function isRateLimited({ words }: ModifyRefusal): boolean {
  return changeRateTexts.test(words);
}

function adviceFor(c: PresentClaim, driver: string | undefined, refusal: ModifyRefusal): Fix[] {
  if (isRateLimited(refusal))
    return [
      steps(
        `Wait until the storage allows the next change (${changeRateWords(refusal.words)}). The resizer keeps trying and then succeeds.`,
        [],
      ),
      takeBack(c, 'if the change is no longer wanted, '),
    ];
  if (refusal.code === 'Unimplemented')
    return [
      takeBack(c, 'since this release of the driver cannot change volumes, '),
      steps(
        `Or upgrade ${driver ?? 'the driver'} to a release that implements ControllerModifyVolume for such volumes. ${resizerRetries}`,
        [],
      ),
      ...driverLog(c, driver),
    ];
  if (unusedWords.test(refusal.words)) return [pauseFix(c), takeBack(c, 'if the change can wait, ')];
  const specific = fixesForChange(c, driver, changeSenseOf(refusal.words), refusal.words, resizerRetries);
  const general = steps(
    `Ask your storage team, with the quoted words, what keeps ${driver ?? 'the driver'} from changing ` +
      `volume ${volumeOf(c)?.spec?.csi?.volumeHandle ?? c.volumeName}, and correct that. ${resizerRetries}`,
    [],
  );
  return [
    ...(specific.length > 0 ? specific : [general]),
    takeBack(c, 'if the reason cannot be removed, '),
    ...driverLog(c, driver),
  ];
}

/** The driver wants the volume detached; the resizer repeats the change meanwhile. */
function pauseFix(c: PresentClaim): Fix {
  const { stop, start, words } = stopAndStart(c);
  const { target } = modificationOf(c);
  return steps(
    'Stop the pods that use the claim, wait until the volume has the class (at most 5 minutes until the ' +
      `next try), and start them again.${words === '' ? '' : ` ${words}`}`,
    [
      ...stop,
      `kubectl ${inNamespace(c.namespace)}wait pvc/${shellWord(c.name)} ` +
        `--for=jsonpath='{.status.currentVolumeAttributesClassName}'=${shellWord(target)} --timeout=10m`,
      ...start,
    ],
    'disruptive',
  );
}

function findLastingRefusal(c: PresentClaim): ModifyRefusal | undefined {
  const { state } = modificationOf(c);
  const refusal = state === 'Infeasible' ? undefined : refusalOf(c);
  if (!refusal) return undefined;
  // An event alone may be about a change that has ended since.
  if (keptRefusal(c) === undefined && state !== 'InProgress') return undefined;
  const since = modifySince(c);
  const isRecent = since !== undefined && (c.now - since) / 1000 < patienceSeconds;
  return mayPass(refusal.code) && isRecent ? undefined : refusal;
}
