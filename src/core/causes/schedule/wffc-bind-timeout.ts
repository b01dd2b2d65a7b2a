import type { Fix } from '../../report/report.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { aboutPod, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';

type FailedStage = 'schedule' | 'provision';

/**
 * A timeout in PreBind is the result of a fault in provisioning or binding, not the fault itself: these rules stand
 * last in their stage. With a class that provisions, the open stage is provisioning, otherwise scheduling.
 */
export const wffcBindTimeout = bindTimeoutAt('schedule');
export const wffcBindTimeoutOfProvision = bindTimeoutAt('provision');

function bindTimeoutAt(stage: FailedStage): PodRule {
  return podRule({
    cause: 'wffc-bind-timeout',
    stage,
    severity: 'blocking',
    explain(p) {
      const [said] = schedulerSaid(p);
      if (p.isScheduled || !said || !storageTexts.bindTimeout.test(p.schedulingMessage?.raw ?? '')) return undefined;
      const unbound = p.claims.filter((claim) => !claim.isBound).map((claim) => `pvc/${claim.name}`);
      return {
        confidence: stage === 'provision' ? 'possible' : 'likely',
        about: aboutPod(p),
        summary: `the scheduler chose a place for pod/${p.pod.metadata.name}, and ${unbound.length > 0 ? unbound.join(', ') : 'its claims'} did not get bound there within its ten minutes`,
        evidence: [said],
        fix: stage === 'provision' ? lookAtClaims(p) : lookAtVolumes(p),
      };
    },
  });
}

function lookAtClaims(p: PodCase): Fix[] {
  return [
    fix(
      'look at why no volume was made: the provisioner has the reason',
      `kubectl ${inNamespace(p.pod.metadata.namespace)}describe pvc ${p.claims.map((claim) => shellWord(claim.name)).join(' ')}`,
    ),
  ];
}

function lookAtVolumes(p: PodCase): Fix[] {
  const { name, namespace } = p.pod.metadata;
  return [
    fix('look at the volumes that were to be bound', 'kubectl get pv -o wide'),
    fix(
      'delete the pod if a controller makes it again: a new one is placed afresh',
      `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
      'disruptive',
    ),
  ];
}
