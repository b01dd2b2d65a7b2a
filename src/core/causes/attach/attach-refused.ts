import type { Evidence } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { shortWords } from './attach-error.ts';
import { attachmentEvidence, attachRules, confidenceOf } from './attach-trouble.ts';

const markedText = /PersistentVolume "([^"]*)" is marked for deletion/;

/** external-attacher csiAttach refuses to attach a volume that is being deleted, whoever still needs it. */
export const attachPvTerminating = attachRules('attach-pv-terminating', 'blocking', (trouble) => {
  const { volume, volumeName, error, lead, ask } = trouble;
  const object = volume?.state === 'found' ? volume.object : undefined;
  const deleted = object?.metadata.deletionTimestamp;
  const said = error && markedText.test(error.raw) ? error : undefined;
  if (deleted === undefined && (!said || object)) return undefined;
  const since = parseTime(deleted);
  const claim = object?.spec?.claimRef;
  const evidence = [
    ...(object && deleted !== undefined ? [field(object, 'metadata.deletionTimestamp')] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ];
  return {
    confidence: deleted === undefined ? confidenceOf(trouble) : 'certain',
    summary: `${lead}: the volume was told to go${since === undefined ? '' : ` ${ageText(since, ask.now)} ago`}, and one that is being deleted is never attached again`,
    evidence: evidence as [Evidence, ...Evidence[]],
    fix: [
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
    ],
  };
});

const secretText = /failed to load secret "([^"]+)"/;

/** external-attacher getCredentialsFromPV; the reference in the volume cannot be changed. */
export const attachSecretMissing = attachRules('attach-secret-missing', 'blocking', (trouble) => {
  const { ask, volume, error, lead, driver } = trouble;
  const object = volume?.state === 'found' ? volume.object : undefined;
  const reference = object?.spec?.csi?.controllerPublishSecretRef;
  const said = error && secretText.test(error.raw) ? error : undefined;
  const [namespace, name] = reference?.name
    ? [reference.namespace ?? '', reference.name]
    : (secretText.exec(said?.raw ?? '')?.[1]?.split('/') ?? []);
  if (name === undefined || namespace === undefined || (!reference?.name && !said)) return undefined;
  const secret = ask.get('Secret', namespace, name, `whether secret ${namespace}/${name}, needed to attach, exists`);
  const isForbidden = said !== undefined && /forbidden/.test(said.raw);
  if (secret.state === 'found' && !isForbidden) return undefined;
  if (secret.state === 'unknown' && !said) return undefined;
  const evidence = [
    ...(object && reference?.name
      ? [field(object, 'spec.csi.controllerPublishSecretRef', `${namespace}/${name}`)]
      : []),
    ...(secret.state === 'missing' ? [absent('Secret', name, namespace)] : []),
    ...(said ? [said.evidence] : []),
  ];
  const isDenied = isForbidden && secret.state !== 'missing';
  return {
    confidence: secret.state === 'missing' ? 'certain' : 'likely',
    about: `secret ${namespace}/${name}`,
    summary: isDenied
      ? `${lead}: the attacher may not read secret ${namespace}/${name}`
      : `${lead}: secret ${namespace}/${name}, which the volume names for it, ${secret.state === 'missing' ? 'does not exist' : 'could not be loaded'}`,
    evidence: evidence as [Evidence, ...Evidence[]],
    fix: isDenied
      ? [
          fix(
            `let the service account of the attacher${driver ? ` of ${driver}` : ''} read the secret`,
            `kubectl -n ${shellWord(namespace)} get role,rolebinding`,
          ),
        ]
      : [
          fix(
            'make the secret again, with the keys that the driver asks for: the reference in the volume cannot be changed',
            `kubectl -n ${shellWord(namespace)} create secret generic ${shellWord(name)} --from-literal=KEY=VALUE`,
          ),
        ],
  };
});

const finalizerText =
  /could not add PersistentVolume finalizer|could not save VolumeAttachment|could not (?:add|update) .{0,40}finalizer/i;

/** external-attacher addPVFinalizer and prepareVAFinalizer: nothing is attached before its finalizers are written. */
export const attachPvFinalizerDenied = attachRules('attach-pv-finalizer-denied', 'blocking', (trouble) => {
  const { error, lead, driver, ask, volumeName } = trouble;
  if (!error || !finalizerText.test(error.raw)) return undefined;
  const controller = driver === undefined ? undefined : findController(ask, driver, 'attacher');
  const pod = controller?.leader ?? controller?.pods.items[0];
  const account = pod?.spec?.serviceAccountName;
  const subject =
    account && pod?.metadata.namespace
      ? ` --as=system:serviceaccount:${pod.metadata.namespace}:${account}`
      : ' --as=system:serviceaccount:NAMESPACE:NAME';
  return {
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}: the attacher may not write its finalizer: ${shortWords(error)}`,
    evidence: [error.evidence, ...(pod && account ? [field(pod, 'spec.serviceAccountName')] : [])],
    fix: [
      fix(
        'give the attacher the right to patch volumes and attachments (its RBAC manifest), or repair the webhook that refuses it',
        `kubectl auth can-i patch persistentvolumes/${shellWord(volumeName)}${subject}`,
      ),
      fix('the same for the attachments', `kubectl auth can-i patch volumeattachments.storage.k8s.io${subject}`),
    ],
  };
});

const notCsiText =
  /pv spec contained non-csi source that was not migrated|failed to translate in ?tree pv to CSI|volume source is not (?:of type )?CSI/i;

/** external-attacher getCSISource: a volume that is neither CSI nor one that this attacher can translate. */
export const attachNotCsiPv = attachRules('attach-not-csi-pv', 'blocking', (trouble) => {
  const { error, lead, volume, driver, ask } = trouble;
  if (!error || !notCsiText.test(error.raw)) return undefined;
  const object = volume?.state === 'found' ? volume.object : undefined;
  const source =
    object &&
    Object.keys(object.spec ?? {}).find(
      (key) => /Disk|Store|cinder|Volume$|azureFile|portworx/i.test(key) && key !== 'csi',
    );
  return {
    confidence: confidenceOf(trouble),
    summary: `${lead}: it is a volume of an in-tree plugin${source ? ` (${source})` : ''}, and the attacher${driver ? ` of ${driver}` : ''} cannot turn it into one of its own`,
    evidence: [error.evidence, ...(object && source ? [note(object, `spec.${source} is set, spec.csi is not`)] : [])],
    fix: [
      fix('install a driver and an attacher that know CSI migration for this kind of volume', 'kubectl get csidrivers'),
      ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'))]),
    ],
  };
});
