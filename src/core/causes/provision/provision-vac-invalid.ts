import { nearestName } from '../../kube/names.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Confidence } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner prepareProvision reads the VolumeAttributesClass before it calls the driver. */
export const provisionVacInvalid = claimRule({
  cause: 'provision-vac-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const name = c.claim.spec?.volumeAttributesClassName;
    if (!name) return undefined;
    const said = failure(
      c,
      /volumeattributesclass(?:es)?\.storage\.k8s\.io "([^"]+)" not found|VAC (\S+) referenced in PVC is for driver (\S+) which does not match/,
    );
    const why = `whether volume attributes class ${name} exists`;
    const lookup = c.ask.get('VolumeAttributesClass', undefined, name, why);
    if (lookup.state === 'found') return explainOtherDriver(c, lookup.object, said);
    if (lookup.state === 'missing') return explainAbsence(c, name, said, 'certain');
    if (said) return explainAbsence(c, name, said, 'likely');
    return isUnseen(c, name) ? explainAbsence(c, name, said, 'possible') : undefined;
  },
});

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
    summary: `volume attributes class ${metadata.name} is for driver ${driverName}, but class ${c.class.name} provisions with ${driver}`,
    evidence: [
      field(c.claim, 'spec.volumeAttributesClassName'),
      field(attributesClass, 'driverName'),
      ...saidOnClaim(c, said),
    ],
    fix: [
      remakeClaim(
        c,
        `with a volume attributes class of ${driver}, or none: it can be changed only once the claim is bound`,
      ),
    ],
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
    fix: [
      fix(
        `look which volume attributes classes there are; if ${name} is meant, create it: the claim then goes on by itself`,
        'kubectl get volumeattributesclass',
      ),
      remakeClaim(c, 'with one that exists, or none: it can be changed only once the claim is bound'),
    ],
  };
}

function absenceText(c: PresentClaim, name: string, said: EventMatch | undefined, confidence: Confidence): string {
  const otherDriver = said?.match[3];
  if (otherDriver !== undefined && confidence === 'likely')
    return `volume attributes class ${name} is for driver ${otherDriver}, not for the one of class ${c.class.name}`;
  if (confidence === 'possible')
    return `the claim names volume attributes class ${name}, of which nothing is to be seen`;
  const near = nearestName(
    name,
    c.ask.seen('VolumeAttributesClass').map(({ metadata }) => metadata.name),
  );
  return `volume attributes class ${name} does not exist${near ? `; did you mean ${near}?` : ''}`;
}
