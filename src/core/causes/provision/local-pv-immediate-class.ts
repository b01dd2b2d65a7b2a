import type { StorageClass, Volume } from '../../kube/kinds.ts';
import { volumesOfClass } from '../../facts/claim/claimed-volumes.ts';
import { isDelayed, noProvisioner } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { recreateClassObject } from '../lib/remake-class.ts';

const cause = 'local-pv-immediate-class';

export const localPvImmediateClass = claimRule({
  cause,
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const storageClass = c.storageClassObject;
    if (!storageClass || !isImmediate(storageClass) || c.volume?.state !== 'found') return undefined;
    const volume = c.volume.object;
    return volume.spec?.local ? explainImmediate(storageClass, volume) : undefined;
  },
});

export const localPvImmediateClassOfClass = objectRule('StorageClass', {
  cause,
  stage: 'provision',
  severity: 'warning',
  explain({ ask, object }) {
    if (!isImmediate(object)) return undefined;
    ask.list('PersistentVolume', undefined, `whether the volumes of class ${object.metadata.name} are local`);
    const volume = volumesOfClass(ask, object.metadata.name).find(({ spec }) => spec?.local);
    return volume && explainImmediate(object, volume);
  },
});

function isImmediate(storageClass: StorageClass): boolean {
  return storageClass.provisioner === noProvisioner && !isDelayed(storageClass);
}

/**
 * The volume controller binds regardless of nodes (pv_controller syncUnboundClaim): which node the pod may use is known
 * only later.
 */
function explainImmediate(storageClass: StorageClass, volume: Volume): Explanation {
  const { name } = storageClass.metadata;
  return {
    about: name,
    summary:
      `StorageClass "${name}" binds local volumes immediately, before it is known where the pod can run. ` +
      'A claim may get a volume on a node that its pod cannot use.',
    evidence: [
      field(storageClass, 'volumeBindingMode', storageClass.volumeBindingMode ?? 'Immediate'),
      field(storageClass, 'provisioner'),
      field(volume, 'spec.local.path'),
    ],
    fix: [
      recreateClassObject(
        storageClass,
        'with volumeBindingMode WaitForFirstConsumer',
        { volumeBindingMode: 'WaitForFirstConsumer' },
        'Claims that are bound stay as they are.',
      ),
    ],
  };
}
