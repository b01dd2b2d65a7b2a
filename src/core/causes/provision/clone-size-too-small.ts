import { messageOf } from '../../graph/events.ts';
import { formatBytes } from '../../kube/quantity.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold } from './data-source.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { sourceSizeText } from '../lib/driver-error/senses/size.ts';

/** external-provisioner getPVCSource: the clone must ask for at least what the source asks for. */
export const cloneSizeTooSmall = claimRule({
  cause: 'clone-size-too-small',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'size') return undefined;
    const name = `pvc/${failure.source.name}`;
    if (failure.by === 'provisioner') {
      const size = sizeIn(messageOf(failure.said.event));
      return explainTold(c, failure, {
        summary:
          `${claimText(c)} asks for ${c.request ?? 'a size'}, which the provisioner reports as smaller than ` +
          `its source, ${name}${size === undefined ? '' : ` (${size})`}.`,
        fix: [
          size === undefined
            ? recreateClaim(
                c,
                'with at least the size of its source (PLACEHOLDER_SIZE)',
                sizeChange('PLACEHOLDER_SIZE'),
              )
            : recreateClaim(c, `with ${size}`, sizeChange(size)),
        ],
      });
    }
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

/** getPVCSource: `requested 5368709120 but source is 10737418240`. */
function sizeIn(text: string): string | undefined {
  const bytes = sourceSizeText.exec(text)?.[1];
  return bytes === undefined ? undefined : formatBytes(BigInt(bytes));
}
