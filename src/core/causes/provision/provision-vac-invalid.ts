import { absent, eventSaid, field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { nearestName } from '../../kube/names.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner prepareProvision reads the class of attributes before it calls the driver. */
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
    const lookup = c.ask.get(
      'VolumeAttributesClass',
      undefined,
      name,
      `whether volume attributes class ${name} exists`,
    );
    const evidence = [field(c.claim, 'spec.volumeAttributesClassName')] as const;
    const words = said ? [eventSaid(c.claim, said.event)] : [];
    if (lookup.state === 'found') {
      const driver = provisionerOf(c)?.name;
      if (driver === undefined || lookup.object.driverName === undefined || lookup.object.driverName === driver)
        return undefined;
      return {
        about: name,
        summary: `volume attributes class ${name} is for driver ${lookup.object.driverName}, but class ${c.class.name} provisions with ${driver}`,
        evidence: [...evidence, field(lookup.object, 'driverName'), ...words],
        fix: [
          remakeClaim(
            c,
            `with a volume attributes class of ${driver}, or none: it can be changed only once the claim is bound`,
          ),
        ],
      };
    }
    // A dump holds nothing of a kind of which there was nothing: where nothing else speaks, the class may well not exist.
    const isUnseen =
      c.ask.graph.coverage.of('VolumeAttributesClass', { name }).state === 'unread' && !failure(c, /[^]*/);
    if (lookup.state === 'unknown' && !said && !isUnseen) return undefined;
    const near = nearestName(
      name,
      c.ask.seen('VolumeAttributesClass').map(({ metadata }) => metadata.name),
    );
    return {
      confidence: lookup.state === 'missing' ? 'certain' : said ? 'likely' : 'possible',
      about: name,
      summary:
        said?.match[3] !== undefined && lookup.state === 'unknown'
          ? `volume attributes class ${name} is for driver ${said.match[3]}, not for the one of class ${c.class.name}`
          : lookup.state === 'unknown' && !said
            ? `the claim names volume attributes class ${name}, of which nothing is to be seen`
            : `volume attributes class ${name} does not exist${near ? `; did you mean ${near}?` : ''}`,
      evidence: [...evidence, ...(lookup.state === 'missing' ? [absent('VolumeAttributesClass', name)] : []), ...words],
      fix: [
        fix(
          `look which volume attributes classes there are; if ${name} is meant, create it: the claim then goes on by itself`,
          'kubectl get volumeattributesclass',
        ),
        remakeClaim(c, 'with one that exists, or none: it can be changed only once the claim is bound'),
      ],
    };
  },
});
