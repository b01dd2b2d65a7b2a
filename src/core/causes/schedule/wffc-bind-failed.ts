import type { Stage } from '../../report/report.ts';
import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import { aboutPod, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';

/**
 * What PreBind reports is how a fault in provisioning or binding ends, not the fault: these rules stand behind all
 * others of their stage. With a class that provisions they belong to provisioning, else to the scheduler.
 */
function bindTimeoutAt(stage: Stage): PodRule {
  return podRule({
    cause: 'wffc-bind-timeout',
    stage,
    severity: 'blocking',
    explain(p) {
      const [said] = schedulerSaid(p);
      if (p.isScheduled || !said || !storageTexts.bindTimeout.test(p.schedulingMessage?.raw ?? '')) return undefined;
      const { name, namespace } = p.pod.metadata;
      const open = p.claims.filter((claim) => !claim.isBound).map((claim) => `pvc/${claim.name}`);
      return {
        confidence: stage === 'provision' ? 'possible' : 'likely',
        about: aboutPod(p),
        summary: `the scheduler chose a place for pod/${name}, and ${open.length > 0 ? open.join(', ') : 'its claims'} did not get bound there within its ten minutes`,
        evidence: [said],
        fix:
          stage === 'provision'
            ? [
                fix(
                  'look at why no volume was made: the provisioner has the reason',
                  `kubectl ${inNamespace(namespace)}describe pvc ${p.claims.map((claim) => shellWord(claim.name)).join(' ')}`,
                ),
              ]
            : [
                fix('look at the volumes that were to be bound', 'kubectl get pv -o wide'),
                fix(
                  'delete the pod if a controller makes it again: a new one is placed afresh',
                  `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
                  'disruptive',
                ),
              ],
      };
    },
  });
}

/** lib provisionVolumeErrorHandling takes selected-node away, so that another node may be tried: select, fail, unselect. */
function provisionRescheduledAt(stage: Stage): PodRule {
  return podRule({
    cause: 'wffc-provision-rescheduled',
    stage,
    severity: 'blocking',
    explain(p) {
      const raw = p.schedulingMessage?.raw ?? '';
      const [said] = schedulerSaid(p);
      if (p.isScheduled || !said || !storageTexts.provisionFailed.test(raw)) return undefined;
      const named = /PVC "(?:[^"/]+\/)?([^"]+)"/.exec(raw)?.[1];
      const claim =
        p.claims.find((candidate) => candidate.name === named) ?? p.claims.find((candidate) => !candidate.isBound);
      if (!claim) return undefined;
      const failed = newestMatch(claim.events.items, 'ProvisioningFailed', /[^]*/);
      return {
        confidence: stage === 'provision' ? 'possible' : 'likely',
        about: aboutPod(p),
        summary: `a volume for pvc/${claim.name} could not be made on the node that was chosen; the choice was taken back, and the scheduler begins again`,
        evidence: [said, ...(failed && claim.claim ? [eventSaid(claim.claim, failed.event)] : [])],
        fix: [
          fix(
            'see what the provisioner said: usually the storage near that node is full',
            `kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`,
          ),
          fix(
            'see whether the driver publishes its free space (storageCapacity), by which the scheduler avoids nodes without room',
            'kubectl get csidrivers -o custom-columns=NAME:.metadata.name,CAPACITY:.spec.storageCapacity',
          ),
        ],
      };
    },
  });
}

/** The volume controller rolled a binding back while the scheduler waited for it (binder checkBindings); one retry is normal. */
export const wffcPvUnboundDuringBind = podRule({
  cause: 'wffc-pv-unbound-during-bind',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const volume = /ClaimRef got reset for pv "([^"]+)"/i.exec(p.schedulingMessage?.raw ?? '')?.[1];
    const [said] = schedulerSaid(p);
    if (p.isScheduled || volume === undefined || !said) return undefined;
    return {
      confidence: 'likely',
      about: `pv/${volume}`,
      summary: `pv/${volume} was taken away again while it was being bound for pod/${p.pod.metadata.name}: most likely another claim fits it as well`,
      evidence: [said],
      fix: [
        fix(
          'look whose the volume is, after one more retry',
          `kubectl get pv ${shellWord(volume)} -o jsonpath='{.spec.claimRef}'`,
        ),
        fix('look for a second claim of the same class that waits', 'kubectl get pvc -A'),
      ],
    };
  },
});

export const wffcBindTimeout = bindTimeoutAt('schedule');
export const wffcBindTimeoutOfProvision = bindTimeoutAt('provision');
export const wffcProvisionRescheduled = provisionRescheduledAt('schedule');
export const wffcProvisionRescheduledOfProvision = provisionRescheduledAt('provision');
