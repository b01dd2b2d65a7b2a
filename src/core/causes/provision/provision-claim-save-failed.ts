import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, fix } from '../../facts/evidence.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { admissionPolicyText, admissionWebhookText } from '../lib/driver-error/senses/kubernetes.ts';
import { changedMeanwhileText, claimSaveFailedText } from '../lib/driver-error/sentences/volume-controller.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { reviveWebhook, unansweredWebhookIn, webhookEvidence, webhookText } from '../lib/unanswered-webhook.ts';
import { provisionerOf, volumeController } from './provisioner.ts';

/**
 * pv_controller setClaimProvisioner: before a provisioner is asked, the claim is saved with an annotation that names
 * it.
 */
export const provisionClaimSaveFailed = claimRule({
  cause: 'provision-claim-save-failed',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const event = refusalOf(c);
    if (!event) return undefined;
    const said = messageOf(event).replace(claimSaveFailedText, '');
    const webhook = unansweredWebhookIn(c.ask, said);
    const whom = provisionerOf(c)?.name ?? 'the provisioner';
    return {
      confidence: 'likely',
      about: webhook?.name ?? 'admission',
      summary: webhook
        ? `The API server saves no change of ${claimText(c)}, because webhook "${webhook.name}" does not answer (${quoteWords(webhook.reason)}).${webhookText(c.ask, webhook, c.now)} So ${whom} was never asked to create a volume.`
        : `The API server refuses to save ${claimText(c)}, so ${whom} was never asked to create a volume: ${sentence(quoteWords(said))}`,
      evidence: [
        eventSaid(c.claim, event),
        {
          ...absent('PersistentVolumeClaim', c.name, c.namespace),
          path: 'metadata.annotations[volume.kubernetes.io/storage-provisioner]',
          value: 'not set',
        },
        ...(webhook ? webhookEvidence(c.ask, webhook, c.now) : []),
      ],
      fix: webhook
        ? reviveWebhook(c.ask, webhook, c.now, 'The claim is then provisioned automatically, within minutes.')
        : [admitClaim(said)],
    };
  },
});

/** What the API server answered the last time, if the claim has not been saved since. */
function refusalOf(c: PresentClaim): KubeEvent | undefined {
  if (c.askedProvisioner !== undefined) return undefined;
  const [event] = c.events.items
    .filter(
      (each) =>
        each.reason === 'ProvisioningFailed' &&
        componentOf(each) === volumeController &&
        claimSaveFailedText.test(messageOf(each)) &&
        !changedMeanwhileText.test(messageOf(each)),
    )
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  return event;
}

/** A rule refuses every change, also the annotation that the volume controller writes. */
function admitClaim(said: string): Fix {
  const webhook = admissionWebhookText.exec(said)?.[1];
  const policy = admissionPolicyText.exec(said)?.[1];
  const rule =
    (webhook !== undefined && `admission webhook "${webhook}"`) ||
    (policy !== undefined && `admission policy "${policy}"`) ||
    'the rule that the error names';
  return fix(
    `Ask the owner of ${rule} to accept updates of this claim by the kube-controller-manager, or change what it refuses in the claim. The claim is then provisioned automatically, within minutes.`,
  );
}
