import { componentOf } from '../../graph/events.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import { controllerOf, isInTree, provisionerOf } from './provisioner.ts';
import type { ErrorKind } from '../lib/driver-error/provision-failure.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
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
      const { evidence = [], ...answer } = tell(c, error, driverOf(c, error));
      return { confidence: 'likely', ...answer, evidence: [eventSaid(c.claim, error.event), ...evidence] };
    },
  });
}

/** By the class, or by the source of the event, which is DRIVER_POD_UUID. */
function driverOf(c: PresentClaim, { event }: ProvisionError): string {
  return provisionerOf(c)?.name ?? c.askedProvisioner ?? (componentOf(event).split(/[_ ]/)[0] || 'the provisioner');
}

/** The log of the driver next to the provisioner says more than the event. */
export function logsOf(c: PresentClaim): Fix[] {
  const provisioner = provisionerOf(c);
  return provisioner && !isInTree(provisioner) ? [logsFix(controllerOf(c, provisioner), 'driver')] : [];
}

export function senseFix({ sense }: ProvisionError): Fix[] {
  return sense?.advice === undefined ? [] : [fix(sense.advice, sense.command)];
}

export interface NamedParameter {
  readonly name: string;
  readonly value: string;
}

/** Parameters of the class whose name or value the error mentions. */
export function namedParameters(c: PresentClaim, { text }: ProvisionError): NamedParameter[] {
  const words = new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9._/-]+/)
      .map((word) => word.replace(/^[./-]+|[./-]+$/g, '')),
  );
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name, value]) => words.has(name.toLowerCase()) || (isTelling(value) && words.has(value.toLowerCase())))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}

/** A flag or a small number appears in many errors by chance. */
function isTelling(value: string): boolean {
  return value.length > 1 && !/^(?:true|false|\d{1,2})$/i.test(value);
}

export function parameterEvidence(c: PresentClaim, parameters: readonly NamedParameter[]): Evidence[] {
  const storageClass = c.storageClassObject;
  return storageClass ? parameters.map(({ name, value }) => field(storageClass, `parameters[${name}]`, value)) : [];
}

export function parameterWords(parameters: readonly NamedParameter[]): string {
  return parameters.map(({ name, value }) => `${name}=${value}`).join(', ');
}

/** The text without what differs from volume to volume, so that the same error of many claims folds into one finding. */
export function skeletonOf(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}/gi, '*')
    .replace(/\b(?=\w*\d)\w{8,}\b/g, '*')
    .replace(/\d+/g, '#');
}

/** The driver's own words, for a summary. */
function quoteOf({ text, sense }: ProvisionError): string {
  return quoteWords(text, sense?.words);
}

/** What the error means in plain words, and the driver's own next to it, since only they have names and figures. */
export function meaningOf(error: ProvisionError, meaning: string | undefined = error.sense?.meaning): string {
  return meaning === undefined ? quoteOf(error) : `${meaning} (${quoteOf(error)})`;
}
