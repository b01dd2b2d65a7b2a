import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { objectRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { dataFirst } from './data-first.ts';
import { deleteFailure, isToBeDeleted, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';

const secretAnnotation = 'volume.kubernetes.io/provisioner-deletion-secret';
const patienceSeconds = 60;

/** external-provisioner Delete continues without the secret (handleSecretsForDeletion), and the driver then refuses. */
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
      summary:
        `${releasedWords(v)} and is not deleted: Secret "${name}" in namespace ${namespace}, with which the ` +
        'driver deletes it, does not exist.',
      evidence: [
        field(v.object, `metadata.annotations[${secretAnnotation}-name]`, name),
        absent('Secret', name, namespace),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: fixesFor(v, namespace, name),
    };
  },
});

function fixesFor(v: VolumeSubject, namespace: string, name: string): Fix[] {
  const create = steps(
    `Create Secret "${name}" in namespace ${namespace} again, with the keys that the driver's documentation ` +
      'asks for (PLACEHOLDER_KEY, PLACEHOLDER_FILE). The provisioner retries within 5 minutes.',
    [createSourceCommand('Secret', namespace, name)],
  );
  const replace = steps(
    'Name another Secret that holds the credentials: PLACEHOLDER_SECRET in PLACEHOLDER_NAMESPACE.',
    [
      kubectl(
        'annotate',
        v.object,
        `${secretAnnotation}-name=PLACEHOLDER_SECRET ${secretAnnotation}-namespace=PLACEHOLDER_NAMESPACE --overwrite`,
      ),
    ],
  );
  return dataFirst(v.object, [create, replace]);
}
