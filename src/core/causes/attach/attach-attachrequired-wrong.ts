import type { CsiDriver } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import type { Explanation } from '../lib/rule.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { applyCommand, fileOf, kubectl, saveCommand, steps } from '../lib/steps.ts';
import { retryText } from './attach-retry.ts';
import { attachmentEvidence, attachRules, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { attacherTraces, isTouched, missingLease } from './attacher-health.ts';
import { silenceOf, silenceSeconds } from './attacher-silence.ts';
import type { AttacherSilence } from './attacher-silence.ts';
import { misnamedAttacher } from './misnamed-attacher.ts';
import type { MisnamedAttacher } from './misnamed-attacher.ts';

/** A driver without any attacher, whose CSIDriver object asks for one or does not exist. */
interface Unattended extends AttacherSilence {
  /** Undefined: it does not exist. */
  readonly object: CsiDriver | undefined;
  readonly misnamed: MisnamedAttacher | undefined;
  /** The only CSIDriver object whose name no node has registered: the driver or the object was renamed. */
  readonly unused: CsiDriver | undefined;
  /** Every place where an attacher could run was read, and there is none. */
  readonly isAbsent: boolean;
}

/**
 * csi_plugin.go skipAttach: without a CSIDriver object, or without attachRequired: false in it, an attacher is waited
 * for.
 */
export const attachAttachRequiredWrong = attachRules('attach-attachrequired-wrong', 'blocking', (trouble) => {
  const found = findUnattended(trouble);
  if (!found) return undefined;
  const { driver, object, misnamed, isAbsent } = found;
  const why = object
    ? `CSIDriver "${driver}" has attachRequired: true`
    : `CSIDriver "${driver}" does not exist, so an attach is required by default`;
  const attacher = misnamed ? ` An attacher runs ${misnamed.where}.` : '';
  const design = mountOnly.test(driver) ? ` ${driver} has none by design: its volumes are only mounted.` : '';
  const other = found.unused
    ? ` CSIDriver "${found.unused.metadata.name}" has attachRequired: ` +
      'false, and no node has registered a driver of that name: most likely it was meant for this one.'
    : '';
  return {
    confidence: isAbsent && !misnamed ? 'certain' : 'likely',
    about: driver,
    summary: `${trouble.lead}: ${why}, and no attacher of this driver ${isAbsent ? 'is deployed' : 'answers'}.${design}${attacher}${other}`,
    evidence: evidenceOf(trouble, found),
    fix: fixesFor(trouble, found),
  };
});

function findUnattended(trouble: AttachTrouble): Unattended | undefined {
  const { ask, attachment, waitedSeconds, error } = trouble;
  const silence = silenceOf(trouble);
  if (!silence || waitedSeconds < silenceSeconds || error?.from === 'object') return undefined;
  const { driver, health } = silence;
  if (
    health.state === 'alive' ||
    health.state === 'dead' ||
    (attachment.state === 'found' && isTouched(attachment.object.metadata))
  )
    return undefined;
  const lookup = ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
  const isAbsent = health.state === 'absent';
  // Where the attacher could not be looked for, only a missing CSIDriver object proves the cause.
  if (lookup.state === 'unknown' || (!isAbsent && lookup.state !== 'missing')) return undefined;
  if (attacherTraces(ask, driver, volumeObjectOf(trouble)).length > 0) return undefined;
  const object = lookup.state === 'found' ? lookup.object : undefined;
  return {
    ...silence,
    object,
    misnamed: misnamedAttacher(ask, driver),
    unused: object ? undefined : unusedObject(ask),
    isAbsent,
  };
}

function unusedObject(ask: Inquiry): CsiDriver | undefined {
  const registered = new Set(ask.seen('CSINode').flatMap(({ spec }) => (spec?.drivers ?? []).map(({ name }) => name)));
  const unused = ask.seen('CSIDriver').filter(({ metadata }) => !registered.has(metadata.name));
  const [only] = unused;
  return registered.size > 0 && unused.length === 1 && only?.spec?.attachRequired === false ? only : undefined;
}

function evidenceOf(
  trouble: AttachTrouble,
  { driver, health, said, object, misnamed, unused }: Unattended,
): Explanation['evidence'] {
  return [
    object ? attachRequiredOf(object) : absent('CSIDriver', driver),
    ...(unused ? [attachRequiredOf(unused)] : []),
    ...missingLease(health),
    ...(misnamed ? [misnamed.evidence] : []),
    ...attachmentEvidence(trouble),
    ...said,
  ];
}

function attachRequiredOf(object: CsiDriver): Evidence {
  return field(object, 'spec.attachRequired', object.spec?.attachRequired ?? true);
}

/** A driver whose attacher runs under another name does attach, so its CSIDriver object is right. */
function fixesFor(trouble: AttachTrouble, found: Unattended): Fix[] {
  const { driver, misnamed } = found;
  const deploy = steps(
    `If ${driver} does attach volumes, deploy the external-attacher next to its controller. ${retryText(trouble)}`,
    [],
  );
  if (mountOnly.test(driver)) return [mountOnlyFix(trouble, found)];
  if (!misnamed) return [declareFix(found), deploy];
  return [
    steps(
      `Give the driver in the controller the name ${driver}, under which the nodes have registered it (in most ` +
        `drivers --drivername), so that its attacher serves these volumes. ${retryText(trouble)}`,
      [],
      'disruptive',
    ),
    {
      ...declareFix(found),
      text: `Only if that attacher belongs to another driver: ${uncapitalise(declareFix(found).text)}`,
    },
  ];
}

/** File shares and object stores that are mounted over the network: their drivers have no attacher. */
const mountOnly =
  /^(?:(?:efs|fsx|s3)\.csi\.aws\.com|(?:file|blob)\.csi\.azure\.com|(?:nfs|smb)\.csi\.k8s\.io|gcsfuse\.csi\.storage\.gke\.io|csi\.juicefs\.com|secrets-store\.csi\.k8s\.io)$/;

/** The pod is recreated, because its kubelet has begun to wait for an attachment. */
function mountOnlyFix(trouble: AttachTrouble, found: Unattended): Fix {
  const { driver } = found;
  const pod = trouble.use?.p.pod;
  const declare = declareFix(found);
  const restart = pod ? restartPodCommands(pod) : [];
  const again = pod ? ' and recreate the pod' : '';
  const how = found.object
    ? `Recreate the CSIDriver object of ${driver} with attachRequired: false${again}. Running pods keep their volumes.${keeperNote(found.object)}`
    : `Create the CSIDriver object of ${driver} with attachRequired: false${again}; best from the manifests of the driver, otherwise with this line.`;
  return steps(
    `${how} Kubernetes then skips the attach. An attachment that is left over is not attached and can stay.`,
    [...(declare.commands ?? (declare.command === undefined ? [] : [declare.command])), ...restart],
    declare.risk,
  );
}

function uncapitalise(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const skipText = 'Kubernetes then skips the attach, and the pod starts within about 5 minutes.';

/** The object says that nothing is attached, as for file shares and volumes that are local to a node. */
function declareFix({ driver, object, unused }: Unattended): Fix {
  if (object)
    return steps(
      'Recreate the CSIDriver object with attachRequired: false, which cannot be changed in place, if ' +
        `${driver} attaches nothing: its documentation then lists no external-attacher. ` +
        `Running pods keep their volumes. ${skipText}${keeperNote(object)}`,
      recreateCommands(object, { spec: { attachRequired: false } }),
      'disruptive',
    );
  if (unused)
    return steps(
      `Create the CSIDriver object under the name ${driver}, as a copy of "${unused.metadata.name}", and ` +
        `delete that one; correct the name in the chart or manifest too. ${skipText}`,
      [
        saveCommand(unused),
        `kubectl patch --local -f ${shellWord(fileOf(unused))} --type=merge -p ` +
          `${shellWord(JSON.stringify({ metadata: { name: driver, uid: null, resourceVersion: null, creationTimestamp: null } }))} ` +
          '-o yaml | kubectl create -f -',
        kubectl('delete', unused),
      ],
    );
  return steps(
    'Create the CSIDriver object from the manifests of the driver. ' +
      `Where they are not at hand and ${driver} attaches nothing, this line creates the least that ` +
      `is needed. ${skipText}`,
    [
      applyCommand({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: driver },
        spec: { attachRequired: false },
      }),
    ],
  );
}
