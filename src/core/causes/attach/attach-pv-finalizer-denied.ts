import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

const finalizerText =
  /could not add PersistentVolume finalizer|could not save VolumeAttachment|could not (?:add|update) .{0,40}finalizer/i;

/** external-attacher addPVFinalizer and prepareVAFinalizer: nothing is attached before its finalizers are written. */
export const attachPvFinalizerDenied = attachRules('attach-pv-finalizer-denied', 'blocking', (trouble) => {
  const { error, lead, driver } = trouble;
  if (!error || !finalizerText.test(error.raw)) return undefined;
  const pod = attacherPodOf(trouble);
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}: the attacher may not write its finalizer: ${shortWords(error)}`,
    evidence: [error.evidence, ...(pod?.spec?.serviceAccountName ? [field(pod, 'spec.serviceAccountName')] : [])],
    fix: fixesFor(trouble, pod),
  };
});

function attacherPodOf({ driver, ask }: AttachTrouble): Pod | undefined {
  const controller = driver === undefined ? undefined : findController(ask, driver, 'attacher');
  return controller?.leader ?? controller?.pods.items[0];
}

function fixesFor({ volumeName }: AttachTrouble, pod: Pod | undefined): Fix[] {
  const account = pod?.spec?.serviceAccountName;
  const subject =
    account && pod.metadata.namespace
      ? ` --as=system:serviceaccount:${pod.metadata.namespace}:${account}`
      : ' --as=system:serviceaccount:NAMESPACE:NAME';
  return [
    fix(
      'give the attacher the right to patch volumes and attachments (its RBAC manifest), or repair the webhook that refuses it',
      `kubectl auth can-i patch persistentvolumes/${shellWord(volumeName)}${subject}`,
    ),
    fix('the same for the attachments', `kubectl auth can-i patch volumeattachments.storage.k8s.io${subject}`),
  ];
}
