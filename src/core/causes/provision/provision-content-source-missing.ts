import { field, fix } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { removeOrphan } from './orphaned-volume.ts';

/**
 * external-provisioner Provision deletes a volume whose answer does not repeat the content source: it would be empty.
 */
export const provisionContentSourceMissing = answerRule(
  'provision-content-source-missing',
  'contentSourceMissing',
  (c, error, driver) => {
    const source = dataSourceOf(c);
    const name = source ? `${source.kind} "${source.name}"` : 'the data source';
    return {
      about: driver,
      summary:
        `${driver} created a volume without confirming ${name} as its content, so the provisioner deleted it ` +
        'again. This is a fault of the driver.',
      evidence: source ? [field(c.claim, source.path)] : [],
      fix: [
        fix(
          `Upgrade ${driver} to a release that supports volumes from ${source?.kind ?? 'a data source'}, or report ` +
            'it to its vendor. The claim is retried automatically.',
        ),
        ...removeOrphan(error),
        ...logsOf(c),
      ],
    };
  },
);
