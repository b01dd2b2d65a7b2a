import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { aboutPod, delayedClaims } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** By design: the scheduler ignores a pod until its gates are removed (SchedulingGates, 1.27 and later). */
export const wffcPodGated = podRule({
  cause: 'wffc-pod-gated',
  stage: 'schedule',
  severity: 'info',
  explain(p) {
    const gates = (p.pod.spec?.schedulingGates ?? []).flatMap(({ name }) => (name ? [name] : []));
    if (p.isScheduled || gates.length === 0) return undefined;
    const claims = delayedClaims(p).map((claim) => `pvc/${claim.name}`);
    const waiting =
      claims.length > 0 ? ` ${claims.join(', ')} ${claims.length > 1 ? 'wait' : 'waits'} for the pod.` : '';
    return {
      about: aboutPod(p),
      summary:
        `pod/${p.pod.metadata.name} is not scheduled until scheduling gate "${gates.join('", "')}" is removed. ` +
        `This is expected.${waiting}`,
      evidence: [field(p.pod, 'spec.schedulingGates', gates.join(', '))],
      fix: adviceFor(p.pod, gates),
    };
  },
});

/** Controllers whose gates are common, and where they say what they wait for. */
const knownGates: readonly (readonly [RegExp, string, string])[] = [
  [/^kueue\.x-k8s\.io\//, 'Kueue admits its workload', 'workloads.kueue.x-k8s.io'],
];

function adviceFor(pod: Pod, gates: readonly string[]): Fix[] {
  const known = knownGates.find(([pattern]) => gates.some((gate) => pattern.test(gate)));
  const wait = known
    ? steps(`Wait until ${known[1]}: its status says what it waits for. The pod is then scheduled automatically.`, [
        `kubectl ${inNamespace(pod.metadata.namespace)}get ${shellWord(known[2])} -o wide`,
      ])
    : steps(
        `Ask the owner of the controller that sets gate "${gates.join('", "')}" (a queue or quota controller) ` +
          'what it waits for. It removes the gate when the pod may run.',
        [],
      );
  const patch = gates.toReversed().flatMap((name, index) => {
    const path = `/spec/schedulingGates/${gates.length - 1 - index}`;
    return [
      { op: 'test', path: `${path}/name`, value: name },
      { op: 'remove', path },
    ];
  });
  return [
    wait,
    steps('If that controller does not exist any more, remove the gate. The pod is then scheduled at once.', [
      kubectl('patch', pod, `--type=json -p ${shellWord(JSON.stringify(patch))}`),
    ]),
  ];
}
