import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';

/** An evicted pod never runs again; its controller has created another one, which meets the same limit. */
export function restartWords({ pod }: PodCase): string {
  const owner = ownerOf(pod);
  return owner
    ? ` ${owner.kind} "${owner.name}" replaces an evicted pod, and without a change the new one ends the same way.`
    : ' No controller recreates this pod.';
}

/** A volume of its own does not share the disk of the node with other pods. */
export function setSizeClaimFix({ pod }: PodCase, volume: string): Fix {
  return changePodFix(
    pod,
    {
      volumes: [
        {
          name: volume,
          emptyDir: null,
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: 'PLACEHOLDER_SIZE' } } },
            },
          },
        },
      ],
    },
    (where) =>
      `Or give volume "${volume}" a claim of its own ${where} (ephemeral.volumeClaimTemplate, with the default ` +
      'class): it lives as long as the pod, and fills no disk of a node.',
  );
}
