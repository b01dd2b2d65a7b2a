import type { Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import { dataFirst, isAtRisk } from './data-first.ts';
import { removeFinalizerFix, startControllerFix } from './finalizer-fixes.ts';
import {
  attacherPrefix,
  deletionEvidence,
  inTreeFinalizer,
  isOfGarbageCollector,
  kindsBehind,
  provisionerFinalizer,
  pvProtection,
  waitWords,
  writtenBy,
} from './finalizers.ts';
import { secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

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
      summary:
        `${deletedVolumeWords(v)} and ` +
        `${waitWords(finalizer)}${isUninstalled ? ' No CustomResourceDefinition of that domain exists here, so the controller may have been uninstalled.' : ''}`,
      evidence: [...deletionEvidence(v.object), ...foreign.flatMap((name) => writtenBy(v.object, name))],
      fix: fixesFor(v, finalizer),
    };
  },
});

/** With the provisioner's finalizer next to it, the data is still to be deleted; without, only the object goes. */
function fixesFor(v: VolumeSubject, finalizer: string): Fix[] {
  const volume = v.finalizers.includes(provisionerFinalizer) && isAtRisk(v.object) ? v.object : undefined;
  const start = startControllerFix(v.ask, finalizer, 'It then removes the finalizer, and the volume goes.');
  const repair = dataFirst(volume, [start]);
  if (isOfGarbageCollector(finalizer)) return repair;
  const atRisk = isAtRisk(v.object) ? v.object : undefined;
  return [...repair, removeFinalizerFix(v.object, finalizer, atRisk, 'its controller was uninstalled for good')];
}
