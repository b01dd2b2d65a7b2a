import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { quote } from '../lib/driver-error/quote.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';
import { driverLogs, keptRefusal, otherClassFix, refusalOf } from './refused-modification.ts';
import type { ModifyRefusal } from './refused-modification.ts';

type AttributesClass = ObjectOf<'VolumeAttributesClass'>;

/** external-resizer controllerModifyVolumeWithTarget: of all errors only InvalidArgument makes it give up. */
export const modifyInfeasible = claimRule({
  cause: 'modify-infeasible',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const refusal = refusalOf(c);
    if (!isInfeasible(c, refusal)) return undefined;
    const { target } = modificationOf(c);
    const driver = volumeOf(c)?.spec?.csi?.driver;
    const lookup = c.ask.get('VolumeAttributesClass', undefined, target, `what attributes class ${target} asks for`);
    const foreignDriver = findForeignDriver(lookup, driver);
    return {
      about: target,
      summary: `${driver ?? 'the driver'} cannot give the volume the attributes of class ${target}${reasonWords(foreignDriver, refusal)}`,
      evidence: [
        ...modifyEvidence(c),
        ...(refusal ? [refusal.evidence] : []),
        ...(lookup.state === 'found' ? classEvidence(lookup.object, foreignDriver) : []),
      ],
      fix: [otherClassFix(c), ...driverLogs(c, driver)],
    };
  },
});

function isInfeasible(c: PresentClaim, refusal: ModifyRefusal | undefined): boolean {
  const { wanted, target, state } = modificationOf(c);
  // During each retry the state is InProgress for a while, and the old refusal stays (seen with external-resizer
  // v1.14.0).
  const isRetried = state === 'InProgress' && refusal?.code === 'InvalidArgument' && keptRefusal(c) !== undefined;
  // A claim that names another class by now is tried with that one.
  const isReplaced = wanted !== '' && target !== '' && wanted !== target;
  return (state === 'Infeasible' || isRetried) && !isReplaced;
}

/** The driver for which the class was written, if it is not the driver of the volume. */
function findForeignDriver(lookup: Lookup<AttributesClass>, driver: string | undefined): string | undefined {
  if (lookup.state !== 'found' || driver === undefined || lookup.object.driverName === driver) return undefined;
  return lookup.object.driverName;
}

function reasonWords(foreignDriver: string | undefined, refusal: ModifyRefusal | undefined): string {
  if (foreignDriver !== undefined) return `, which is made for ${foreignDriver}`;
  return refusal?.words ? `: ${quote(refusal.words)}` : '';
}

function classEvidence(object: AttributesClass, foreignDriver: string | undefined): Evidence[] {
  const parameters = field(object, 'parameters');
  return foreignDriver === undefined ? [parameters] : [parameters, field(object, 'driverName')];
}
