import type { Claim, Volume } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { objectRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';

const protection = 'kubernetes.io/vac-protection';
const mostShown = 5;

interface Users {
  readonly volumes: readonly Volume[];
  readonly claims: readonly Claim[];
}

/** pkg/controller/volume/vacprotection: the finalizer stays while a volume or a claim names the class. */
export const vacTerminatingInUse = objectRule('VolumeAttributesClass', {
  cause: 'vac-terminating-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(vac) {
    if (!vac.isTerminating || !vac.finalizers.includes(protection)) return undefined;
    const users = usersOf(vac);
    const { volumes, claims } = users;
    if (volumes.length === 0 && claims.length === 0) return undefined;
    return {
      summary:
        `VolumeAttributesClass "${vac.name}" is being deleted and stays until no claim or volume names it. ` +
        `It is still used by ${userWords(users)}.`,
      evidence: [
        field(vac.object, 'metadata.finalizers'),
        ...volumes.slice(0, mostShown).map((volume) => field(volume, 'spec.volumeAttributesClassName')),
        ...claims.slice(0, mostShown).map((claim) => field(claim, 'spec.volumeAttributesClassName')),
      ],
      fix: [
        steps(
          `Give ${commandsFor(users).length > 1 ? 'each of them' : 'it'} another attributes class. ` +
            'The class is then removed automatically. ' +
            `PLACEHOLDER_CLASS is a class of ${vac.object.driverName ?? 'the same driver'}${choiceWords(vac)}.`,
          commandsFor(users),
        ),
      ],
    };
  },
});

function usersOf({ ask, name }: ObjectCase<'VolumeAttributesClass'>): Users {
  const volumes = ask
    .list('PersistentVolume', undefined, `which volumes have attributes class ${name}`)
    .items.filter((volume) => volume.spec?.volumeAttributesClassName === name);
  // No selector finds the claims: they are listed only when no volume leads to one.
  const claims =
    volumes.length > 0
      ? ask.seen('PersistentVolumeClaim')
      : ask.list('PersistentVolumeClaim', undefined, `which claims name attributes class ${name}`).items;
  return { volumes, claims: claims.filter((claim) => namesClass(claim, name)) };
}

function namesClass({ spec, status }: Claim, name: string): boolean {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].includes(name);
}

function userWords({ volumes, claims }: Users): string {
  const others = volumes.filter((volume) => !claims.some((claim) => claim.metadata.uid === volume.spec?.claimRef?.uid));
  const names = [...new Set([...claims.map(({ metadata }) => claimWords(metadata)), ...others.map(userOf)])];
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

function userOf({ metadata, spec }: Volume): string {
  const { namespace, name } = spec?.claimRef ?? {};
  return name ? claimWords({ namespace, name }) : `pv/${metadata.name}`;
}

function claimWords({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `pvc/${name} in namespace ${namespace ?? ''}`;
}

/** The resizer changes the volume of a claim, so claims are changed; a volume without one is changed itself. */
function commandsFor({ claims, volumes }: Users): string[] {
  const named = claims.map(({ metadata: { namespace, name } }) => ({ namespace, name }));
  const others = volumes
    .map(({ spec }) => ({ namespace: spec?.claimRef?.namespace, name: spec?.claimRef?.name ?? '' }))
    .filter(({ name }) => name !== '');
  const references = [
    ...new Map([...named, ...others].map((one) => [`${one.namespace ?? ''}/${one.name}`, one])).values(),
  ];
  const change = { spec: { volumeAttributesClassName: 'PLACEHOLDER_CLASS' } };
  const [volume] = volumes;
  if (references.length === 0) return volume ? [patchCommand(volume, change)] : [];
  return references
    .slice(0, mostShown)
    .map(({ namespace, name }) =>
      patchCommand(
        { kind: 'PersistentVolumeClaim', metadata: { name, ...(namespace !== undefined && { namespace }) } },
        change,
      ),
    );
}

function choiceWords({ ask, name, object }: ObjectCase<'VolumeAttributesClass'>): string {
  const names = ask
    .seen('VolumeAttributesClass')
    .filter(
      ({ metadata, driverName }) =>
        metadata.name !== name && metadata.deletionTimestamp === undefined && driverName === object.driverName,
    )
    .map(({ metadata }) => `"${metadata.name}"`);
  return names.length === 0 ? '' : `, such as ${names.slice(0, 3).join(' or ')}`;
}
