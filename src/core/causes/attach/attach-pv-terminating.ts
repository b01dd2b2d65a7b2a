import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { attachmentEvidence, attachRules, confidenceOf, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

const markedText = /PersistentVolume "([^"]*)" is marked for deletion/;

/** external-attacher csiAttach refuses to attach a volume that is being deleted, even if a pod still needs it. */
export const attachPvTerminating = attachRules('attach-pv-terminating', 'blocking', (trouble) => {
  const { error, lead, ask } = trouble;
  const object = volumeObjectOf(trouble);
  const deleted = object?.metadata.deletionTimestamp;
  const said = error && markedText.test(error.raw) ? error : undefined;
  if (deleted === undefined && (!said || object)) return undefined;
  const evidence = someEvidence([
    ...(object && deleted !== undefined ? [field(object, 'metadata.deletionTimestamp')] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ]);
  if (!evidence) return undefined;
  const since = parseTime(deleted);
  return {
    confidence: deleted === undefined ? confidenceOf(trouble) : 'certain',
    summary: `${lead}: the volume was told to go${since === undefined ? '' : ` ${ageText(since, ask.now)} ago`}, and one that is being deleted is never attached again`,
    evidence,
    fix: fixesFor(trouble),
  };
});

function fixesFor(trouble: AttachTrouble): Fix[] {
  const { volumeName } = trouble;
  const claim = volumeObjectOf(trouble)?.spec?.claimRef;
  return [
    fix(
      'look at the volume: what keeps it, and whether its data must be saved first',
      `kubectl get pv ${shellWord(volumeName)} -o yaml`,
    ),
    fix(
      'a deletion cannot be taken back: keep the disk (policy Retain) and make a new volume and claim for it, or restore from a snapshot',
      `kubectl patch pv ${shellWord(volumeName)} --type merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
    ),
    ...(claim?.name
      ? [
          fix(
            'or give the pod a new claim',
            `kubectl ${inNamespace(claim.namespace)}get pvc ${shellWord(claim.name)} -o yaml`,
          ),
        ]
      : []),
  ];
}
