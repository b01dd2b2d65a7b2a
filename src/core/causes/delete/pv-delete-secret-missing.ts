import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { deleteFailure, isToBeDeleted, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const secretAnnotation = 'volume.kubernetes.io/provisioner-deletion-secret';
const patienceSeconds = 60;

/** external-provisioner Delete goes on without the secret (handleSecretsForDeletion), and the driver then refuses. */
export const pvDeleteSecretMissing = objectRule('PersistentVolume', {
  cause: 'pv-delete-secret-missing',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const name = v.annotation(`${secretAnnotation}-name`);
    const namespace = v.annotation(`${secretAnnotation}-namespace`);
    if (!name || !namespace || !isToBeDeleted(v) || waitedSeconds(v) < patienceSeconds) return undefined;
    const secret = v.ask.get('Secret', namespace, name, `whether the secret that deletes pv/${v.name} exists`);
    if (secret.state !== 'missing') return undefined;
    const said = deleteFailure(v, /[^]*/);
    return {
      about: `${namespace}/${name}`,
      summary: `secret ${namespace}/${name}, which the driver needs to delete pv/${v.name}, does not exist`,
      evidence: [
        field(v.object, `metadata.annotations[${secretAnnotation}-name]`, name),
        absent('Secret', name, namespace),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: fixesFor(v, namespace),
    };
  },
});

function fixesFor(v: VolumeSubject, namespace: string): Fix[] {
  return [
    fix(
      'make the secret again, with the credentials that the class had: the deletion then goes on by itself',
      `kubectl ${inNamespace(namespace)}get secrets`,
    ),
    fix(
      'or let the volume point to another secret that holds them',
      `kubectl annotate pv ${shellWord(v.name)} ${secretAnnotation}-name=NAME ${secretAnnotation}-namespace=NAMESPACE --overwrite`,
    ),
  ];
}
