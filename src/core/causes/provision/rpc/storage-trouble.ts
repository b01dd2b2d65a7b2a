import { field, fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import { dataSourceOf } from '../data-source.ts';
import { remakeClaim } from '../remake-claim.ts';
import {
  answerRule,
  logsOf,
  meaningOf,
  namedParameters,
  parameterEvidence,
  parameterWords,
  senseFix,
} from './driver-answer.ts';
import { skeletonOf } from '../../lib/driver-error/quote.ts';

export const provisionResourceExhausted = answerRule(
  'provision-resource-exhausted',
  'exhausted',
  (c, error, driver) => {
    const named = namedParameters(c, error);
    const where = named.length > 0 ? `class ${c.class.name} (${parameterWords(named)})` : `class ${c.class.name}`;
    return {
      about: c.class.name,
      summary:
        error.sense?.about === 'throttling'
          ? `${driver} cannot make the volume now: ${error.sense.meaning}`
          : `${driver} has no room for ${c.request ?? 'the volume'} in ${where}: ${meaningOf(error, error.sense?.about === 'placement' ? error.sense.meaning : 'the storage is full, a limit is reached or a quota is used up')}`,
      evidence: [...parameterEvidence(c, named), field(c.claim, 'spec.resources.requests.storage')],
      fix: [
        ...senseFix(error),
        fix('free space or raise the quota of the storage; the claim then goes on by itself'),
        ...(named.length > 0
          ? [
              fix(
                'or see whether the class names a pool or kind of storage that the driver has',
                `kubectl get storageclass ${shellWord(c.class.name)} -o yaml`,
              ),
            ]
          : []),
        ...logsOf(c),
      ],
    };
  },
);

export const provisionCredentials = answerRule('provision-credentials', 'credentials', (c, error, driver) => ({
  about: driver,
  summary: `${driver} may not make the volume: ${meaningOf(error, error.sense?.about === 'key' ? error.sense.meaning : 'the storage refuses the credentials or the rights of the driver')}`,
  evidence: parameterEvidence(c, namedParameters(c, error)),
  fix: [
    ...senseFix(error),
    fix(
      'give the role or account of the driver the right that the error names, or renew its credentials (cloud role, identity of the node, secret of the driver)',
    ),
    ...logsOf(c),
  ],
}));

/** CSI spec, CreateVolume: the name is the key, so the same name with other content is an error. */
export const provisionAlreadyExists = answerRule('provision-already-exists', 'alreadyExists', (c, _error, driver) => ({
  summary: `${driver} already has a volume named pvc-${c.claim.metadata.uid ?? ''} that differs from what the claim asks for now: the class was probably changed halfway`,
  evidence: [field(c.claim, 'metadata.uid')],
  fix: [
    remakeClaim(c, 'under the same name: it gets a new uid, and so a new volume'),
    fix('then remove the half-made volume on the storage side, which no object knows'),
    ...logsOf(c),
  ],
}));

export const provisionSourceNotFound = answerRule(
  'provision-source-not-found',
  'sourceNotFound',
  (c, _error, driver) => {
    const source = dataSourceOf(c);
    const name = source ? `${source.kind} ${source.name}` : 'the source';
    return {
      summary: `${driver} does not find the data behind ${name}: it was deleted on the storage side`,
      evidence: source ? [field(c.claim, source.path)] : [],
      fix: [
        remakeClaim(c, 'from another snapshot or claim'),
        ...(source?.kind === 'VolumeSnapshot'
          ? [fix('see which snapshots there are', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`)]
          : []),
        ...logsOf(c),
      ],
    };
  },
);

export const provisionInternal = answerRule('provision-internal', 'internal', (c, error, driver) => {
  const named = namedParameters(c, error);
  return {
    about: `${driver}: ${skeletonOf(error.text)}`,
    summary: `${driver} failed to make the volume: ${meaningOf(error)}`,
    evidence: parameterEvidence(c, named),
    fix: [
      ...senseFix(error),
      ...logsOf(c),
      fix('mend what the error names on the storage side or in the driver: the claim then goes on by itself'),
    ],
  };
});
