import type { Claim, Volume } from '../../kube/kinds.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';

const protection = 'kubernetes.io/vac-protection';
const mostShown = 5;

/** pkg/controller/volume/vacprotection: the finalizer stays while a volume or a claim names the class. */
export const vacTerminatingInUse = objectRule('VolumeAttributesClass', {
  cause: 'vac-terminating-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(vac) {
    if (!vac.isTerminating || !vac.finalizers.includes(protection)) return undefined;
    const { name } = vac;
    const volumes = vac.ask
      .list('PersistentVolume', undefined, `which volumes have attributes class ${name}`)
      .items.filter((volume) => volume.spec?.volumeAttributesClassName === name);
    // No selector finds the claims: they are listed only when no volume tells of one.
    const claims = (
      volumes.length > 0
        ? vac.ask.seen('PersistentVolumeClaim')
        : vac.ask.list('PersistentVolumeClaim', undefined, `which claims name attributes class ${name}`).items
    ).filter((claim) => namesClass(claim, name));
    if (volumes.length === 0 && claims.length === 0) return undefined;
    const users = [
      ...new Set([
        ...claims.map((claim) => `pvc/${claim.metadata.name} in namespace ${claim.metadata.namespace ?? ''}`),
        ...volumes
          .filter((volume) => !claims.some((claim) => claim.metadata.uid === volume.spec?.claimRef?.uid))
          .map(userOf),
      ]),
    ];
    return {
      summary: `attributes class ${name} is still used by ${users.slice(0, 3).join(', ')}${users.length > 3 ? ` and ${users.length - 3} more` : ''}`,
      evidence: [
        field(vac.object, 'metadata.finalizers'),
        ...volumes.slice(0, mostShown).map((volume) => field(volume, 'spec.volumeAttributesClassName')),
        ...claims.slice(0, mostShown).map((claim) => field(claim, 'spec.volumeAttributesClassName')),
      ],
      fix: [
        fix(
          'give those claims another attributes class first: the class then goes by itself',
          commandFor(claims[0], volumes[0]),
        ),
      ],
    };
  },
});

function namesClass({ spec, status }: Claim, name: string): boolean {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].includes(name);
}

function userOf({ metadata, spec }: Volume): string {
  return spec?.claimRef?.name
    ? `pvc/${spec.claimRef.name} in namespace ${spec.claimRef.namespace ?? ''}`
    : `pv/${metadata.name}`;
}

function commandFor(claim: Claim | undefined, volume: Volume | undefined): string {
  const reference = claim?.metadata ?? volume?.spec?.claimRef;
  return reference?.name
    ? `kubectl ${inNamespace(reference.namespace)}edit pvc ${shellWord(reference.name)}`
    : `kubectl edit pv ${shellWord(volume?.metadata.name ?? '')}`;
}
