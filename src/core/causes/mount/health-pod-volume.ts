import { fix, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { conditionEvidence, conditionsIn, meaningOf } from './health-conditions.ts';

/** The kubelet writes down what NodeGetVolumeHealth answers, also for volumes that it could not mount. */
export const healthPodVolume = podRule({
  cause: 'health-pod-volume',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const sick = (p.pod.status?.volumeHealth ?? [])
      .map((report) => ({ name: report.name ?? '', conditions: conditionsIn(report) }))
      .filter(({ conditions }) => conditions.length > 0);
    const [first] = sick;
    if (!first) return undefined;
    const claim = p.pod.spec?.volumes?.find(({ name }) => name === first.name)?.persistentVolumeClaim?.claimName;
    const [evidence, ...more] = sick.flatMap(({ name, conditions }) =>
      conditionEvidence(p.pod, `status.volumeHealth[${name}]`, conditions),
    );
    return {
      summary: `the driver on ${p.pod.spec?.nodeName ?? 'the node'} reports volume ${first.name}${claim === undefined ? '' : ` (pvc/${claim})`} of pod/${p.pod.metadata.name} as sick: ${meaningOf(first.conditions)}`,
      evidence: [evidence ?? field(p.pod, 'status.volumeHealth'), ...more],
      fix: [
        fix(
          'look after the volume in the storage backend, and save what can be read if data is lost',
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.status.volumeHealth}'`,
        ),
      ],
    };
  },
});
