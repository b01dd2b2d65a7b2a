import type { Container } from '../../kube/kinds.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { podWords } from './told-volume.ts';

type Use = 'volumeMounts' | 'volumeDevices';

/** A raw device cannot be mounted as a directory, nor a file system be handed over as a device (desired_state_of_world_populator.go createVolumeSpec). */
export const mountVolumemodeUsage = podRule({
  cause: 'mount-volumemode-usage',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const { spec } = p.pod;
    const containers: readonly Container[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const failure = failureOf(p, 'volumeMode');
    for (const use of volumeUsesOf(p)) {
      const { claim, volumeObject: volume } = use;
      const source = volume ?? claim?.claim;
      if (!claim || !source) continue;
      const mode = source.spec?.volumeMode ?? 'Filesystem';
      const wrong: Use = mode === 'Block' ? 'volumeMounts' : 'volumeDevices';
      const container = containers.find((candidate) => candidate[wrong]?.some(({ name }) => name === use.name));
      if (!container) continue;
      const right: Use = mode === 'Block' ? 'volumeDevices' : 'volumeMounts';
      return {
        summary: `volume ${use.name} (pvc/${claim.name}) has volumeMode ${mode}, but container ${container.name ?? ''} of ${podWords(p)} uses it in ${wrong}`,
        evidence: [
          field(source, 'spec.volumeMode', mode),
          field(p.pod, `spec.containers[${container.name ?? ''}].${wrong}`, use.name),
          ...(failure ? [eventSaid(p.pod, failure.event)] : []),
        ],
        fix: [
          fix(
            `make the pod again with the volume in ${right}`,
            `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
            'disruptive',
          ),
          fix(
            `or use a claim with volumeMode ${mode === 'Block' ? 'Filesystem' : 'Block'}: that of a claim cannot be changed`,
            `kubectl ${inNamespace(claim.namespace)}get pvc ${shellWord(claim.name)} -o jsonpath='{.spec.volumeMode}'`,
          ),
        ],
      };
    }
    const told =
      failure &&
      /volume (\S+) has volumeMode (Block|Filesystem), but is specified in (volumeMounts|volumeDevices)/.exec(
        failure.text,
      );
    if (!failure || !told) return undefined;
    return {
      confidence: 'likely',
      summary: `volume ${told[1] ?? ''} has volumeMode ${told[2] ?? ''}, but ${podWords(p)} uses it in ${told[3] ?? ''}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [
        fix(
          `make the pod again with the volume in ${told[3] === 'volumeMounts' ? 'volumeDevices' : 'volumeMounts'}`,
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});
