import { nearestName } from '../../kube/names.ts';
import { atLeast } from '../../kube/version.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';
import { versionOf } from '../provision/in-tree.ts';
import { modificationOf } from './modification.ts';

type AttributesClass = ObjectOf<'VolumeAttributesClass'>;

/** The command that names another attributes class in the claim; null names none. */
export function nameClassCommand({ claim }: PresentClaim, name: string | null): string {
  return patchCommand(claim, { spec: { volumeAttributesClassName: name } });
}

/**
 * Takes the request back. A class can be exchanged but not removed once the volume has one
 * (ValidatePersistentVolumeClaimUpdate), so the claim returns to the class that the volume has.
 */
export function takeBack(c: PresentClaim, when = ''): Fix {
  const { current } = modificationOf(c);
  return current === ''
    ? steps(
        `${capitalise(`${when}remove`)} the attributes class from the claim: the volume has none. The ` +
          'volume is not changed, and no change is pending any more.',
        [nameClassCommand(c, null)],
      )
    : steps(
        `${capitalise(`${when}point`)} the claim back to VolumeAttributesClass "${current}", which the ` +
          'volume has now. The volume is not changed, and no change is pending any more.',
        [nameClassCommand(c, current)],
      );
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The classes of the driver that have been read, without the one that the claim names. */
export function otherClasses(c: PresentClaim, driver: string | undefined): AttributesClass[] {
  const { wanted } = modificationOf(c);
  return c.ask
    .seen('VolumeAttributesClass')
    .filter(({ metadata, driverName }) => metadata.name !== wanted && (driver === undefined || driverName === driver));
}

/** The class whose name is nearly the one that the claim names. */
export function nearClass(c: PresentClaim, driver: string | undefined): string | undefined {
  return nearestName(
    modificationOf(c).wanted,
    otherClasses(c, driver).map(({ metadata }) => metadata.name),
  );
}

/** A new class with corrected parameters: those of a class cannot be changed. */
export function newClassFix(c: PresentClaim, driver: string | undefined, refused: AttributesClass | undefined): Fix {
  const parameters = refused?.parameters;
  const isOnly = Object.keys(parameters ?? {}).length === 1;
  const manifest = manifestOf(
    c,
    'PLACEHOLDER_CLASS',
    driver ?? refused?.driverName,
    isOnly ? withoutValue(parameters) : parameters,
  );
  return steps(
    'If other attributes are needed, create a class that the driver accepts and name it in the claim: the ' +
      'parameters of a class cannot be changed. PLACEHOLDER_CLASS is its name; ' +
      `${isOnly ? 'PLACEHOLDER_VALUE is a value that the driver documents.' : 'correct the parameter that the driver names.'}`,
    [applyCommand(manifest), nameClassCommand(c, 'PLACEHOLDER_CLASS')],
  );
}

/** The refused value would be refused again. */
function withoutValue(parameters: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(parameters).map((name) => [name, 'PLACEHOLDER_VALUE']));
}

/** The API is v1 since 1.34, v1beta1 before. */
export function manifestOf(
  c: PresentClaim,
  name: string,
  driver: string | undefined,
  parameters: Readonly<Record<string, string>> | undefined,
): object {
  const isBeta = atLeast(versionOf(c.ask), 1, 34) === false;
  return {
    apiVersion: isBeta ? 'storage.k8s.io/v1beta1' : 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: driver ?? 'PLACEHOLDER_DRIVER',
    parameters: parameters ?? { PLACEHOLDER_KEY: 'PLACEHOLDER_VALUE' },
  };
}
