import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { findController, knownLogs, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { imageVersion } from '../../facts/driver/driver-version.ts';
import type { Container, Volume } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { field, note, shellWord } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { addFlag } from '../provision/sidecar-flag.ts';
import { volumeOf } from '../expand/expansion.ts';
import { nameClassCommand, nearClass, otherClasses, takeBack } from './class-change.ts';
import { modificationOf, modifyEvidence, waitedSeconds } from './modification.ts';

const patienceSeconds = 120;

/**
 * external-resizer modifycontroller syncPVC: only a resizer with the feature on, and a driver with MODIFY_VOLUME, ever
 * touches the claim.
 */
export const modifyUnsupported = claimRule({
  cause: 'modify-unsupported',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const { wanted, current, state } = modificationOf(c);
    if (state !== '' || wanted === '' || wanted === current) return undefined;
    const volume = volumeOf(c);
    const driver = volume?.spec?.csi?.driver;
    if (volume && driver === undefined) return explainNotCsi(c, volume);
    return explainForeignClass(c, wanted, driver) ?? explainUntouched(c, wanted, driver);
  },
});

function explainNotCsi(c: PresentClaim, volume: Volume): Explanation {
  return {
    summary: `pv/${volume.metadata.name} is not a CSI volume, so it has no attributes class that could be changed.`,
    evidence: [...modifyEvidence(c), note(volume, 'has no spec.csi')],
    fix: [takeBack(c)],
  };
}

/** The class is written for another driver than that of the volume. */
function explainForeignClass(c: PresentClaim, wanted: string, driver: string | undefined): Explanation | undefined {
  const vac = c.ask.get(
    'VolumeAttributesClass',
    undefined,
    wanted,
    `for which driver attributes class ${wanted} is made`,
  );
  if (driver === undefined || vac.state !== 'found') return undefined;
  const { driverName } = vac.object;
  if (driverName === undefined || driverName === driver) return undefined;
  return {
    about: wanted,
    summary:
      `VolumeAttributesClass "${wanted}" is for ${driverName}, and the volume of pvc/${c.name} belongs to ` +
      `${driver}. No resizer will apply it.`,
    evidence: [...modifyEvidence(c), field(vac.object, 'driverName')],
    fix: foreignFixes(c, driver),
  };
}

function foreignFixes(c: PresentClaim, driver: string): Fix[] {
  const own = otherClasses(c, driver).map(({ metadata }) => metadata.name);
  const fitting = nearClass(c, driver) ?? (own.length === 1 ? own[0] : undefined);
  if (fitting === undefined || fitting === modificationOf(c).current) return [takeBack(c)];
  return [
    steps(`Name "${fitting}" in the claim, which is for ${driver}. The resizer applies it at once.`, [
      nameClassCommand(c, fitting),
    ]),
    takeBack(c, 'otherwise '),
  ];
}

/** No resizer has written any status for the change. */
function explainUntouched(c: PresentClaim, wanted: string, driver: string | undefined): Explanation | undefined {
  if (waitedSeconds(c) < patienceSeconds) return undefined;
  const since = modifySince(c);
  const waited = since === undefined ? '' : ` in ${ageText(since, c.now)}`;
  const resizer = driver === undefined ? undefined : resizerIn(findController(c.ask, driver, 'resizer'));
  return {
    confidence: 'likely',
    ...(driver !== undefined && { about: driver }),
    summary:
      `No resizer has started to change the volume of pvc/${c.name} to VolumeAttributesClass ` +
      `"${wanted}"${waited}. ${reasonWords(driver, resizer)}`,
    evidence: [
      ...modifyEvidence(c),
      field(c.claim, 'status.modifyVolumeStatus'),
      ...(resizer?.pod
        ? [field(resizer.pod, `spec.containers[${resizer.container.name ?? ''}].image`, resizer.container.image)]
        : []),
    ],
    fix: untouchedFixes(c, driver, resizer),
  };
}

interface SeenResizer {
  readonly controller: DriverController;
  readonly pod: DriverController['leader'];
  readonly container: Container;
  /** Whether it changes attributes classes; undefined where its version is not known. */
  readonly isEnabled: boolean | undefined;
}

/** The feature is on by default since external-resizer 2.0; 1.11 and later have it behind a feature gate. */
function resizerIn(controller: DriverController): SeenResizer | undefined {
  const pod = controller.leader ?? controller.pods.items[0];
  const container = sidecarOf(pod?.spec ?? controller.workload?.object?.spec?.template?.spec, 'resizer');
  if (!container) return undefined;
  const gate = /VolumeAttributesClass=(true|false)/i.exec(flagOf(container, 'feature-gates') ?? '')?.[1];
  const major = /^v?(\d+)\./.exec(imageVersion(container.image) ?? '')?.[1];
  const isDefault = major === undefined ? undefined : Number(major) >= 2;
  return { controller, pod, container, isEnabled: gate === undefined ? isDefault : gate.toLowerCase() === 'true' };
}

function reasonWords(driver: string | undefined, resizer: SeenResizer | undefined): string {
  if (resizer?.isEnabled === false)
    return (
      `The resizer of ${driver ?? 'the driver'} (${resizer.container.image ?? 'image unknown'}) does not ` +
      'change attributes classes: VolumeAttributesClass is off.'
    );
  if (resizer?.isEnabled === true)
    return (
      `Its resizer can do that, so either ${driver ?? 'the driver'} lacks the capability MODIFY_VOLUME, or the ` +
      'resizer may not read VolumeAttributesClasses.'
    );
  return (
    `The resizer of ${driver ?? 'the driver'} is older than 2.0 or has the feature off, or the driver lacks ` +
    'the capability MODIFY_VOLUME.'
  );
}

function probeCommands(driver: string | undefined): string[] {
  return driver === undefined ? [] : [`kubectl csi probe ${shellWord(driver)} --deep`];
}

function untouchedFixes(c: PresentClaim, driver: string | undefined, resizer: SeenResizer | undefined): Fix[] {
  const back = takeBack(c, 'if the driver cannot change volumes, ');
  if (resizer?.isEnabled === true)
    return [
      steps(
        'Read the start of the log of the resizer. ' +
          '"Modify not supported": update the driver to a release with MODIFY_VOLUME, or go on with fix 2. ' +
          '"forbidden": reapply the RBAC manifests of the driver\'s release (get, list and watch ' +
          'volumeattributesclasses).',
        [`${logsFix(resizer.controller, 'sidecar', '').command ?? ''} | grep -i -e modify -e forbidden`],
      ),
      back,
    ];
  const command = resizer && addFlag(resizer.controller, 'resizer', 'feature-gates', 'VolumeAttributesClass=true');
  return [
    steps(
      command === undefined
        ? 'Check whether the driver lists MODIFY_VOLUME among its capabilities. ' +
            'If it does, install an external-resizer that changes volumes (2.0 or later, or 1.11 or later with ' +
            '--feature-gates=VolumeAttributesClass=true, and the same gate for the csi-provisioner): ' +
            'it then applies the class automatically. If it does not, go on with fix 2.'
        : 'Install an external-resizer that changes volumes: 2.0 or later, or 1.11 or later with ' +
            '--feature-gates=VolumeAttributesClass=true, as this sets it. Set the same gate for the csi-provisioner. ' +
            'It then applies the class automatically.',
      command === undefined ? probeCommands(driver) : [command],
      'disruptive',
    ),
    ...(driver === undefined ? [] : knownLogs(findController(c.ask, driver, 'resizer'))),
    back,
  ];
}
