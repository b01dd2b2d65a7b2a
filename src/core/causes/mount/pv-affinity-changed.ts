import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { describeReach, fitsAffinity } from '../../facts/volume/volume-reach.ts';
import type { Node, Pod, Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

/** The node affinity of a volume can be changed (KEP-5381), and the pods that run already are not checked again. */
export const pvAffinityChanged = claimRule({
  cause: 'pv-affinity-changed',
  stage: 'mount',
  severity: 'warning',
  explain(c) {
    const volume = c.isBound && c.volume?.state === 'found' ? c.volume.object : undefined;
    const write = volume && affinityWrite(volume);
    if (!volume || !write) return undefined;
    const found = findStranded(c, volume, write.at);
    if (!found) return undefined;
    const { pod, node } = found;
    return {
      summary:
        `The node affinity of pv/${volume.metadata.name} was changed while pod/${pod.metadata.name} in namespace ` +
        `${c.namespace} used it. ${node.metadata.name}, where the pod runs, no longer matches ` +
        `(${describeReach(volume)}): the pod cannot start there again.`,
      evidence: [
        field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
        field(volume, `metadata.managedFields[${write.manager}].time`, write.time, write.time),
        field(pod, 'spec.nodeName'),
      ],
      fix: [
        steps(
          'If the change is right, recreate the pod when it suits: ' +
            'the scheduler then chooses a node that the volume can reach. If not, restore the old affinity first.',
          restartPodCommands(pod),
          'disruptive',
        ),
      ],
    };
  },
});

interface AffinityWrite {
  readonly manager: string;
  readonly time: string;
  readonly at: number;
}

/**
 * The last write of a manager that owns the affinity, and not much else: the provisioner writes it with the whole
 * volume.
 */
function affinityWrite({ metadata }: Volume): AffinityWrite | undefined {
  const created = parseTime(metadata.creationTimestamp) ?? 0;
  for (const { manager = '', time = '', fieldsV1 } of metadata.managedFields ?? []) {
    const at = parseTime(time);
    if (at === undefined || at - created <= 1000) continue;
    if (ownsAffinity(fieldsV1)) return { manager, time, at };
  }
  return undefined;
}

function ownsAffinity(fields: unknown): boolean {
  const spec = memberOf(fields, 'f:spec');
  // A writer that also owns the source wrote the whole volume: its time shows nothing about the affinity.
  return memberOf(spec, 'f:nodeAffinity') !== undefined && memberOf(spec, 'f:csi') === undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function findStranded(
  c: PresentClaim,
  volume: Volume,
  changedAt: number,
): { readonly pod: Pod; readonly node: Node } | undefined {
  for (const pod of c.consumers.items) {
    const name = pod.spec?.nodeName;
    const started = parseTime(pod.status?.startTime);
    if (name === undefined || !hasMountedVolumes(pod) || started === undefined || started > changedAt) continue;
    const node = c.ask.get('Node', undefined, name, `whether the labels of ${name} fit pv/${volume.metadata.name}`);
    if (node.state === 'found' && !fitsAffinity(volume, node.object)) return { pod, node: node.object };
  }
  return undefined;
}
