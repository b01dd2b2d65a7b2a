import { eventSaid, field } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import { tokenMissingTexts } from '../lib/driver-error/senses/credentials.ts';
import { failureOf } from './mount-failure.ts';
import { retryWords } from './failed-mount.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * With serviceAccountTokenInSecrets the kubelet hands the tokens over in the secrets of NodePublishVolume instead of
 * the volume context (KEP-5538, GA in 1.36). A driver that is older than the field looks for them in the old place
 * only.
 */
export const mountTokenInSecrets = podRule({
  cause: 'mount-token-in-secrets',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'publish');
    if (!failure || !tokenMissingTexts.test(failure.text)) return undefined;
    const use = toldVolume(p, failure);
    const { driver } = use ?? {};
    if (driver === undefined) return undefined;
    const lookup = p.ask.get('CSIDriver', undefined, driver, `how ${driver} gets the tokens of service accounts`);
    if (lookup.state !== 'found' || lookup.object.spec?.serviceAccountTokenInSecrets !== true) return undefined;
    if ((lookup.object.spec.tokenRequests ?? []).length === 0) return undefined;
    return {
      confidence: 'likely',
      about: `${driver} tokens`,
      summary:
        `${driver} finds no service account token for ${volumeWords(use, failure)} of ${podWords(p)} ` +
        `(${quoted(ownWords(failure.text))}). ` +
        'Its CSIDriver has tokens handed over as secrets, where only a driver that knows the ' +
        'field looks for them.',
      evidence: [
        eventSaid(p.pod, failure.event),
        field(lookup.object, 'spec.serviceAccountTokenInSecrets', 'true'),
        field(lookup.object, 'spec.tokenRequests'),
      ],
      fix: [
        steps(
          'Hand the tokens over in the volume context again, until the driver is upgraded to a release that reads ' +
            `them from the secrets. Drivers that log the context then log tokens, too. ${retryWords}`,
          [patchCommand(lookup.object, { spec: { serviceAccountTokenInSecrets: false } })],
          'disruptive',
        ),
      ],
    };
  },
});
