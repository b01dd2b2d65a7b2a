import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';
import { nameClassCommand, nearClass, newClassFix, takeBack } from './class-change.ts';
import { keptRefusal, refusalOf, refusalWords } from './refused-modification.ts';
import type { ModifyRefusal } from './refused-modification.ts';

type AttributesClass = ObjectOf<'VolumeAttributesClass'>;

/** external-resizer controllerModifyVolumeWithTarget: of all errors only InvalidArgument makes it stop. */
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
      summary:
        `${sentence(`${driver ?? 'The driver'} cannot give the volume of pvc/${c.name} the attributes of VolumeAttributesClass "${target}"${reasonWords(foreignDriver, refusal)}`)} ` +
        'The volume is unchanged and stays in use.',
      evidence: [
        ...modifyEvidence(c),
        ...(refusal ? [refusal.evidence] : []),
        ...(lookup.state === 'found' ? classEvidence(lookup.object, foreignDriver) : []),
      ],
      fix: adviceFor(c, driver, lookup),
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

/** Another class of the driver is named, since a refused class cannot be corrected. */
function adviceFor(c: PresentClaim, driver: string | undefined, lookup: Lookup<AttributesClass>): Fix[] {
  const near = nearClass(c, driver);
  return [
    takeBack(c),
    ...(near === undefined || near === modificationOf(c).current
      ? []
      : [
          steps(`If "${near}" was meant, name it in the claim. The resizer applies it at once.`, [
            nameClassCommand(c, near),
          ]),
        ]),
    newClassFix(c, driver, lookup.state === 'found' ? lookup.object : undefined),
  ];
}

function reasonWords(foreignDriver: string | undefined, refusal: ModifyRefusal | undefined): string {
  if (foreignDriver !== undefined) return `, which is for ${foreignDriver}`;
  return refusal && (refusal.words || refusal.code) ? `: ${refusalWords(refusal)}` : '';
}

function classEvidence(object: AttributesClass, foreignDriver: string | undefined): Evidence[] {
  const parameters = field(object, 'parameters');
  return foreignDriver === undefined ? [parameters] : [parameters, field(object, 'driverName')];
}
