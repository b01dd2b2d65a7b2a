import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { holdersOf, nameSome } from './claim-holders.ts';
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
import { troubleOf } from './controller-trouble.ts';
import { deleteFailure, deleterOf, deletingController, lastHeard, policyOf } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const updateSeconds = 30;
const actSeconds = 60;
const deleteSeconds = 120;

function isHeldBy(v: VolumeSubject, finalizer: string): boolean {
  return v.isTerminating && v.finalizers.includes(finalizer);
}

function secondsTerminating(v: VolumeSubject): number {
  return v.secondsSince(v.object.metadata.deletionTimestamp);
}

/** By design (pv_protection_controller): a bound volume is only marked for deletion. */
export const pvTerminatingBound = objectRule('PersistentVolume', {
  cause: 'pv-terminating-bound',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (!isHeldBy(v, pvProtection) || status?.phase !== 'Bound') return undefined;
    const { namespace, name } = spec?.claimRef ?? {};
    const claim = namespace !== undefined && name ? new ClaimCase(v.ask, namespace, name) : undefined;
    const isLeaving = claim?.claim?.metadata.deletionTimestamp !== undefined;
    const holders = claim && isLeaving && isPresent(claim) ? holdersOf(claim).items : [];
    const held = isLeaving
      ? `, which is itself being deleted${holders.length > 0 ? ` and held by ${nameSome(holders.map((pod) => `pod/${pod.metadata.name}`))}` : ''}`
      : claim?.lookup.state === 'missing'
        ? ', which no longer exists: the volume controller has not noticed yet'
        : '';
    const owner = claim ? `pvc/${claim.name} in namespace ${claim.namespace}` : 'a claim';
    const isLoss = policyOf(v.object) !== 'Retain';
    return {
      summary: `pv/${v.name} is being deleted while it is bound to ${owner}${held}: it goes only after its claim, and no new pod can attach it any more`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(claim
          ? [
              claim.claim
                ? note(claim.claim, isLeaving ? 'is being deleted' : 'is bound to the volume')
                : claim.lookup.state === 'missing'
                  ? absent('PersistentVolumeClaim', claim.name, claim.namespace)
                  : field(v.object, 'spec.claimRef.name'),
            ]
          : []),
        ...holders.slice(0, 3).map((pod) => note(pod, `uses the claim, phase ${pod.status?.phase ?? 'unknown'}`)),
      ],
      fix: [
        ...(policyOf(v.object) === 'Delete'
          ? [
              fix(
                'if the data is still needed: keep it in the backend, whatever happens to claim and volume',
                patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
              ),
            ]
          : []),
        ...(claim && isLeaving
          ? [
              fix(
                'see what holds the claim',
                `kubectl csi why pvc/${shellWord(claim.name)} -n ${shellWord(claim.namespace)}`,
              ),
            ]
          : []),
        ...(claim && !isLeaving && claim.lookup.state !== 'missing'
          ? [
              fix(
                `${isLoss ? 'data-loss: ' : ''}delete the claim, after the pods that use it: a deletion cannot be taken back`,
                `kubectl ${inNamespace(claim.namespace)}delete pvc ${shellWord(claim.name)}`,
                isLoss ? 'data-loss' : 'disruptive',
              ),
            ]
          : []),
      ],
    };
  },
});

