import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import { attacherTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { volumeStart } from './attach-rpc.ts';
import { attachmentEvidence, attachRules, confidenceOf, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** external-attacher csiAttach refuses to attach a volume that is being deleted, even if a pod still needs it. */
export const attachPvTerminating = attachRules('attach-pv-terminating', 'blocking', (trouble) => {
  const { error, ask } = trouble;
  const object = volumeObjectOf(trouble);
  const deleted = object?.metadata.deletionTimestamp;
  const said = error && attacherTexts.deleting.test(error.raw) ? error : undefined;
  if (deleted === undefined && (!said || object)) return undefined;
  const evidence = someEvidence([
    ...(object && deleted !== undefined ? [field(object, 'metadata.deletionTimestamp')] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ]);
  if (!evidence) return undefined;
  const since = parseTime(deleted);
  const when = since === undefined ? '' : ` ${ageText(since, ask.now)} ago`;
  return {
    confidence: deleted === undefined ? confidenceOf(trouble) : 'certain',
    summary:
      `${volumeStart(trouble)} cannot be attached to ${trouble.node}: ` +
      `pv/${trouble.volumeName} was deleted${when}, and the attacher attaches no volume that is being deleted. ` +
      'A deletion cannot be undone.',
    evidence,
    fix: fixesFor(trouble),
  };
});

/** Retain keeps the data; then volume, claim and pod are recreated, because the deletion cannot be withdrawn. */
function fixesFor(trouble: AttachTrouble): Fix[] {
  const volume = volumeObjectOf(trouble) ?? {
    kind: 'PersistentVolume' as const,
    metadata: { name: trouble.volumeName },
  };
  const retain = patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  const pod = trouble.use?.p.pod ?? waitingPod(trouble);
  const claim = trouble.use?.claim?.claim ?? claimOf(trouble);
  const object = volumeObjectOf(trouble);
  if (!object || !claim || !pod)
    return [
      steps(
        'Set the policy to Retain and save the volume now, so that the data survives the deletion. ' +
          'Then recreate the volume from the file, without uid, resourceVersion, deletionTimestamp and ' +
          'status, and a claim for it.',
        [retain, saveCommand(volume)],
      ),
    ];
  return [
    steps(
      'Recreate the volume, its claim and the pod: the policy is set to Retain first, so that the data stays, ' +
        'and a volume that is being deleted cannot be kept. ' +
        `Stop all other pods of pvc/${claim.metadata.name} before that. The new volume has the same data.`,
      recreateVolumeCommands(trouble.ask, object, claim, pod, {}),
      'disruptive',
    ),
  ];
}

function claimOf(trouble: AttachTrouble): ReturnType<typeof find> {
  const { namespace, name } = volumeObjectOf(trouble)?.spec?.claimRef ?? {};
  return name ? find(trouble, namespace, name) : undefined;
}

const find = ({ ask }: AttachTrouble, namespace: string | undefined, name: string) =>
  ask.graph.find('PersistentVolumeClaim', namespace, name);

/** A pod in the snapshot that waits for the volume on the node of the attachment. */
function waitingPod(trouble: AttachTrouble): Pod | undefined {
  const { namespace, name } = volumeObjectOf(trouble)?.spec?.claimRef ?? {};
  return trouble.ask
    .seen('Pod')
    .find(
      ({ metadata, spec }) =>
        metadata.namespace === namespace &&
        spec?.nodeName === trouble.node &&
        (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
    );
}
