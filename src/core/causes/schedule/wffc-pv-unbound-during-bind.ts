import type { Fix } from '../../report/report.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import { schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';

/** The volume controller undid a binding while the scheduler waited for it (binder checkBindings); one retry is normal. */
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
      fix: adviceFor(volume),
    };
  },
});

function adviceFor(volume: string): Fix[] {
  return [
    fix(
      'look whose the volume is, after one more retry',
      `kubectl get pv ${shellWord(volume)} -o jsonpath='{.spec.claimRef}'`,
    ),
    fix('look for a second claim of the same class that waits', 'kubectl get pvc -A'),
  ];
}
