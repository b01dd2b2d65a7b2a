import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import { messageOf } from '../../graph/events.ts';
import { objectRule } from '../lib/rule.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { ageText } from '../../kube/time.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { giveBack } from '../bind/volume-taken.ts';
import { troubleOf } from './controller-trouble.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isToBeDeleted,
  lastHeard,
  policyOf,
  stillAttached,
  waitedSeconds,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const deleteSeconds = 120;

/** pv_controller reclaimVolume does nothing for Retain: the data is kept until a person decides. */
export const pvReleasedRetain = objectRule('PersistentVolume', {
  cause: 'pv-released-retain',
  stage: 'delete',
  severity: 'info',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Released' || v.isTerminating || policyOf(v.object) !== 'Retain') return undefined;
    const { namespace, name } = spec?.claimRef ?? {};
    const namesake = namesakeOf(v);
    const lost = namesake && hasLost(namesake, v) ? namesake : undefined;
    const again = lost
      ? `; a new pvc/${lost.name} says that it was bound to it, and gets it back only when the claimRef has its uid`
      : namesake
        ? `; a new pvc/${namesake.name} exists and does not get it by itself`
        : '';
    return {
      summary: `pv/${v.name} was let go by pvc/${name ?? 'unknown'} and is kept as it is, since its policy is Retain: a person has to decide what becomes of the data${again}`,
      evidence: [
        field(v.object, 'status.phase'),
        field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
        field(v.object, 'spec.claimRef.name', `${namespace ?? ''}/${name ?? ''}`),
        ...(namesake ? [field(namesake.claim, 'metadata.uid')] : []),
      ],
      fix: lost
        ? giveBack(v.object, lost.claim)
        : [
            fix(
              'to give it to a claim again, data and all: take the uid of the old claim out',
              patchVolume(v.name, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
            ),
            fix(
              'to forget it here: delete the object; the data stays in the backend until it is removed there',
              `kubectl delete pv ${shellWord(v.name)}`,
              'disruptive',
            ),
          ],
    };
  },
});

/** A claim that was made since under the name of the one that let go of the volume. */
function namesakeOf(v: VolumeSubject): PresentClaim | undefined {
  const { namespace, name, uid } = v.object.spec?.claimRef ?? {};
  if (namespace === undefined || !name) return undefined;
  const found = v.ask.get(
    'PersistentVolumeClaim',
    namespace,
    name,
    `whether a new claim has the name of the one that let go of pv/${v.name}`,
  );
  if (found.state !== 'found' || found.object.metadata.uid === uid) return undefined;
  const namesake = new ClaimCase(v.ask, namespace, name, found.object);
  return isPresent(namesake) ? namesake : undefined;
}

/** It says that it was bound to this volume, and so takes no other way to it than by its uid (pv_controller syncBoundClaim). */
function hasLost(namesake: PresentClaim, v: VolumeSubject): boolean {
  return namesake.volumeName === v.name && (namesake.isLost || namesake.wasBound);
}

/** Nothing proves what is wrong, but the volume should be gone by now (lib shouldDelete acts at once). */
export const pvReleasedDeletePending = objectRule('PersistentVolume', {
  cause: 'pv-released-delete-pending',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const deleter = deleterOf(v.object);
    if (
      deleter === undefined ||
      v.object.status?.phase !== 'Released' ||
      !isToBeDeleted(v) ||
      waitedSeconds(v) < deleteSeconds
    )
      return undefined;
    const controller = deletingController(v, deleter);
    const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
    // What the driver said is a cause of its own; that the volume was attached once no longer counts.
    const said = deleteFailure(v, /[^]*/);
    if (said && !stillAttached.test(messageOf(said.event))) return undefined;
    const waited = waitedSeconds(v);
    const namesake = namesakeOf(v);
    const lost = namesake && hasLost(namesake, v) ? namesake : undefined;
    const since = Number.isFinite(waited) ? ` ${ageText(v.now - waited * 1000, v.now)} ago` : '';
    return {
      confidence: trouble?.confidence === 'certain' ? 'certain' : 'likely',
      about: deleter,
      summary: `pv/${v.name} was released${since} and is to be deleted by ${deleter}, but ${trouble ? `the provisioner of ${deleter} ${trouble.words}` : 'that has not happened'}${lost ? `; a new pvc/${lost.name} says that it was bound to it, and would lose its data` : ''}`,
      evidence: [
        field(v.object, 'status.phase', v.object.status.phase, v.object.status.lastPhaseTransitionTime),
        field(v.object, 'spec.persistentVolumeReclaimPolicy'),
        note(v.object, `to be deleted by ${deleter}`),
        ...(lost ? [field(lost.claim, 'spec.volumeName'), field(lost.claim, 'metadata.uid')] : []),
        ...(trouble?.evidence ?? []),
      ],
      fix: [
        ...(lost ? giveBack(v.object, lost.claim) : []),
        ...(trouble?.fix ?? [logsFix(controller)]),
        ...(lost
          ? []
          : [
              fix(
                'if the volume is to be kept after all: set its policy to Retain',
                patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
              ),
            ]),
      ],
    };
  },
});
