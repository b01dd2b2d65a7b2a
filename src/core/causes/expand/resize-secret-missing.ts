import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import { isForNode } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { controllerErrorOf, growthEvidence, volumeOf } from './expansion.ts';

/** A secret that may not be read is another matter: there the rights are missing. */
const missingWords =
  /error getting secret (\S+) in namespace (\S+?): (?!.*is forbidden)|failed to get NodeExpandSecretRef (\S+?)\/(\S+?):? /s;

/** external-resizer getCredentials; pkg/volume/csi/expander.go for the node. */
export const resizeSecretMissing = claimRule({
  cause: 'resize-secret-missing',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const volume = volumeOf(c);
    const which = isForNode(c.claim) ? 'nodeExpandSecretRef' : 'controllerExpandSecretRef';
    const reference = volume?.spec?.csi?.[which];
    const error = isForNode(c.claim) ? nodeWords(c) : controllerWords(c);
    const told = error?.match;
    const name = reference?.name ?? told?.[1] ?? told?.[4];
    const namespace = reference?.namespace ?? told?.[2] ?? told?.[3];
    if (!name || !namespace) return undefined;
    const secret = c.ask.get(
      'Secret',
      namespace,
      name,
      `whether secret ${namespace}/${name}, which is needed to grow pv/${c.volumeName}, exists`,
    );
    if (secret.state === 'found' || (secret.state === 'unknown' && !told)) return undefined;
    const isMissing = secret.state === 'missing';
    return {
      confidence: isMissing ? 'certain' : 'likely',
      about: `${namespace}/${name}`,
      summary: `secret ${name} in namespace ${namespace}, which is needed to grow pv/${c.volumeName}, ${isMissing ? 'does not exist' : 'was not found'}`,
      evidence: [
        ...growthEvidence(c),
        ...(isMissing ? [absent('Secret', name, namespace)] : []),
        ...(volume && reference ? [field(volume, `spec.csi.${which}`)] : []),
        ...(error ? [error.evidence] : []),
      ],
      fix: [
        fix(
          'create the secret as the documentation of the driver says: the growth then goes on by itself',
          `kubectl ${inNamespace(namespace)}get secret ${shellWord(name)}`,
        ),
      ],
    };
  },
});

function controllerWords(c: PresentClaim) {
  const error = controllerErrorOf(c);
  const match = error && missingWords.exec(error.text);
  return error && match ? { match, evidence: error.evidence } : undefined;
}

/** The kubelet speaks of it on the pods that use the claim, and on the claim. */
function nodeWords(c: PresentClaim) {
  const reasons = ['VolumeResizeFailed', 'FileSystemResizeFailed', 'FailedMount'];
  for (const object of [c.claim, ...c.consumers.items.slice(0, 3)]) {
    const said = newestMatch(c.ask.eventsOf(object).items, reasons, missingWords);
    if (said) return { match: said.match, evidence: eventSaid(object, said.event) };
  }
  return undefined;
}
