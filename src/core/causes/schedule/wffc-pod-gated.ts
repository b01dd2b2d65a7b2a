import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { aboutPod, delayedClaims } from '../../facts/pod/pod-placement.ts';

/** By design: the scheduler ignores a pod until its gates are removed (SchedulingGates, 1.27 and later). */
export const wffcPodGated = podRule({
  cause: 'wffc-pod-gated',
  stage: 'schedule',
  severity: 'info',
  explain(p) {
    const gates = (p.pod.spec?.schedulingGates ?? []).flatMap(({ name }) => (name ? [name] : []));
    if (p.isScheduled || gates.length === 0) return undefined;
    const { name, namespace } = p.pod.metadata;
    const claims = delayedClaims(p).map((claim) => `pvc/${claim.name}`);
    return {
      about: aboutPod(p),
      summary: `pod/${name} is held by the scheduling gate ${gates.join(', ')}${claims.length > 0 ? `, and ${claims.join(', ')} waits for the pod` : ''}: whoever set the gate has to lift it`,
      evidence: [field(p.pod, 'spec.schedulingGates', gates.join(', '))],
      fix: [
        fix(
          'find who sets and lifts this gate (a queue or a quota controller) and see what it waits for',
          `kubectl ${inNamespace(namespace)}get pod ${shellWord(name)} -o jsonpath='{.spec.schedulingGates}{"\\n"}{.metadata.ownerReferences}'`,
        ),
      ],
    };
  },
});
