import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { steps } from '../lib/steps.ts';
import { controllerErrorOf } from './controller-error.ts';
import { growthEvidence, resizerRetries, sizeNow, volumeOf, volumeWords } from './expansion.ts';
import { resizeSecretTexts } from '../lib/driver-error/sentences/resizer.ts';

/** A secret that may not be read is another cause: then rights are missing. */
const missingWords = resizeSecretTexts;

/** external-resizer getCredentials; pkg/volume/csi/expander.go for the node. */
export const resizeSecretMissing = claimRule({
  cause: 'resize-secret-missing',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const secret = findSecret(c);
    if (!secret) return undefined;
    const { name, namespace, isMissing } = secret;
    return {
      confidence: isMissing ? 'certain' : 'likely',
      about: `${namespace}/${name}`,
      summary:
        `Secret "${name}" in namespace ${namespace}, which ${isForNode(c.claim) ? 'the kubelet' : 'the resizer'} ` +
        `needs to grow ${volumeWords(c)}, ${isMissing ? 'does not exist' : 'was not found'}.${sizeNow(c)}`,
      evidence: evidenceOf(c, secret),
      fix: [adviceFor(c, secret)],
    };
  },
});

interface NeededSecret {
  readonly name: string;
  readonly namespace: string;
  /** The volume, where its spec names the secret. */
  readonly volume: Volume | undefined;
  readonly said: Evidence | undefined;
  /** Known not to exist; otherwise only the error says so. */
  readonly isMissing: boolean;
}

function findSecret(c: PresentClaim): NeededSecret | undefined {
  const volume = volumeOf(c);
  const reference = volume?.spec?.csi?.[referenceField(c)];
  const error = isForNode(c.claim) ? findNodeError(c) : findControllerError(c);
  const [, resizerName, resizerNamespace, kubeletNamespace, kubeletName] = error?.match ?? [];
  const name = reference?.name ?? resizerName ?? kubeletName;
  const namespace = reference?.namespace ?? resizerNamespace ?? kubeletNamespace;
  if (!name || !namespace) return undefined;
  const lookup = c.ask.get(
    'Secret',
    namespace,
    name,
    `whether secret ${namespace}/${name}, which is needed to grow pv/${c.volumeName}, exists`,
  );
  if (lookup.state === 'found' || (lookup.state === 'unknown' && !error)) return undefined;
  return {
    name,
    namespace,
    volume: reference && volume,
    said: error?.evidence,
    isMissing: lookup.state === 'missing',
  };
}

function referenceField({ claim }: PresentClaim): 'nodeExpandSecretRef' | 'controllerExpandSecretRef' {
  return isForNode(claim) ? 'nodeExpandSecretRef' : 'controllerExpandSecretRef';
}

interface SecretError {
  readonly match: RegExpExecArray;
  readonly evidence: Evidence;
}

function findControllerError(c: PresentClaim): SecretError | undefined {
  const error = controllerErrorOf(c);
  const match = error && missingWords.exec(error.text);
  return match ? { match, evidence: error.evidence } : undefined;
}

/** The kubelet reports it on the claim and on the pods that use it. */
function findNodeError(c: PresentClaim): SecretError | undefined {
  const reasons = ['VolumeResizeFailed', 'FileSystemResizeFailed', 'FailedMount'];
  for (const object of [c.claim, ...c.consumers.items.slice(0, 3)]) {
    const said = newestMatch(c.ask.eventsOf(object).items, reasons, missingWords);
    if (said) return { match: said.match, evidence: eventSaid(object, said.event) };
  }
  return undefined;
}

function evidenceOf(c: PresentClaim, { name, namespace, volume, said, isMissing }: NeededSecret): EvidenceList {
  return [
    ...growthEvidence(c),
    ...(isMissing ? [absent('Secret', name, namespace)] : []),
    ...(volume ? [field(volume, `spec.csi.${referenceField(c)}`)] : []),
    ...(said ? [said] : []),
  ];
}

function adviceFor({ claim }: PresentClaim, { name, namespace, volume }: NeededSecret): Fix {
  const { words, command } = secretContent(volume?.spec?.csi?.driver, namespace, name);
  const retry = isForNode(claim) ? 'The kubelet retries within a few minutes.' : resizerRetries;
  return steps(
    `Create Secret "${name}" in namespace ${namespace} with ${words}. ${retry} The volume cannot be pointed to another Secret.`,
    [command],
  );
}
