import type { Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { aboutPod, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';

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
        summary: `a volume for pvc/${claim.name} could not be made on the node that was chosen; the choice was taken back, and the scheduler begins again`,
        evidence: [said, ...provisionerSaid(claim)],
        fix: adviceFor(claim),
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

function provisionerSaid({ claim, events }: ClaimCase): Evidence[] {
  const failed = newestMatch(events.items, 'ProvisioningFailed', /[^]*/);
  return failed && claim ? [eventSaid(claim, failed.event)] : [];
}

function adviceFor(claim: ClaimCase): Fix[] {
  return [
    fix(
      'see what the provisioner said: usually the storage near that node is full',
      `kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`,
    ),
    fix(
      'see whether the driver publishes its free space (storageCapacity), by which the scheduler avoids nodes without room',
      'kubectl get csidrivers -o custom-columns=NAME:.metadata.name,CAPACITY:.spec.storageCapacity',
    ),
  ];
}
