import { newestMatch } from '../../graph/events.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { nameSome } from './claim-holders.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { deleterOf, isLocalStatic, policyOf } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const noDeleter =
  /error getting deleter volume plugin for volume "[^"]+": no (?:deletable )?volume plugin matched|no (?:deletable )?volume plugin matched|host_path deleter only supports/i;

function stateEvidence(v: VolumeSubject): [Evidence, ...Evidence[]] {
  const { status } = v.object;
  return [
    field(v.object, 'status.phase', status?.phase, status?.lastPhaseTransitionTime),
    field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
    ...(status?.message ? [field(v.object, 'status.message')] : []),
  ];
}

const forgetFix = (v: VolumeSubject): Fix =>
  fix(
    'to forget it here: delete the object; what is in the backend stays and has to be cleaned by hand',
    `kubectl delete pv ${shellWord(v.name)}`,
    'disruptive',
  );

/** pv_controller findDeletablePlugin: the kube-controller-manager can delete hardly anything by itself, and says so once. */
export const pvFailedNoDeleter = objectRule('PersistentVolume', {
  cause: 'pv-failed-no-deleter',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Failed' || spec?.csi || policyOf(v.object) === 'Recycle') return undefined;
    const isSaid = noDeleter.test(status.message ?? '');
    const isSurmised = !status.message && policyOf(v.object) === 'Delete' && deleterOf(v.object) === undefined;
    if (!isSaid && !isSurmised) return undefined;
    const isHostPath = /host_path deleter/.test(status.message ?? '');
    return {
      confidence: isSaid ? 'certain' : 'likely',
      summary: isHostPath
        ? `pv/${v.name} has policy Delete, and of hostPath volumes Kubernetes deletes only those below /tmp (this one is ${spec?.hostPath?.path ?? 'elsewhere'})`
        : `pv/${v.name} has policy Delete, and nobody in the cluster can delete ${sourceOf(v.object)} volumes`,
      evidence: stateEvidence(v),
      fix: [
        fix(
          'for the other volumes of this kind: set their policy to Retain before their claims are deleted',
          patchVolume('NAME', { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
        forgetFix(v),
      ],
    };
  },
});

const sources = [
  'nfs',
  'local',
  'hostPath',
  'iscsi',
  'fc',
  'rbd',
  'cephfs',
  'glusterfs',
  'flexVolume',
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'azureFile',
  'cinder',
  'vsphereVolume',
  'portworxVolume',
] as const;

function sourceOf({ spec }: Volume): string {
  return sources.find((source) => spec?.[source] !== undefined) ?? 'such';
}

/** external-provisioner deletes Released volumes only, and the volume controller never takes Failed back (lib shouldDelete). */
export const pvFailedCsiNotRetried = objectRule('PersistentVolume', {
  cause: 'pv-failed-csi-not-retried',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (
      status?.phase !== 'Failed' ||
      !spec?.csi ||
      policyOf(v.object) === 'Recycle' ||
      (v.isTerminating && !v.finalizers.includes(provisionerFinalizer))
    )
      return undefined;
    return {
      summary: `pv/${v.name} is Failed, and ${spec.csi.driver ?? 'its driver'} deletes only volumes that are Released: it is never tried again`,
      evidence: stateEvidence(v),
      fix: [
        fix(
          'keep what is in the backend and let go of the object: set Retain first',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
        fix(
          `then delete the object, and clean volume ${spec.csi.volumeHandle ?? ''} in the backend by hand`,
          `kubectl delete pv ${shellWord(v.name)}`,
          'disruptive',
        ),
        fix(
          'data-loss: or set the phase back, and the driver deletes the volume with its data',
          `kubectl patch pv ${shellWord(v.name)} --subresource status --type merge -p '{"status":{"phase":"Released"}}'`,
          'data-loss',
        ),
      ],
    };
  },
});

/** pv_controller recycleVolumeOperation: only NFS and hostPath volumes can be recycled, by a pod that wipes them. */
export const pvFailedRecycle = objectRule('PersistentVolume', {
  cause: 'pv-failed-recycle',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    const isSaid = /No recycler plugin found for the volume!|Recycle failed: /.test(status?.message ?? '');
    if (status?.phase !== 'Failed' || (policyOf(v.object) !== 'Recycle' && !isSaid)) return undefined;
    const canRecycle = spec?.nfs !== undefined || spec?.hostPath !== undefined;
    return {
      summary: canRecycle
        ? `pv/${v.name} has policy Recycle, and wiping it failed: ${status.message ?? 'no message'}`
        : `pv/${v.name} has policy Recycle, and ${sourceOf(v.object)} volumes cannot be recycled: only NFS and hostPath can`,
      evidence: stateEvidence(v),
      fix: [
        fix(
          'keep the data: Recycle is deprecated, set Retain (or Delete, with a driver that can)',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
        forgetFix(v),
      ],
    };
  },
});

/** pv_controller isVolumeUsed: what a running pod has mounted is not wiped. */
export const pvRecycleInUse = objectRule('PersistentVolume', {
  cause: 'pv-recycle-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    const { namespace, name } = spec?.claimRef ?? {};
    if (policyOf(v.object) !== 'Recycle' || status?.phase !== 'Released' || namespace === undefined || !name)
      return undefined;
    const said = newestMatch(v.events.items, 'VolumeFailedRecycle', /Volume is used by pods: (.*)/);
    const { items, complete } = v.ask.podsUsing({ namespace, name });
    const pods = items.filter((pod) => !isTerminated(pod));
    if (pods.length === 0 && (complete || !said)) return undefined;
    const names = pods.length > 0 ? nameSome(pods.map((pod) => `pod/${pod.metadata.name}`)) : (said?.match[1] ?? '');
    return {
      confidence: pods.length > 0 ? 'certain' : 'likely',
      summary: `pv/${v.name} is to be recycled and is still used by ${names} in namespace ${namespace}`,
      evidence: [
        ...stateEvidence(v),
        ...pods.slice(0, 5).map((pod) => note(pod, `uses pvc/${name}, phase ${pod.status?.phase ?? 'unknown'}`)),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: [
        fix(
          'keep the data instead of wiping it: Recycle is deprecated, set Retain',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
        ...(pods.length > 0
          ? [
              fix(
                'data-loss: delete the pods; the volume is wiped then',
                `kubectl ${inNamespace(namespace)}delete pod ${pods
                  .slice(0, 20)
                  .map((pod) => shellWord(pod.metadata.name))
                  .join(' ')}`,
                'data-loss',
              ),
            ]
          : []),
      ],
    };
  },
});

/** pv_controller reclaimVolume knows three policies; another one comes from a server that is newer, or from a hand-made object. */
export const pvUnknownReclaimPolicy = objectRule('PersistentVolume', {
  cause: 'pv-unknown-reclaim-policy',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const policy = policyOf(v.object);
    const { status } = v.object;
    if (
      ['Retain', 'Delete', 'Recycle'].includes(policy) ||
      (status?.phase !== 'Released' && status?.phase !== 'Failed')
    )
      return undefined;
    const said = newestMatch(v.events.items, 'VolumeUnknownReclaimPolicy', /[^]*/);
    return {
      summary: `pv/${v.name} has the reclaim policy "${policy}", which nobody knows: nothing is done with it`,
      evidence: [...stateEvidence(v), ...(said ? [eventSaid(v.object, said.event)] : [])],
      fix: [
        fix(
          'set a policy that exists: Retain keeps the data',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
      ],
    };
  },
});

/** What the kube-controller-manager deletes itself it tries again and again, and keeps the reason in the volume's status. */
export const pvDeleteInTreeFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-in-tree-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Failed' || !status.message || spec?.csi || isLocalStatic(v.object)) return undefined;
    return {
      summary: `the volume controller cannot delete pv/${v.name}: ${status.message}`,
      evidence: stateEvidence(v),
      fix: [
        fix(
          'act on what the volume controller says: it tries again by itself',
          `kubectl describe pv ${shellWord(v.name)}`,
        ),
        fix(
          'if the volume is to be kept after all: set its policy to Retain',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
      ],
    };
  },
});
