import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotError } from '../../facts/snapshot/snapshot-case.ts';
import { apiForbiddenTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { isFromApiServer } from '../lib/driver-error/speakers.ts';
import {
  credentialsText,
  ownErrorTexts,
  takeFailedText,
  takenVolumeText,
} from '../lib/driver-error/sentences/snapshots.ts';
import { grantFix } from '../lib/grant.ts';
import type { Explanation } from '../lib/rule.ts';
import { handleOf } from '../lib/snapshot-content.ts';
import { steps } from '../lib/steps.ts';
import { driverWordsOf, tellWords } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { leavingSourceOf } from './leaving-source.ts';
import { refusalFixes } from './refusal-fixes.ts';
import { explainClassMissing } from './snap-class-missing.ts';
import { explainDefaultNone } from './snap-default-class-none.ts';
import { explainSecret } from './snap-secret-missing.ts';
import { explainNotBound } from './snap-source-not-bound.ts';
import { snapshotterOf } from './sidecar-trouble.ts';
import { driverLogFixes, isInFlight, orDriverLog } from './snapshot-progress.ts';
import { secretOfContent } from './snapshot-secret.ts';
import type { SecretName } from './snapshot-secret.ts';
import { errorEvidence, matchError, nameOf, ruleForBoth, speakerOf } from './snapshot-rule.ts';

/**
 * The sidecar reports the driver's refusal; once there is a status, a refusal to create is reported as a failed check.
 */
export const snapCreateFailed = ruleForBoth({
  cause: 'snap-create-failed',
  severity: 'blocking',
  explain(s) {
    if (isInFlight(s) || (s.content && handleOf(s.content) !== undefined)) return undefined;
    if (!s.error) return explainRefusedWrite(s);
    const words = driverWordsOf(s.error.message);
    if (isDriversAnswer(s.error, words)) return explainDriverError(s, s.error, words);
    return isExplainedElsewhere(s) ? undefined : explainOwnError(s, s.error, words);
  },
});

function isDriversAnswer({ message }: SnapshotError, { code }: DriverWords): boolean {
  return takeFailedText.test(message) || code !== undefined;
}

function explainDriverError(s: SnapshotCase, error: SnapshotError, words: DriverWords): Explanation {
  const driver = s.driver ?? 'The driver';
  const handle = s.content?.spec?.source?.volumeHandle;
  const leaving = leavingSourceOf(s);
  return {
    about: `${driver}/${words.skeleton}`,
    summary: `${tellWords(introOf(s, driver, words), words)}${leaving?.text ?? ''}`,
    evidence: [
      errorEvidence(error),
      ...(s.content && handle !== undefined ? [field(s.content, 'spec.source.volumeHandle')] : []),
      ...(leaving?.evidence ?? []),
    ],
    fix: orDriverLog(s, [...refusalFixes(s, words), ...(leaving?.fix ?? []), ...driverLogFixes(s)]),
  };
}

/** Where the call got no answer, the words are those of the csi-snapshotter. */
function introOf(s: SnapshotCase, driver: string, { speaker }: DriverWords): string {
  const volume = volumeText(s);
  return speaker === 'driver' || speaker === 'unknown'
    ? `${driver} refused to take a snapshot of ${volume}`
    : `${driver} did not answer when it was called to take a snapshot of ${volume}`;
}

/** `pvc/data (volume vol-1)`, or the volume alone where the claim is not known. */
function volumeText(s: SnapshotCase): string {
  const handle = s.content?.spec?.source?.volumeHandle ?? matchError(s, takenVolumeText)?.match[1] ?? '';
  const claim = s.snapshot?.spec?.source?.persistentVolumeClaimName;
  return claim === undefined ? `volume ${handle}` : `pvc/${claim} (volume ${handle})`;
}

/** What the controller or the sidecar itself complains about: every well-known fault was ruled out before. */
function explainOwnError(s: SnapshotCase, error: SnapshotError, words: DriverWords): Explanation {
  const isControllers = error.object.kind === 'VolumeSnapshot';
  const who = speakerOf(error);
  return {
    confidence: isControllers ? 'likely' : 'certain',
    summary: tellWords(`${nameOf(s)} has not been taken. ${capitalise(who)} reports`, words),
    evidence: [errorEvidence(error)],
    fix: [correctOwnError(s, words.text, who), ...(isControllers ? [] : driverLogFixes(s))],
  };
}

/** A rule that knows the words explains them, or is silent because what they complain about has been repaired. */
function isExplainedElsewhere(s: SnapshotCase): boolean {
  if (
    [explainClassMissing, explainDefaultNone, explainNotBound, explainSecret].some(
      (explain) => explain(s) !== undefined,
    )
  )
    return true;
  const isHidden = [
    s.contentLookup?.state,
    s.claim?.lookup.state,
    s.claim?.volume?.state,
    s.classLookup?.state,
  ].includes('unknown');
  return isHidden && matchError(s, ownErrorTexts) !== undefined;
}

/** The API server refused a finalizer or a content: that is reported as an event, and in no status. */
function explainRefusedWrite(s: SnapshotCase): Explanation | undefined {
  const { snapshot } = s;
  if (!snapshot || s.content) return undefined;
  const said = s.ask
    .eventsOf(snapshot)
    .items.filter(isRefusedWrite)
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
  if (!said) return undefined;
  const words = driverWordsOf(messageOf(said));
  return {
    confidence: 'likely',
    summary: tellWords(
      `${nameOf(s)} has not been taken. The API server refuses what the snapshot controller writes`,
      words,
    ),
    evidence: [eventSaid(snapshot, said)],
    fix: [correctOwnError(s, words.text, 'the snapshot controller')],
  };
}

/** Most often Kubernetes RBAC: the text then names the account and the right. */
function correctOwnError(s: SnapshotCase, text: string, who: string): Fix {
  const retry = `${capitalise(who)} retries within 5 minutes.`;
  const release = who === 'the snapshot controller' ? who : (s.driver ?? 'the driver');
  if (isFromApiServer(text) || apiForbiddenTexts.test(text)) return grantFix(text, release, retry, release);
  const secret = credentialsText.test(text) ? secretOfContent(s) : undefined;
  return secret ? letReadSecret(s, secret, retry) : fix(`Correct what ${who} names. ${retry}`);
}

/** rbac-csi-snapshotter.yaml leaves Secrets out: the rights on them are optional. */
function letReadSecret(s: SnapshotCase, { name, namespace }: SecretName, retry: string): Fix {
  const pod = s.driver === undefined ? undefined : snapshotterOf(s, s.driver).pods.items[0];
  const account = pod ? (pod.spec?.serviceAccountName ?? 'default') : 'PLACEHOLDER_ACCOUNT';
  const home = pod?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE';
  const role = shellWord(`${account}-snapshot-secret`);
  return steps(
    `Let the csi-snapshotter read Secret "${name}" in namespace ${namespace}, which exists: ` +
      'its manifests leave that right out unless it is switched ' +
      `on${pod ? '' : ' (PLACEHOLDER_NAMESPACE and PLACEHOLDER_ACCOUNT are those of its service account)'}. ${retry}`,
    [
      `kubectl -n ${shellWord(namespace)} create role ${role} --verb=get --resource=secrets --resource-name=${shellWord(name)}`,
      `kubectl -n ${shellWord(namespace)} create rolebinding ${role} --role=${role} --serviceaccount=${shellWord(`${home}:${account}`)}`,
    ],
  );
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isRefusedWrite(event: KubeEvent): boolean {
  return (
    event.type === 'Warning' &&
    /snapshot-controller/.test(componentOf(event)) &&
    /^(?:CreateSnapshotContentFailed|SnapshotFinalizerError|SnapshotStatusUpdateFailed)$/.test(event.reason ?? '')
  );
}
