import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold } from './data-source.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';

/** external-provisioner getPVCSource: the clone must ask for at least what the source asks for. */
export const cloneSizeTooSmall = claimRule({
  cause: 'clone-size-too-small',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'size') return undefined;
    const name = `pvc/${failure.source.name}`;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `${claimText(c)} asks for ${c.request ?? 'a size'}, which the provisioner reports as smaller than its source, ${name}.`,
        fix: [
          recreateClaim(c, 'with at least the size of its source (PLACEHOLDER_SIZE)', sizeChange('PLACEHOLDER_SIZE')),
        ],
      });
    return {
      summary:
        `${claimText(c)} asks for ${c.request ?? ''}, and its source, ${name}, has ${failure.size}. ` +
        'A clone cannot be smaller than its source.',
      evidence: [
        field(c.claim, 'spec.resources.requests.storage'),
        field(failure.original.claim, 'spec.resources.requests.storage'),
        ...cloneRefusal(c, 'size'),
      ],
      fix: [recreateClaim(c, `with ${failure.size}`, sizeChange(failure.size))],
    };
  },
});
