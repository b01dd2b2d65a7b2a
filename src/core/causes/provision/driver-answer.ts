import { componentOf, lastSeen } from '../../graph/events.ts';
import { knownLogs } from '../../facts/driver/drivers.ts';
import { ageText } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { sentence } from '../lib/sentence.ts';
import { addressed } from '../lib/storage-behind.ts';
import { spokenParameter } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { controllerOf, isInTree, provisionerOf } from './provisioner.ts';
import type { ErrorKind } from '../lib/driver-error/provision-failure.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { addressIn, hostIn, refusedText, unresolvedTexts } from '../lib/driver-error/senses/network.ts';
import { ownServiceIn, reviveOwnService } from './own-service.ts';
import { newerStateOf, retryText } from './overcome-error.ts';
import { provisionErrorOf } from './provision-error.ts';
import type { ProvisionError } from './provision-error.ts';

/** What a rule of this family adds to the driver's own words. */
export type Answer = Pick<Explanation, 'severity' | 'about' | 'summary' | 'fix'> & {
  readonly evidence?: readonly Evidence[];
};

/** The driver answered CreateVolume with an error of this kind; only the event keeps it. */
export function answerRule(
  cause: string,
  kind: ErrorKind,
  tell: (c: PresentClaim, error: ProvisionError, driver: string) => Answer,
): ClaimRule {
  return claimRule({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain(c) {
      const error = provisionErrorOf(c);
      if (error?.kind !== kind) return undefined;
      const driver = driverOf(c, error);
      const past = tellHistory(c, error, driver);
      if (past) return past;
      const { evidence = [], ...answer } = tell(c, error, driver);
      return {
        confidence: 'likely',
        ...answer,
        ...(error.echo !== undefined && {
          summary: `${answer.summary} Its later answer (${quoteWords(error.echo)}) most likely follows from that: each retry repeats the name of the first request.`,
          fix: [...answer.fix.map(withoutPromise), renameRequest(c)],
        }),
        evidence: [
          eventSaid(c.claim, error.event),
          ...(error.latest ? [eventSaid(c.claim, error.latest)] : []),
          ...evidence,
        ],
      };
    },
  });
}

/** The next retry of this claim does not succeed: it has the old name. */
function withoutPromise(each: Fix): Fix {
  return {
    ...each,
    text: each.text.replace(/ The (?:next retry|claim|call)\b[^.]*\b(?:succeeds|automatically)\b[^.]*\./g, ''),
  };
}

/** The name of the volume comes from the uid of the claim. */
function renameRequest(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    'as it is once that is corrected, and not before',
    { spec: {} },
    'Its new uid gives the request a new name: the old one stays refused.',
  );
}

/** The error is older than what replaced its reason: a wait, not a fault. */
function tellHistory(c: PresentClaim, error: ProvisionError, driver: string): Explanation | undefined {
  const seen = lastSeen(error.event);
  const state = newerStateOf(c, seen);
  if (!state) return undefined;
  return {
    severity: 'info',
    confidence: 'likely',
    about: driver,
    summary:
      `The last attempt of ${driver} failed ${ageText(seen, c.now)} ago (${quoteOf(error)}), and ` +
      `${state.words} since. ${retryText(c, seen)}`,
    evidence: [state.evidence, eventSaid(c.claim, error.event)],
    fix: [],
  };
}

/** By the class, or by the source of the event, which is DRIVER_POD_UUID. */
function driverOf(c: PresentClaim, { event }: ProvisionError): string {
  return provisionerOf(c)?.name ?? c.askedProvisioner ?? (componentOf(event).split(/[_ ]/)[0] || 'the provisioner');
}

/** The log of the driver next to the provisioner says more than the event. */
export function logsOf(c: PresentClaim): Fix[] {
  const provisioner = provisionerOf(c);
  return provisioner && !isInTree(provisioner) ? knownLogs(controllerOf(c, provisioner), 'driver') : [];
}

