import { field, fix, note, shellWord } from '../../journey/evidence.ts';
import { messageOf } from '../../graph/events.ts';
import { objectRule } from '../../journey/rule.ts';
import { logsFix } from '../../graph/drivers.ts';
import { ageText } from '../../model/time.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { troubleOf } from './controller-trouble.ts';
import { deleteFailure, deleterOf, deletingController, isToBeDeleted, lastHeard, policyOf, stillAttached, waitedSeconds } from './volume-deletion.ts';

const deleteSeconds = 120;

/** pv_controller reclaimVolume does nothing for Retain: the data is kept until a person decides. */
export const pvReleasedRetain = objectRule('PersistentVolume', {
  cause: 'pv-released-retain',
  stage: 'delete',
  severity: 'info',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Released' || v.isTerminating || policyOf(v.object) !== 'Retain') return undefined;
    const { namespace, name, uid } = spec?.claimRef ?? {};
    const namesake = namespace !== undefined && name ? v.ask.get('PersistentVolumeClaim', namespace, name, `whether a new claim has the name of the one that let go of pv/${v.name}`) : undefined;
    const again = namesake?.state === 'found' && namesake.object.metadata.uid !== uid ? `; a new pvc/${name ?? ''} exists and does not get it by itself` : '';
    return {
      summary: `pv/${v.name} was let go by pvc/${name ?? 'unknown'} and is kept as it is, since its policy is Retain: a person has to decide what becomes of the data${again}`,
      evidence: [field(v.object, 'status.phase'), field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)), field(v.object, 'spec.claimRef.name', `${namespace ?? ''}/${name ?? ''}`), ...(again !== '' && namesake?.state === 'found' ? [field(namesake.object, 'metadata.uid')] : [])],
      fix: [
        fix('to give it to a claim again, data and all: take the uid of the old claim out', patchVolume(v.name, { spec: { claimRef: { uid: null, resourceVersion: null } } })),
        fix('to forget it here: delete the object; the data stays in the backend until it is removed there', `kubectl delete pv ${shellWord(v.name)}`, 'disruptive'),
      ],
    };
  },
});

/** Nothing proves what is wrong, but the volume should be gone by now (lib shouldDelete acts at once). */
export const pvReleasedDeletePending = objectRule('PersistentVolume', {
  cause: 'pv-released-delete-pending',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const deleter = deleterOf(v.object);
    if (deleter === undefined || v.object.status?.phase !== 'Released' || !isToBeDeleted(v) || waitedSeconds(v) < deleteSeconds) return undefined;
    const controller = deletingController(v, deleter);
    const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
    // What the driver said is a cause of its own; that the volume was attached once no longer counts.
    const said = deleteFailure(v, /[^]*/);
    if (said && !stillAttached.test(messageOf(said.event))) return undefined;
    const waited = waitedSeconds(v);
    const since = Number.isFinite(waited) ? ` ${ageText(v.now - waited * 1000, v.now)} ago` : '';
    return {
      confidence: trouble?.confidence === 'certain' ? 'certain' : 'likely',
      about: deleter,
      summary: `pv/${v.name} was released${since} and is to be deleted by ${deleter}, but ${trouble ? `the provisioner of ${deleter} ${trouble.words}` : 'that has not happened'}`,
      evidence: [field(v.object, 'status.phase', v.object.status.phase, v.object.status.lastPhaseTransitionTime), field(v.object, 'spec.persistentVolumeReclaimPolicy'), note(v.object, `to be deleted by ${deleter}`), ...(trouble?.evidence ?? [])],
      fix: [
        ...(trouble?.fix ?? [logsFix(controller)]),
        fix('if the volume is to be kept after all: set its policy to Retain', patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })),
      ],
    };
  },
});
