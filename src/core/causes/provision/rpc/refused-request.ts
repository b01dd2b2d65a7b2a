import type { Evidence } from '../../../report/report.ts';
import { field, fix, note } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
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
import type { Answer } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { modeWords } from '../../lib/driver-error/senses/request.ts';
import { remakeClass } from '../remake-class.ts';

/** The driver understood what it was asked for and will not do it: repeating helps nothing. */
function refuse(c: PresentClaim, error: ProvisionError, driver: string): Answer {
  const named = namedParameters(c, error);
  const isSize = /\b(?:size|capacity|too (?:small|large|big))\b/i.test(error.text);
  const what =
    named.length > 0
      ? `${parameterWords(named)} of class ${c.class.name}`
      : isSize
        ? `the size of ${c.request ?? 'the claim'}`
        : `what class ${c.class.name} and the claim ask for`;
  return {
    about: c.class.name,
    summary: `${driver} refuses ${what}: ${meaningOf(error)}`,
    evidence: [...parameterEvidence(c, named), ...(isSize ? [field(c.claim, 'spec.resources.requests.storage')] : [])],
    fix: [
      ...senseFix(error),
      remakeClass(c.class.name, 'with the right parameters'),
      remakeClaim(c, 'if its size, its mode or its source is what the driver refuses'),
    ],
  };
}

/** sig-storage-lib isInfeasibleError: from provisioner 6 on a refusal is retried rarely, and at once when the class is a new object. */
export const provisionInfeasible = answerRule('provision-infeasible', 'infeasible', refuse);

export const provisionInvalidArgument = answerRule('provision-invalid-argument', 'invalidArgument', refuse);

export const provisionAccessmodeUnsupported = answerRule(
  'provision-accessmode-unsupported',
  'accessMode',
  (c, error, driver) => {
    const modes = c.claim.spec?.accessModes ?? [];
    const volumes = c.ask.seen('PersistentVolume').filter(({ spec }) => spec?.csi?.driver === driver);
    const taken = [...new Set(volumes.flatMap(({ spec }) => spec?.accessModes ?? []))].sort();
    const example = volumes.find(({ spec }) => (spec?.accessModes ?? []).length > 0);
    const evidence: Evidence[] = [
      field(c.claim, 'spec.accessModes'),
      field(c.claim, 'spec.volumeMode'),
      ...(example ? [note(example, `a volume of ${driver} with ${(example.spec?.accessModes ?? []).join(', ')}`)] : []),
    ];
    const isBlock = c.claim.spec?.volumeMode === 'Block';
    // "Volume capabilities not supported" alone may as well mean that it makes no block volumes at all.
    const isEither = isBlock && !modeWords.test(error.text);
    return {
      about: `${c.class.name}/${[...modes].sort().join()}`,
      summary: `${driver} does not take access mode ${modes.join(', ') || 'of the claim'} ${isEither ? 'or makes no raw block volumes' : `for ${isBlock ? 'block' : 'file system'} volumes`}${taken.length > 0 ? `; its other volumes have ${taken.join(', ')}` : ''}`,
      evidence,
      fix: [
        remakeClaim(
          c,
          `with ${taken.length > 0 ? taken.join(' or ') : 'ReadWriteOnce'}${isEither ? ', or with volumeMode: Filesystem' : ''}`,
        ),
        fix('or look for a class whose driver shares volumes between nodes (a file share)', 'kubectl get storageclass'),
      ],
    };
  },
);

export const provisionOutOfRange = answerRule('provision-out-of-range', 'outOfRange', (c, error, driver) => {
  const source = dataSourceOf(c);
  const named = namedParameters(c, error);
  return {
    summary: `${driver} cannot make a volume of ${c.request ?? 'this size'} in class ${c.class.name}: the size is outside what it takes${source ? `, or smaller than ${source.kind} ${source.name}` : ''}`,
    evidence: [field(c.claim, 'spec.resources.requests.storage'), ...parameterEvidence(c, named)],
    fix: [remakeClaim(c, 'with a size that the driver takes')],
  };
});

export const provisionUnimplemented = answerRule('provision-unimplemented', 'unimplemented', (c, _error, driver) => {
  const source = dataSourceOf(c);
  const features = [
    c.claim.spec?.volumeMode === 'Block' ? 'block volumes' : '',
    source ? `volumes made from a ${source.kind}` : '',
    c.claim.spec?.volumeAttributesClassName ? 'volume attributes classes' : '',
  ].filter(Boolean);
  return {
    about: c.class.name,
    summary: `${driver} lacks what the claim asks for${features.length > 0 ? ` (${features.join(', ')}?)` : ''}: the driver has not implemented it`,
    evidence: [field(c.claim, 'spec.volumeMode'), ...(source ? [field(c.claim, source.path)] : [])],
    fix: [remakeClaim(c, 'without the feature, or with a class of another driver'), ...logsOf(c)],
  };
});
