import { secretsMountedBy } from '../../facts/bucket/access-secret.ts';
import { isAccessGranted, isSecondVersion, secretNamesOf } from '../../facts/bucket/bucket.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { BucketAccess } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { podWords } from './told-volume.ts';

/** The Secret that a pod mounts is one into which the credentials of a BucketAccess are written. */
export const podWaitsBucketaccessSecret = podRule({
  cause: 'pod-waits-bucketaccess-secret',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const namespace = p.pod.metadata.namespace ?? '';
    const missing = secretsMountedBy(p.pod).filter(
      (name) =>
        p.ask.get('Secret', namespace, name, `whether secret ${name}, which ${podWords(p)} mounts, exists`).state ===
        'missing',
    );
    if (missing.length === 0) return undefined;
    const accesses = p.ask.list('BucketAccess', namespace, 'which access to a bucket writes the missing Secret').items;
    for (const secret of missing) {
      const access = accesses.find((each) => secretNamesOf(each).includes(secret));
      if (!access) continue;
      const { name } = access.metadata;
      const isGranted = isAccessGranted(access);
      const granted = isSecondVersion(access) ? 'status.readyToUse' : 'status.accessGranted';
      return {
        about: `${namespace}/${secret}`,
        summary: isGranted
          ? `Secret "${secret}", which ${podWords(p)} mounts, does not exist any more. ` +
            `It held the credentials of bucketaccess/${name}, and an access that was granted is not written again.`
          : `Secret "${secret}", which ${podWords(p)} mounts, does not exist yet: it is written when bucketaccess/${name} is granted.`,
        evidence: [
          absent('Secret', secret, namespace),
          field(access, isSecondVersion(access) ? 'spec.bucketClaims' : 'spec.credentialsSecretName'),
          field(access, granted),
        ],
        fix: isGranted ? [grantAgain(access)] : [findReason(access)],
      };
    }
    return undefined;
  },
});

/** Deleting the access revokes its account; a new one gets new credentials. */
function grantAgain(access: BucketAccess): Fix {
  return steps(
    'Recreate the access: it gets new credentials, which are written to the Secret, and the pod starts. The old credentials stop working.',
    recreateCommands(access, {}),
    'disruptive',
  );
}

function findReason(access: BucketAccess): Fix {
  const { name, namespace = '' } = access.metadata;
  return steps(
    `Let bucketaccess/${name} be granted: its own diagnosis names what is missing. ` +
      'The Secret is then written, and the pod starts within about 2 minutes.',
    [`kubectl csi why bucketaccess/${shellWord(name)} -n ${shellWord(namespace)}`],
  );
}
