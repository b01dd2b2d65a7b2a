import type { Fix } from '../../report/report.ts';
import { grantFix } from '../lib/grant.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { accountForbiddenText, attacherOwnTexts, attacherTexts } from '../lib/driver-error/senses/kubernetes.ts';
import {
  brokenStateTexts,
  operationPendingTexts,
  saysTimeout,
  saysTransition,
} from '../lib/driver-error/senses/time.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { answerOf, driverAnswerOf, driverLogs, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleText } from './holding-node.ts';

/** Until then a volume that the storage is still working on is a wait. */
const transitionSeconds = 600;

/** Any other answer: the attacher repeats the call without end, and only the words of the answer show what to do. */
export const attachRpcError = attachRules('attach-rpc-error', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || saysTimeout(error) || isExplained(error)) return undefined;
  // The same words have a cause of their own.
  if (driverAnswerOf(trouble) && saysAttachedElsewhere(error) && !saysCredentials(error)) return undefined;
  const isPassing =
    !brokenStateTexts.test(error.raw) && (operationPendingTexts.test(error.raw) || saysTransition(error.raw));
  const isWait = isPassing && trouble.waitedSeconds < transitionSeconds;
  return {
    confidence: confidenceOf(trouble),
    ...(isWait && { severity: 'info' as const }),
    summary: `${refusalText(trouble, error, 'could not attach')}${isPassing ? ' An earlier operation on the volume has not finished.' : meaningText(error)}`,
    evidence: [error.evidence],
    fix: isWait ? [waitFix(trouble)] : fixesFor(trouble, error, isPassing),
  };
});

/** Words of the attacher that have causes of their own; a secret that exists by now is left to this one. */
function isExplained({ raw }: AttachError): boolean {
  return attacherOwnTexts.test(raw) && !(attacherTexts.secret.test(raw) && !/forbidden|not found/.test(raw));
}

function meaningText({ raw }: AttachError): string {
  const sense = senseOf(raw);
  if (!sense || sense.about === 'slow') return '';
  return ` ${sense.meaning.charAt(0).toUpperCase()}${sense.meaning.slice(1)}.`;
}

/** What the advice for a claim says about its next attempt. */
const retryOfClaim =
  / The (?:(?:claim is then provisioned|claim is retried|call is repeated) automatically|next retry|call is repeated automatically, and succeeds)[^.]*\.$/;

/** A volume whose place the scheduler does not know; an affinity can be added once to a volume that has none. */
function zoneFix(trouble: AttachTrouble): Fix {
  const volume = volumeObjectOf(trouble);
  const pod = trouble.use?.p.pod;
  if (!volume || volume.spec?.nodeAffinity?.required || !pod)
    return steps(
      `Let the pod run on a node in the zone of the volume, which the words above name. The volume is then attached there.`,
      [],
    );
  return steps(
    `Tell the scheduler where the volume is, since pv/${volume.metadata.name} has no node affinity, and recreate the pod. PLACEHOLDER_ZONE is the zone of the volume as the label topology.kubernetes.io/zone of the nodes has it (first line). The pod then runs there and keeps its data.`,
    [
      'kubectl get nodes -L topology.kubernetes.io/zone',
      patchCommand(volume, {
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['PLACEHOLDER_ZONE'] },
                  ],
                },
              ],
            },
          },
        },
      }),
      ...restartPodCommands(pod),
    ],
  );
}

/** Longhorn keeps the state of its volumes in objects of the cluster. */
function repairFix(trouble: AttachTrouble, name: string): Fix {
  const handle = volumeObjectOf(trouble)?.spec?.csi?.volumeHandle;
  const isLonghorn = trouble.driver === 'driver.longhorn.io' && handle !== undefined;
  return steps(
    `Ask your storage team to repair ${name}: its disks, its replicas and the machines that hold them have to be up and have free space${isLonghorn ? '; its conditions name what is missing' : ''}. Do not recreate it. ${retryText(trouble)}`,
    isLonghorn
      ? [`kubectl get volumes.longhorn.io -A -o yaml --field-selector metadata.name=${shellWord(handle)}`]
      : [],
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
  if (isPassing)
    return [
      steps(
        `Ask your storage team which operation holds ${name}, and to finish or cancel it. ${retryText(trouble)}`,
        [],
      ),
      ...driverLogs(trouble),
    ];
  const sense = senseOf(error.raw);
  if (sense?.about === 'zone') return [zoneFix(trouble), ...driverLogs(trouble)];
  if (sense?.about === 'state') return [repairFix(trouble, name), ...driverLogs(trouble)];
  const advice = sense?.advice;
  return [
    advice === undefined
      ? steps(
          `Ask your storage team, with the quoted words, why ${name} cannot be attached to ${trouble.node}, and correct what they name. ${retryText(trouble)}`,
          [],
        )
      : steps(`${advice.replace(retryOfClaim, '')} ${retryText(trouble)}`, []),
    ...driverLogs(trouble),
  ];
}
