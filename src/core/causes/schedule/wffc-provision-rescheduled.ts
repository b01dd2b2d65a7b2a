import type { KubeEvent } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { eventSaid, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { aboutPod, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

/**
 * provisionVolumeErrorHandling of sig-storage-lib removes selected-node after a failure, so that the scheduler may try
 * another node. As in wffc-bind-timeout, the open stage depends on whether the class provisions.
 */
export const wffcProvisionRescheduled = provisionRescheduledAt('schedule');
export const wffcProvisionRescheduledOfProvision = provisionRescheduledAt('provision');

function provisionRescheduledAt(stage: 'schedule' | 'provision'): PodRule {
  return podRule({
    cause: 'wffc-provision-rescheduled',
    stage,
    severity: 'blocking',
    explain(p) {
      const [said] = schedulerSaid(p);
      const claim = said && findRescheduledClaim(p);
      if (!claim) return undefined;
      return {
        confidence: stage === 'provision' ? 'possible' : 'likely',
        about: aboutPod(p),
        summary:
          `The volume of pvc/${claim.name} could not be created for the node that the scheduler had selected. ` +
          `The provisioner removed the selection, and the scheduler tries again${reasonOf(claim)}.`,
        evidence: [said, ...provisionerSaid(claim)],
        fix: adviceFor(p, claim),
      };
    },
  });
}

/** The claim that the scheduler names, otherwise the first without a volume. */
function findRescheduledClaim(p: PodCase): ClaimCase | undefined {
  const raw = p.schedulingMessage?.raw ?? '';
  if (p.isScheduled || !storageTexts.provisionFailed.test(raw)) return undefined;
  const named = /PVC "(?:[^"/]+\/)?([^"]+)"/.exec(raw)?.[1];
  return p.claims.find((claim) => claim.name === named) ?? p.claims.find((claim) => !claim.isBound);
}

function failureOf({ events }: ClaimCase): KubeEvent | undefined {
  return newestMatch(events.items, 'ProvisioningFailed', /[^]*/)?.event;
}

function reasonOf(claim: ClaimCase): string {
  const failed = failureOf(claim);
  return failed ? `. The provisioner reported ${quoteWords(parseDriverError(messageOf(failed)).words)}` : '';
}

function provisionerSaid(claim: ClaimCase): Evidence[] {
  const failed = failureOf(claim);
  return failed && claim.claim ? [eventSaid(claim.claim, failed)] : [];
}

/** What the provisioner could not do decides; the usual reason is a pool near that node without room. */
function adviceFor(p: PodCase, claim: ClaimCase): Fix[] {
  const driver = claim.provisioner;
  const capacity = driver === undefined ? [] : publishCapacity(p, driver);
  if (failureOf(claim))
    return [
      steps(
        'Correct what the provisioner reports (quoted above); the usual reason is too little space near that ' +
          'node. The scheduler tries again automatically, within 5 minutes.',
        [],
      ),
      ...capacity,
    ];
  const logs = driver === undefined ? undefined : logsFix(findController(p.ask, driver, 'provisioner'));
  return [
    steps(
      'Read why the provisioner gave up, and correct that: its event on the claim is gone, so only its log has ' +
        'the reason. The usual one is too little space near that node. ' +
        'The scheduler tries again automatically, within 5 minutes.',
      logs?.command === undefined
        ? [`kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`]
        : [logs.command],
    ),
    ...capacity,
  ];
}

/** A driver that publishes its capacity keeps the scheduler away from nodes without room. */
function publishCapacity({ ask }: PodCase, driver: string): Fix[] {
  const object = ask.graph.find('CSIDriver', undefined, driver);
  if (object?.spec?.storageCapacity === true) return [];
  return [
    steps(
      `To keep the scheduler away from nodes without room, let ${driver} publish its capacity, if it supports ` +
        'that: --enable-capacity for its provisioner, then storageCapacity: true in its CSIDriver object.',
      [],
    ),
  ];
}
