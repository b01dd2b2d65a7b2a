import type { Volume } from '../../kube/kinds.ts';
import { note } from '../../facts/evidence.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { attacherTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { steps } from '../lib/steps.ts';
import { retryText } from './attach-retry.ts';
import { volumeStart } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';

/** external-attacher getCSISource: a volume that is neither CSI nor one that this attacher can translate. */
export const attachNotCsiPv = attachRules('attach-not-csi-pv', 'blocking', (trouble) => {
  const { error, driver, node } = trouble;
  if (!error || !attacherTexts.notCsi.test(error.raw)) return undefined;
  const object = volumeObjectOf(trouble);
  const source = object && inTreeSourceOf(object);
  const wanted = object && servingDriver(object);
  return {
    confidence: confidenceOf(trouble),
    summary:
      `${volumeStart(trouble)} is a volume of an in-tree plugin${source ? ` (${source})` : ''}, and the ` +
      `attacher${driver ? ` of ${driver}` : ''} cannot translate it into a CSI volume, so it is not ` +
      `attached to ${node}.`,
    evidence: [error.evidence, ...(object && source ? [note(object, `spec.${source} is set, spec.csi is not`)] : [])],
    fix: [
      steps(
        `Install ${wanted ?? 'the CSI driver'} in a version that knows CSI migration for this kind of volume, ` +
          `with its external-attacher. The volume and its data stay as they are. ${retryText(trouble)}`,
        [],
      ),
    ],
  };
});

function inTreeSourceOf({ spec }: Volume): string | undefined {
  return Object.keys(spec ?? {}).find(
    (key) => /Disk|Store|cinder|Volume$|azureFile|portworx/i.test(key) && key !== 'csi',
  );
}
