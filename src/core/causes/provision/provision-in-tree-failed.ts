import { componentOf, messageOf } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, fix } from '../../facts/evidence.ts';
import { classPrefix } from '../lib/driver-error/wrappings.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import {
  inTreeFailedTexts,
  noDataSourceText,
  noMountOptionsText,
} from '../lib/driver-error/sentences/volume-controller.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { classText, otherClasses } from './other-class.ts';
import { failure, isInTree, provisionerOf, volumeController } from './provisioner.ts';
import { provisionErrorOf } from './provision-error.ts';
import { classChange, recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { recreateClass } from '../lib/remake-class.ts';

/** pv_controller provisionClaimOperation: the volume controller itself tried to create the volume, and failed. */
export const provisionInTreeFailed = claimRule({
  cause: 'provision-in-tree-failed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(c, inTreeFailedTexts);
    // Where the text itself names the reason (a quota, an access mode), that is the cause.
    if (!said || componentOf(said.event) !== volumeController || provisionErrorOf(c)) return undefined;
    const message = messageOf(said.event);
    return {
      confidence: 'likely',
      summary: sentence(
        `kube-controller-manager, which provisions StorageClass "${c.class.name}" itself, failed: ` +
          `${quoteWords(message.replace(classPrefix, ''))}`,
      ),
      evidence: [eventSaid(c.claim, said.event)],
      fix: advise(c, message),
    };
  },
});

function advise(c: PresentClaim, message: string): Fix[] {
  if (noMountOptionsText.test(message))
    return [recreateClass(c, 'without mountOptions', { mountOptions: null }), ...useCsi(c)];
  if (noDataSourceText.test(message))
    return [
      ...useCsi(c),
      recreateClaim(c, 'without the data source', sourceChange(c, null), 'The new volume is empty.'),
    ];
  return [
    ...useCsi(c),
    fix(
      `Correct what kube-controller-manager names: in the class, on the storage, or in its own settings. It retries automatically.`,
    ),
  ];
}

/** In-tree plugins are no longer developed; a class of a CSI driver that works is the way out. */
function useCsi(c: PresentClaim): Fix[] {
  const own = provisionerOf(c);
  const [other] = otherClasses(
    c,
    ({ provisioner = '' }) =>
      provisioner !== own?.name && !isInTree({ name: provisioner, isCsi: !provisioner.includes('/') }),
  );
  return other ? [recreateClaim(c, `with ${classText(other)}, of a CSI driver`, classChange(c, other.name))] : [];
}