/** lib handleProtectionFinalizer: it comes off when the volume is deleted in the backend, or when the policy becomes Retain. */
export const pvTerminatingProvisionerFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-provisioner-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (!isHeldBy(v, provisionerFinalizer) || status?.phase === 'Bound') return undefined;
    const deleter = deleterOf(v.object);
    const trouble =
      deleter === undefined ? undefined : troubleOf(deletingController(v, deleter), v.now, lastHeard(v, deleter));
    const phase = status?.phase ?? 'unknown';
    // shouldDelete acts on Released volumes only, and on those of policy Delete.
    const isNeverTaken = policyOf(v.object) === 'Delete' && phase !== 'Released';
    if (secondsTerminating(v) < (isNeverTaken ? updateSeconds : deleteSeconds)) return undefined;
    const who = deleter ?? 'its driver';
    const why = isNeverTaken
      ? `the provisioner of ${who} deletes released volumes only, and this one is ${phase}`
      : trouble
        ? `the provisioner of ${who} ${trouble.words}`
        : policyOf(v.object) === 'Delete'
          ? `the provisioner of ${who} has not deleted it in the backend`
          : `the provisioner of ${who} has not let go of it, though its policy is ${policyOf(v.object)}`;
    const said = deleteFailure(v, /[^]*/);
    return {
      confidence: isNeverTaken || !trouble ? 'certain' : trouble.confidence,
      ...(trouble && deleter && { about: deleter }),
      summary: `pv/${v.name} is being deleted and still has ${provisionerFinalizer}: ${why}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase', phase),
        field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
        ...(trouble?.evidence ?? []),
        ...(said
          ? [{ ...field(v.object, 'event VolumeFailedDelete', said.event.message ?? said.event.note ?? '') }]
          : []),
      ],
      fix: [
        ...(isNeverTaken
          ? []
          : (trouble?.fix ?? (deleter === undefined ? [] : [logsFix(deletingController(v, deleter))]))),
        ...(policyOf(v.object) === 'Delete'
          ? [
              fix(
                `${isNeverTaken ? '' : 'or '}keep what is in the backend (${spec?.csi?.volumeHandle ?? 'see the volume'}): with policy Retain the provisioner takes its finalizer off; clean the backend by hand afterwards`,
                patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
              ),
            ]
          : []),
        removeFinalizerFix(
          v.object,
          provisionerFinalizer,
          'only if the driver is gone for good, take the finalizer off by hand: nobody deletes the volume in the backend then',
        ),
      ],
    };
  },
});

/** The same for what the kube-controller-manager deletes itself (pv_controller_base modifyDeletionFinalizers). */
export const pvTerminatingInTreeFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-intree-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isHeldBy(v, inTreeFinalizer) || v.object.status?.phase === 'Bound' || secondsTerminating(v) < deleteSeconds)
      return undefined;
    const lease = staleManagerLease(v.ask);
    const { message } = v.object.status ?? {};
    const why = lease
      ? `the kube-controller-manager has not renewed its lease for ${ageText(parseTime(lease.spec?.renewTime) ?? v.now, v.now)}`
      : message
        ? `the volume controller says: ${message}`
        : 'the volume controller has not deleted it in the backend';
    return {
      ...(lease && { about: 'kube-controller-manager' }),
      summary: `pv/${v.name} is being deleted and still has ${inTreeFinalizer}: ${why}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(message ? [field(v.object, 'status.message')] : []),
        ...(lease ? [field(lease, 'spec.renewTime')] : []),
      ],
      fix: [
        fix('see what the volume controller says', `kubectl describe pv ${shellWord(v.name)}`),
        ...(policyOf(v.object) === 'Delete'
          ? [
              fix(
                'or keep what is in the backend: with policy Retain the controller takes its finalizer off; clean the backend by hand afterwards',
                patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
              ),
            ]
          : []),
        removeFinalizerFix(
          v.object,
          inTreeFinalizer,
          'only if the backend no longer holds the volume, take the finalizer off by hand',
        ),
      ],
    };
  },
});

/** Not bound, nothing else holds it, and the controller that should see this does not act. */
export const pvTerminatingProtectionStuck = objectRule('PersistentVolume', {
  cause: 'pv-terminating-protection-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (
      !isHeldBy(v, pvProtection) ||
      v.finalizers.length > 1 ||
      v.object.status?.phase === 'Bound' ||
      secondsTerminating(v) < actSeconds
    )
      return undefined;
    const lease = staleManagerLease(v.ask);
    return {
      confidence: lease ? 'certain' : 'likely',
      ...(lease && { about: 'kube-controller-manager' }),
      summary: `pv/${v.name} is being deleted and not bound, yet ${pvProtection} was not taken off: ${lease ? `the kube-controller-manager has not renewed its lease for ${ageText(parseTime(lease.spec?.renewTime) ?? v.now, v.now)}` : 'the protection controller in the kube-controller-manager does not run, or its update is refused'}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
      ],
      fix: [
        fix(
          'get the kube-controller-manager to work again: the volume then goes by itself',
          'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
        ),
        removeFinalizerFix(
          v.object,
          pvProtection,
          'only if no claim is bound to it and the controller cannot be brought back, take the finalizer off by hand',
        ),
      ],
    };
  },
});

const knownFinalizers = [pvProtection, provisionerFinalizer, inTreeFinalizer];

/** Any finalizer of somebody else: only its controller knows what it waits for. */
export const pvTerminatingForeignFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-foreign-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const foreign = v.finalizers.filter(
      (finalizer) => !knownFinalizers.includes(finalizer) && !finalizer.startsWith(attacherPrefix),
    );
    const [finalizer] = foreign;
    if (!v.isTerminating || finalizer === undefined || v.object.status?.phase === 'Bound') return undefined;
    const kinds = kindsBehind(v.ask, finalizer);
    return {
      // To take it off is one update: until then it is a wait, whose reason is known all the same.
      ...(secondsTerminating(v) < updateSeconds && { severity: 'info' as const }),
      summary: `pv/${v.name} is being deleted and waits for ${controllerBehind(finalizer)} to take ${finalizer} off${kinds?.length === 0 ? '; nothing of that domain is installed here any more' : ''}`,
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
