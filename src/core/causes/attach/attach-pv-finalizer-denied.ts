import type { Pod } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { attacherTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { grantFix } from '../lib/grant.ts';
import { sentence } from '../lib/sentence.ts';
import { retryText } from './attach-retry.ts';
import { quoteOf } from './attach-rpc.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** external-attacher addPVFinalizer and prepareVAFinalizer: nothing is attached before its finalizers are written. */
export const attachPvFinalizerDenied = attachRules('attach-pv-finalizer-denied', 'blocking', (trouble) => {
  const { error, driver, node, volumeText } = trouble;
  if (!error || !attacherTexts.finalizer.test(error.raw)) return undefined;
  const pod = attacherPodOf(trouble);
  const attacher = `The attacher${driver === undefined ? '' : ` of ${driver}`}`;
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${attacher} may not write its finalizer, so it does not attach ${volumeText} to ${node}: ${sentence(quoteOf(error))}`,
    evidence: [error.evidence, ...(pod?.spec?.serviceAccountName ? [field(pod, 'spec.serviceAccountName')] : [])],
    fix: [grantFix(error.raw, driver, retryText(trouble))],
  };
});

function attacherPodOf({ driver, ask }: AttachTrouble): Pod | undefined {
  const controller = driver === undefined ? undefined : findController(ask, driver, 'attacher');
  return controller?.leader ?? controller?.pods.items[0];
}
