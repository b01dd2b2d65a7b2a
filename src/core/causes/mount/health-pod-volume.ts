import { field } from '../../facts/evidence.ts';
import type { HealthCondition, Pod } from '../../kube/kinds.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { adverseConditions, conditionEvidence, describeConditions } from './health-conditions.ts';

/** The kubelet writes down what NodeGetVolumeHealth answers, also for volumes that it could not mount. */
export const healthPodVolume = podRule({
  cause: 'health-pod-volume',
  stage: 'mount',
  severity: 'warning',
  explain({ pod }) {
    const unhealthy = findUnhealthyVolumes(pod);
    const [first] = unhealthy;
    if (!first) return undefined;
    const claim = pod.spec?.volumes?.find(({ name }) => name === first.name)?.persistentVolumeClaim?.claimName;
    const { namespace = '', name } = pod.metadata;
    return {
      summary:
        `The driver on ${pod.spec?.nodeName ?? 'the node'} reports volume ` +
        `"${first.name}"${claim === undefined ? '' : ` (pvc/${claim})`} of pod/${name} in namespace ${namespace} ` +
        `as unhealthy: ${describeConditions(first.conditions)}.`,
      evidence: evidenceOf(pod, unhealthy),
      fix: [
        steps(
          'Ask your storage team to check the volume. If data is lost, copy what can still be read before anything else.',
          [],
        ),
      ],
    };
  },
});

interface UnhealthyVolume {
  readonly name: string;
  readonly conditions: readonly HealthCondition[];
}

function findUnhealthyVolumes({ status }: Pod): UnhealthyVolume[] {
  return (status?.volumeHealth ?? [])
    .map((report) => ({ name: report.name ?? '', conditions: adverseConditions(report) }))
    .filter(({ conditions }) => conditions.length > 0);
}

function evidenceOf(pod: Pod, unhealthy: readonly UnhealthyVolume[]): Explanation['evidence'] {
  const [first, ...rest] = unhealthy.flatMap(({ name, conditions }) =>
    conditionEvidence(pod, `status.volumeHealth[${name}]`, conditions),
  );
  return [first ?? field(pod, 'status.volumeHealth'), ...rest];
}
