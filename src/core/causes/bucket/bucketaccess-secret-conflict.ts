import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { isAccessGranted, isSecondVersion, secretNamesOf } from '../../facts/bucket/bucket.ts';
import { field, note } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { nameOf, ruleForAccess } from './bucket-rule.ts';

/** A Secret holds the credentials of one access. v1alpha2 refuses a second use, v1alpha1 silently writes nothing. */
export const bucketaccessSecretConflict = ruleForAccess({
  cause: 'bucketaccess-secret-conflict',
  stage: 'provision',
  severity: 'blocking',
  explain: (a) => (isSecondVersion(a.access) ? explainRefusal(a) : explainRival(a)),
});

function explainRefusal(a: BucketAccessCase): Explanation | undefined {
  const { access } = a;
  const names = secretNamesOf(access);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return {
      summary:
        `${nameOf(access)} names Secret "${twice}" for more than one bucket claim. ` +
        'Each bucket needs a Secret of its own. It is not retried.',
      evidence: [field(access, 'spec.bucketClaims')],
      fix: [otherSecret(a, twice)],
    };
  for (const name of isAccessGranted(access) ? [] : names) {
    const lookup = a.ask.get('Secret', a.namespace, name, `whose Secret ${name} is`);
    if (lookup.state !== 'found') continue;
    const owner = lookup.object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner?.uid === access.metadata.uid) continue;
    return {
      summary:
        `Secret "${name}", to which ${nameOf(access)} writes its credentials, already exists and belongs to ` +
        `${owner ? `${owner.kind ?? ''} "${owner.name ?? ''}"` : 'someone else'}. ` +
        'It is left as it is, and no access is granted.',
      evidence: [
        note(lookup.object, owner ? `is owned by ${owner.kind ?? ''}/${owner.name ?? ''}` : 'has no owner'),
        field(access, 'spec.bucketClaims'),
      ],
      fix: [otherSecret(a, name)],
    };
  }
  return undefined;
}

function explainRival(a: BucketAccessCase): Explanation | undefined {
  const { access, rival } = a;
  const [name = ''] = secretNamesOf(access);
  if (!rival) return undefined;
  return {
    confidence: 'likely',
    summary:
      `${nameOf(access)} and the older bucketaccess/${rival.metadata.name} both write to Secret "${name}". ` +
      'A Secret that exists is left as it is, so the credentials of the later one are written nowhere.',
    evidence: [field(access, 'spec.credentialsSecretName'), field(rival, 'spec.credentialsSecretName')],
    fix: [otherSecret(a, name)],
  };
}

function otherSecret({ access }: BucketAccessCase, name: string): Fix {
  const second = `${name}-2`;
  const isSecond = isSecondVersion(access);
  const claims = (access.spec?.bucketClaims ?? []).map((claim, index) => ({
    ...claim,
    accessSecretName: `${claim.accessSecretName ?? name}-${index + 2}`,
  }));
  return steps(
    'Recreate the access with ' +
      `${claims.length > 1 ? 'a Secret of its own for each claim' : `another Secret, such as "${second}"`}, ` +
      'and name it in the pods that need it: an access that was granted is not written again, and a ' +
      'Secret cannot be shared.',
    recreateCommands(access, { spec: isSecond ? { bucketClaims: claims } : { credentialsSecretName: second } }),
    'disruptive',
  );
}
