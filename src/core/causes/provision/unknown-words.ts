import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { linesAbout, steps } from '../lib/steps.ts';
import { ownerOfStorage } from '../lib/storage-behind.ts';
import { logsOf } from './driver-answer.ts';
import { spokenParameter } from './blamed-parameter.ts';
import { limitFix } from './named-limit.ts';
import { giveBlamedValue, giveSpokenValue } from './other-value.ts';
import type { ProvisionError } from './provision-error.ts';
import { useWorkingClass } from './working-class.ts';

/** The pods that the provisioner creates for this volume end with its name; it deletes them after each attempt. */
export function inspectHelper(c: PresentClaim): Fix {
  const volume = `pvc-${c.claim.metadata.uid ?? ''}`;
  return steps(
    `Find out what keeps the helper pod of ${volume} from ending: most often its image cannot be pulled on ` +
      'the node, or no pod can start there. The first line shows the pod during an attempt, the second its ' +
      'events. Correct what they name; the provisioner tries again automatically.',
    [`kubectl get pods -A -o wide | grep ${shellWord(volume)}`, `kubectl get events -A | grep ${shellWord(volume)}`],
  );
}

const retried = 'The claim is retried automatically within 5 minutes.';

/** The log of the driver around this volume; where the pod is not known, first how to find it. */
function readLog(c: PresentClaim, text: string, isWhole = false): Fix {
  const uid = c.claim.metadata.uid;
  const [known] = logsOf(c);
  const about = (command: string): string =>
    uid === undefined || isWhole ? command : linesAbout(command, `pvc-${uid}`);
  if (known?.command !== undefined) return steps(text, [about(known.command)]);
  return steps(
    `${text} The first line lists the pods with a provisioner (PLACEHOLDER_NAMESPACE, PLACEHOLDER_POD); ` +
      'the driver is a container next to it.',
    [
      'kubectl get pods -A -o ' +
        "custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' " +
        '| grep -i provisioner',
      about('kubectl -n PLACEHOLDER_NAMESPACE logs PLACEHOLDER_POD --all-containers --since=30m'),
    ],
  );
}

/** The words give no reason: only the log can. */
export function adviseOpaque(c: PresentClaim, driver: string): Fix[] {
  return [
    readLog(
      c,
      'Read in the log of the driver, which runs next to the provisioner, what it logged before this ' +
        `error, and correct what that names. ${retried}`,
      true,
    ),
    fix(
      `If the log says no more, ask the vendor of ${driver} what the quoted error means: neither its code nor its words name a reason.`,
    ),
  ];
}

/**
 * What helps with words that no rule knows: the code shows who can act (CSI spec, error scheme), and the log has more
 * than the event.
 */
export function adviseUnknown(c: PresentClaim, error: ProvisionError, driver: string): Fix[] {
  const owner = ownerOfStorage(driver) ?? 'your storage team';
  const uid = c.claim.metadata.uid;
  const volume = uid === undefined ? 'the volume of this claim' : `volume pvc-${uid}`;
  if (isOpaque(error.text)) return adviseOpaque(c, driver);
  const limit = limitFix(c, error.text);
  if (limit) return [limit, ...logsOf(c)];
  const spoken = spokenParameter(c, error);
  const named = [...(spoken ? giveSpokenValue(c, error) : giveBlamedValue(c, error)), ...useWorkingClass(c)];
  if (error.code === 'FailedPrecondition')
    return [
      fix(
        `Ask ${owner} to bring about the state that ${driver} wants, by the words quoted above: the ` +
          `request is valid, and the storage is not in a state to serve it. ${retried}`,
      ),
      ...named,
      ...logsOf(c),
    ];
  if (error.code === 'NotFound')
    return [
      ...named,
      fix(
        `${named.length > 0 ? 'Or ask' : 'Ask'} ${owner} for what the error says is missing: create it ` +
          `there, let the account of ${driver} see it, or correct its name in StorageClass "${c.class.name}" ` +
          `or in the settings of the driver. ${retried}`,
      ),
      ...logsOf(c),
    ];
  if (spoken)
    return [
      readLog(
        c,
        `Ask ${owner} what keeps "${spoken.value}" (${spoken.name} of StorageClass "${c.class.name}") from ` +
          'taking the volume, with the quoted words and the lines of the log of the driver around them, and ' +
          `to correct that. ${retried}`,
      ),
      ...named,
    ];
  return [
    readLog(
      c,
      `Ask ${owner}, with the quoted words and the lines of the log of the driver around them, why the ` +
        `storage does not create ${volume}, and correct what they name: on the storage, in StorageClass ` +
        `"${c.class.name}" or in the settings of ${driver}. ${retried}`,
    ),
    ...named,
  ];
}
