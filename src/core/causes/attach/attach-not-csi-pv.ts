import type { Volume } from '../../kube/kinds.ts';
import { fix, note } from '../../facts/evidence.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';

const notCsiText =
  /pv spec contained non-csi source that was not migrated|failed to translate in ?tree pv to CSI|volume source is not (?:of type )?CSI/i;

/** external-attacher getCSISource: a volume that is neither CSI nor one that this attacher can translate. */
export const attachNotCsiPv = attachRules('attach-not-csi-pv', 'blocking', (trouble) => {
  const { error, lead, driver, ask } = trouble;
  if (!error || !notCsiText.test(error.raw)) return undefined;
  const object = volumeObjectOf(trouble);
  const source = object && inTreeSourceOf(object);
  return {
    confidence: confidenceOf(trouble),
    summary: `${lead}: it is a volume of an in-tree plugin${source ? ` (${source})` : ''}, and the attacher${driver ? ` of ${driver}` : ''} cannot turn it into one of its own`,
    evidence: [error.evidence, ...(object && source ? [note(object, `spec.${source} is set, spec.csi is not`)] : [])],
    fix: [
      fix('install a driver and an attacher that know CSI migration for this kind of volume', 'kubectl get csidrivers'),
      ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'))]),
    ],
  };
});

function inTreeSourceOf({ spec }: Volume): string | undefined {
  return Object.keys(spec ?? {}).find(
    (key) => /Disk|Store|cinder|Volume$|azureFile|portworx/i.test(key) && key !== 'csi',
  );
}
