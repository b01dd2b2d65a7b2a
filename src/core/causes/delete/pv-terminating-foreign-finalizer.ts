import { objectRule } from '../lib/rule.ts';
import {
  attacherPrefix,
  controllerBehind,
  deletionEvidence,
  inTreeFinalizer,
  kindsBehind,
  provisionerFinalizer,
  pvProtection,
  removeFinalizerFix,
  searchFix,
  writtenBy,
} from './finalizers.ts';
import { secondsTerminating } from './volume-deletion.ts';

/** Removing a finalizer takes an update and a moment: until then it is a wait whose reason is known. */
const updateSeconds = 30;
/** Finalizers that have a cause of their own. */
const known = [pvProtection, provisionerFinalizer, inTreeFinalizer];

/** Any other finalizer: only its controller knows what it waits for. */
export const pvTerminatingForeignFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-foreign-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const foreign = v.finalizers.filter(
      (finalizer) => !known.includes(finalizer) && !finalizer.startsWith(attacherPrefix),
    );
    const [finalizer] = foreign;
    if (!v.isTerminating || finalizer === undefined || v.object.status?.phase === 'Bound') return undefined;
    const isUninstalled = kindsBehind(v.ask, finalizer)?.length === 0;
    return {
      severity: secondsTerminating(v) < updateSeconds ? 'info' : 'blocking',
      summary: `pv/${v.name} is being deleted and waits for ${controllerBehind(finalizer)} to take ${finalizer} off${isUninstalled ? '; nothing of that domain is installed here any more' : ''}`,
      evidence: [...deletionEvidence(v.object), ...foreign.flatMap((name) => writtenBy(v.object, name))],
      fix: [
        searchFix(finalizer),
        removeFinalizerFix(
          v.object,
          finalizer,
          'only if that controller is gone for good, take the finalizer off by hand; what it would have cleaned up stays',
        ),
      ],
    };
  },
});
