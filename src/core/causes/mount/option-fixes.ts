import type { Fix } from '../../report/report.ts';
import { mountOptionTexts } from '../lib/driver-error/senses/request.ts';
import { smbVersionOption } from '../lib/driver-error/senses/mount-command.ts';
import { changePodFix, restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { keptWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { podWords } from './told-volume.ts';

export function readOnlyFix({ p, use }: FailedMount): Fix {
  const claimName = use?.podVolume.persistentVolumeClaim?.claimName;
  if (!use || claimName === undefined)
    return steps('Ask your storage team why the volume is read-only, and to make it writable.', []);
  const spec = { volumes: [{ name: use.name, persistentVolumeClaim: { claimName, readOnly: true } }] };
  return changePodFix(
    p.pod,
    spec,
    (where) =>
      `If ${podWords(p)} only reads, set readOnly: true for the volume ${where}. Otherwise ask your storage team to make it writable.`,
  );
}

export function optionsFix({ p, use, text }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const options = volume?.spec?.mountOptions ?? [];
  if (!volume || options.length === 0)
    return steps(
      volume?.spec?.csi === undefined
        ? 'Correct the option or attribute that the text names, where it is set: ' +
            'the attributes of the volume, or the settings of the driver.'
        : `Correct what the text names, where it is set: pv/${volume.metadata.name} has no mountOptions, so it is ` +
            'an attribute or the access mode of the volume, or a setting of the driver. ' +
            'The attributes of a volume cannot be changed: those of new volumes come from their class.',
      [],
    );
  return steps(
    `${mountOptionTexts.test(text) ? 'Remove the refused option' : 'If the words above are about a mount option, remove it'} ` +
      `from pv/${volume.metadata.name} (it has ${options.join(', ')}); ` +
      'mountOptions of a volume can be changed. PLACEHOLDER_OPTIONS are those to keep, for example "noatime". ' +
      `Then recreate the pod: ${keptWords}.`,
    [patchCommand(volume, { spec: { mountOptions: ['PLACEHOLDER_OPTIONS'] } }), ...restartPodCommands(p.pod)],
  );
}

/** Servers drop old versions of SMB; the client takes the latest that both support, unless an option names one. */
export function smbVersionFix({ p, use, text }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const options = volume?.spec?.mountOptions ?? [];
  const named = options.find((option) => /^vers=/.test(option)) ?? smbVersionOption.exec(text)?.[0];
  const others = options.filter((option) => !/^vers=/.test(option));
  const wanted = named === undefined || /^vers=3/.test(named) ? 'vers=PLACEHOLDER_VERSION' : 'vers=3.0';
  const blank =
    wanted === 'vers=3.0' ? '' : ' PLACEHOLDER_VERSION is one that the server speaks: 3.1.1, 3.0, 2.1 or 2.0.';
  if (!volume)
    return steps(`Mount with a version of SMB that the server speaks (mount option vers). ${keptWords}.`, []);
  return steps(
    `Mount with a version of SMB that the server speaks${named === undefined ? '' : ` instead of ${named}`}; ` +
      `mountOptions of a volume can be changed.${blank} Then recreate the pod: ${keptWords}. ` +
      'New volumes take their options from the class.',
    [patchCommand(volume, { spec: { mountOptions: [...others, wanted] } }), ...restartPodCommands(p.pod)],
  );
}
