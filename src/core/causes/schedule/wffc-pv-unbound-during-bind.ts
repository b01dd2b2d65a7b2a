import type { Fix } from '../../report/report.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';

/**
 * The volume controller undid a binding while the scheduler waited for it (binder checkBindings); one retry is normal.
 */
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
      summary:
        `The binding of pv/${volume} for pod/${p.pod.metadata.name} was undone while the scheduler waited for ` +
        'it. Most likely another claim fits the volume as well.',
      evidence: [said],
      fix: adviceFor(p, volume),
    };
  },
});

/** A reserved volume is left alone by every other claim (pv_controller syncVolume). */
function adviceFor(p: PodCase, name: string): Fix[] {
  const volume = p.ask.graph.find('PersistentVolume', undefined, name);
  const claim = delayedClaims(p).find(
    ({ class: { name: className } }) => !volume || volume.spec?.storageClassName === className,
  );
  const holder = volume?.spec?.claimRef;
  if (holder?.name !== undefined && holder.name !== claim?.name)
    return [
      steps(
        `Create another volume of StorageClass "${volume?.spec?.storageClassName ?? ''}" for ` +
          `pvc/${claim?.name ?? ''}: pv/${name} now belongs to claim ${holder.namespace ?? ''}/${holder.name}. ` +
          'The scheduler tries again automatically.',
        [],
      ),
    ];
  const wait = steps('Wait for the next attempt of the scheduler, within 5 minutes: one lost race is normal.', []);
  if (!claim) return [wait];
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: claim.namespace,
    name: claim.name,
  };
  return [
    steps(
      `Reserve pv/${name} for pvc/${claim.name}, so that no other claim takes it. ` +
        `The two are then bound, and pod/${p.pod.metadata.name} is scheduled automatically, within 5 minutes.`,
      [patchCommand({ kind: 'PersistentVolume', metadata: { name } }, { spec: { claimRef } })],
    ),
    wait,
  ];
}