/** Advice that belongs to the meaning of the words, addressed to the team that runs the storage of this driver. */
export function senseFix(c: PresentClaim, error: ProvisionError): Fix[] {
  const { sense } = error;
  if (sense?.advice === undefined) return [];
  const service = ownServiceIn(c, error);
  if (service) return reviveOwnService(c, service);
  const advice =
    (sense.about === 'network' && networkAdvice(c, error)) || (sense.about === 'unseen' && bothAdvice(c, error));
  return [fix(addressed(advice || sense.advice, provisionerOf(c)?.name), sense.command)];
}

/** The right and the thing in question, where the text and the class name them. */
function bothAdvice(c: PresentClaim, error: ProvisionError): string | undefined {
  const { action, caller } = rightIn(error.text);
  const thing = spokenParameter(c, error);
  if (action === undefined && !thing) return undefined;
  const right = action === undefined ? 'has the rights that it needs there' : `has the right ${action}`;
  const exists = thing
    ? `"${thing.value}" (${thing.name} of StorageClass "${c.class.name}") exists`
    : 'what the class and the settings of the driver name exists where it looks';
  return (
    'Ask the owner of the storage account to check both: that ' +
    `${caller ?? 'the identity with which the driver works'} ${right}, and that ${exists}. The call is ` +
    'repeated automatically.'
  );
}

/** With the address or name in the text; a host that refuses the connection is reached. */
function networkAdvice(c: PresentClaim, { text }: ProvisionError): string | undefined {
  const host = unresolvedTexts.test(text) ? hostIn(text) : undefined;
  if (host !== undefined)
    return (
      `Correct the name "${host}" in the class, the Secret or the settings of the driver, or make it known ` +
      'in the DNS that the controller of the driver uses. The call is repeated automatically.'
    );
  const address = unresolvedTexts.test(text) ? undefined : (addressIn(text) ?? serverOf(c));
  if (address === undefined) return undefined;
  return refusedText.test(text)
    ? `Ask the storage team to start the service on ${address}: the host answers, and nothing listens there. ` +
        'If the address is wrong, correct it in the class, the Secret or the settings of the driver. The call ' +
        'is repeated automatically.'
    : `Ask the network team to open the path from the pod of the driver to ${address} (routes, firewall), or ` +
        'correct the address in the class, the Secret or the settings of the driver. The call is repeated ' +
        'automatically.';
}

/** The server that the class names: `server`, or the host of `//host/share` and `host:/export`. */
function serverOf(c: PresentClaim): string | undefined {
  const { server, source, nfsServer } = c.storageClassObject?.parameters ?? {};
  const host = /^(?:\/\/)?([\w-]+(?:\.[\w-]+)*)/.exec(server ?? nfsServer ?? source ?? '')?.[1];
  return host === undefined ? undefined : `${host}, which StorageClass "${c.class.name}" names`;
}

export function parameterEvidence(c: PresentClaim, parameters: readonly NamedParameter[]): Evidence[] {
  const storageClass = c.storageClassObject;
  return storageClass ? parameters.map(({ name, value }) => field(storageClass, `parameters[${name}]`, value)) : [];
}

export function parameterWords(parameters: readonly NamedParameter[]): string {
  return parameters.map(({ name, value }) => `${name}=${value}`).join(', ');
}

/**
 * The text without what differs from volume to volume, so that the same error of many claims folds into one finding.
 */
export function skeletonOf(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}/gi, '*')
    .replace(/\b(?=\w*\d)\w{8,}\b/g, '*')
    .replace(/\d+/g, '#');
}

/** The driver's own words, for a summary; where it gave none, its code. */
function quoteOf({ text, sense, code }: ProvisionError): string {
  return text === '' ? `"code = ${code ?? 'Unknown'}", without a description` : quoteWords(text, sense?.words);
}

/** `intro: "the words".`, and what they mean where they prove more than they say at first sight. */
export function tellWords(intro: string, error: ProvisionError, meaning?: string): string {
  const said = sentence(`${intro}: ${quoteOf(error)}`);
  return meaning === undefined ? said : `${said} ${sentence(capitalise(meaning))}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
