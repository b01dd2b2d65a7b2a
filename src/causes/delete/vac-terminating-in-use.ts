import { field, fix, inNamespace, shellWord } from '../../journey/evidence.ts';
import { objectRule } from '../../journey/rule.ts';
import { nameSome } from './claim-holders.ts';
import { deletionEvidence, vacProtection } from './finalizers.ts';

/** vac_protection_controller: the class stays while a volume has it, or a claim has it or asks for it. */
export const vacTerminatingInUse = objectRule('VolumeAttributesClass', {
  cause: 'vac-terminating-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(k) {
    if (!k.isTerminating || !k.finalizers.includes(vacProtection)) return undefined;
    const why = `who uses attributes class ${k.name}`;
    const claims = k.ask.list('PersistentVolumeClaim', undefined, why).items.filter(({ spec, status }) => [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, status?.modifyVolumeStatus?.targetVolumeAttributesClassName].includes(k.name));
    const volumes = k.ask.list('PersistentVolume', undefined, why).items.filter(({ spec }) => spec?.volumeAttributesClassName === k.name);
    const users = [...claims.map(({ metadata }) => `pvc ${metadata.namespace ?? ''}/${metadata.name}`), ...volumes.map(({ metadata }) => `pv/${metadata.name}`)];
    if (users.length === 0) return undefined;
    const [claim] = claims;
    return {
      summary: `attributes class ${k.name} is being deleted and is still used by ${nameSome(users)}`,
      evidence: [
        ...deletionEvidence(k.object),
        ...claims.slice(0, 3).map((item) => (item.spec?.volumeAttributesClassName === k.name ? field(item, 'spec.volumeAttributesClassName') : field(item, 'status.currentVolumeAttributesClassName', item.status?.currentVolumeAttributesClassName ?? k.name))),
        ...volumes.slice(0, 3).map((item) => field(item, 'spec.volumeAttributesClassName')),
      ],
      fix: [
        claim
          ? fix('give the claims another attributes class of the same driver: this one goes by itself after the last', `kubectl ${inNamespace(claim.metadata.namespace)}patch pvc ${shellWord(claim.metadata.name)} --type merge -p '{"spec":{"volumeAttributesClassName":"OTHER"}}'`)
          : fix('volumes that no claim uses keep the class until they are deleted', `kubectl get pv ${shellWord(volumes[0]?.metadata.name ?? '')} -o yaml`),
        fix('see the other classes of the driver', 'kubectl get volumeattributesclasses'),
      ],
    };
  },
});
