import { nearestName } from '../../kube/names.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { lastSeen } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isNewer, retryText } from './overcome-error.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { attributesClassTexts } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner prepareProvision reads the VolumeAttributesClass before it calls the driver. */
export const provisionVacInvalid = claimRule({
  cause: 'provision-vac-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const name = c.claim.spec?.volumeAttributesClassName;
    if (!name) return undefined;
    const said = failure(c, attributesClassTexts);
    const why = `whether volume attributes class ${name} exists`;
    const lookup = c.ask.get('VolumeAttributesClass', undefined, name, why);
    if (lookup.state === 'found')
      return explainOtherDriver(c, lookup.object, said) ?? (said && tellHistory(c, lookup.object, said));
    if (lookup.state === 'missing') return explainAbsence(c, name, said, 'certain');
    if (said) return explainAbsence(c, name, said, 'likely');
    return isUnseen(c, name) ? explainAbsence(c, name, said, 'possible') : undefined;
  },
});

/** The class was created after the provisioner last missed it. */
function tellHistory(
  c: PresentClaim,
  attributesClass: ObjectOf<'VolumeAttributesClass'>,
  said: EventMatch,
): Explanation | undefined {
  const seen = lastSeen(said.event);
  const { name, creationTimestamp } = attributesClass.metadata;
  if (!isNewer(c, parseTime(creationTimestamp), seen)) return undefined;
  return {
    severity: 'info',
    about: name,
    summary: `VolumeAttributesClass "${name}" exists now; it was created after the provisioner last missed it. ${retryText(c, seen)}`,
    evidence: [field(attributesClass, 'metadata.creationTimestamp'), eventSaid(c.claim, said.event)],
    fix: [],
  };
}

/** A dump holds nothing of a kind that has no objects: where no event says otherwise, the class may well not exist. */
function isUnseen(c: PresentClaim, name: string): boolean {
  return c.ask.graph.coverage.of('VolumeAttributesClass', { name }).state === 'unread' && !failure(c, /[^]*/);
}

function explainOtherDriver(
  c: PresentClaim,
  attributesClass: ObjectOf<'VolumeAttributesClass'>,
  said: EventMatch | undefined,
): Explanation | undefined {
  const { driverName, metadata } = attributesClass;
  const driver = provisionerOf(c)?.name;
  if (driver === undefined || driverName === undefined || driverName === driver) return undefined;
  return {
    about: metadata.name,
    summary:
      `The claim names VolumeAttributesClass "${metadata.name}", which is for driver ${driverName}, and ` +
      `StorageClass "${c.class.name}" provisions with ${driver}.`,
    evidence: [
      field(c.claim, 'spec.volumeAttributesClassName'),
      field(attributesClass, 'driverName'),
      ...saidOnClaim(c, said),
    ],
    fix: [useAttributesClass(c, driver)],
  };
}

function explainAbsence(
  c: PresentClaim,
  name: string,
  said: EventMatch | undefined,
  confidence: Confidence,
): Explanation {
  return {
    confidence,
    about: name,
    summary: absenceText(c, name, said, confidence),
    evidence: [
      field(c.claim, 'spec.volumeAttributesClassName'),
      ...(confidence === 'certain' ? [absent('VolumeAttributesClass', name)] : []),
      ...saidOnClaim(c, said),
    ],
    fix: adviseAbsence(c, name, said),
  };
}

/**
 * Before the claim is bound the name cannot be changed. One of the same driver is taken if there is one, or else none.
 */
function useAttributesClass(c: PresentClaim, driver: string | undefined, wanted?: string): Fix {
  const names = c.ask
    .seen('VolumeAttributesClass')
    .filter(({ driverName }) => driver !== undefined && driverName === driver)
    .map(({ metadata }) => metadata.name);
  const name = wanted === undefined ? names[0] : nearestName(wanted, names);
  return recreateClaim(
    c,
    name === undefined ? 'without volumeAttributesClassName' : `with volumeAttributesClassName "${name}"`,
    { spec: { volumeAttributesClassName: name ?? null } },
    'It can be changed again once the claim is bound.',
  );
}

function adviseAbsence(c: PresentClaim, name: string, said: EventMatch | undefined): Fix[] {
  const driver = provisionerOf(c)?.name;
  // The class exists then, for another driver.
  if (said?.match[3] !== undefined) return [useAttributesClass(c, driver)];
  const manifest = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: driver ?? 'PLACEHOLDER_DRIVER',
    parameters: { PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' },
  };
  return [
    useAttributesClass(c, driver, name),
    steps(
      `If "${name}" is meant, create it with the parameters that the driver's documentation names ` +
        '(PLACEHOLDER_KEY, PLACEHOLDER_VALUE). The claim is then provisioned automatically.',
      [applyCommand(manifest)],
    ),
  ];
}

function absenceText(c: PresentClaim, name: string, said: EventMatch | undefined, confidence: Confidence): string {
  const otherDriver = said?.match[3];
  if (otherDriver !== undefined && confidence === 'likely')
    return (
      `The claim names VolumeAttributesClass "${name}", which is for driver ${otherDriver}, not for the driver ` +
      `of StorageClass "${c.class.name}".`
    );
  if (confidence === 'possible')
    return `The claim names VolumeAttributesClass "${name}", and nothing that was read shows that it exists.`;
  const near = nearestName(
    name,
    c.ask.seen('VolumeAttributesClass').map(({ metadata }) => metadata.name),
  );
  return `VolumeAttributesClass "${name}" does not exist, and the claim names it.${near ? ` The closest match is "${near}".` : ''}`;
}
