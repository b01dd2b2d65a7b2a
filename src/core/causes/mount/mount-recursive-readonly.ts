import { field } from '../../facts/evidence.ts';
import { containerOf } from '../../facts/pod/named-mount.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { nodeOf, podWords } from './told-volume.ts';

/**
 * kubelet_pods.go resolveRecursiveReadOnly: `Enabled` fails where the handler of the runtime does not offer it
 * (KEP-3857, GA in 1.33).
 */
export const mountRecursiveReadonly = podRule({
  cause: 'mount-recursive-readonly',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod, p.now);
    if (trouble?.volume !== 'recursiveReadOnly') return undefined;
    const isInit = (p.pod.spec?.initContainers ?? []).some(({ name }) => name === trouble.container);
    const mounts = containerOf(p.pod, trouble.container)?.volumeMounts ?? [];
    const mount =
      mounts.find(({ name, recursiveReadOnly }) => name === trouble.volumeName && recursiveReadOnly === 'Enabled') ??
      mounts.find(({ recursiveReadOnly }) => recursiveReadOnly === 'Enabled');
    return {
      summary:
        `Container ${trouble.container} of ${podWords(p)} mounts volume ` +
        `"${mount?.name ?? trouble.volumeName ?? ''}" with recursiveReadOnly: ` +
        `Enabled, and the container runtime of ${nodeOf(p)} does not support that (${quoted(trouble.message)}).`,
      evidence: [
        field(p.pod, trouble.messagePath, trouble.message),
        ...(mount
          ? [
              field(
                p.pod,
                `spec.containers[${trouble.container}].volumeMounts[${mount.name ?? ''}].recursiveReadOnly`,
                'Enabled',
              ),
            ]
          : []),
        ...runtimeEvidence(p),
      ],
      fix: [
        changePodFix(
          p.pod,
          {
            [isInit ? 'initContainers' : 'containers']: [
              {
                name: trouble.container,
                volumeMounts: [
                  {
                    name: mount?.name,
                    mountPath: mount?.mountPath ?? 'PLACEHOLDER_PATH',
                    recursiveReadOnly: 'IfPossible',
                  },
                ],
              },
            ],
          },
          (where) =>
            `Set recursiveReadOnly: IfPossible for the mount ${where}. ` +
            'The mount stays read-only; file systems that are mounted below it may be writable on this node.',
        ),
        steps(
          'Or let the pod run on nodes whose runtime supports it (containerd 2.0, CRI-O 1.30 or newer, on Linux ' +
            '5.12 or newer). This lists what each node reports.',
          [
            'kubectl get nodes -o ' +
              "custom-columns='NODE:.metadata.name,HANDLERS:.status.runtimeHandlers[*].name,RECURSIVE:.status.runtimeHandlers[*].features.recursiveReadOnlyMounts'",
          ],
        ),
      ],
    };
  },
});

function runtimeEvidence(p: PodCase): Evidence[] {
  const lookup = p.ask.get(
    'Node',
    undefined,
    nodeOf(p),
    `whether the runtime of ${nodeOf(p)} supports recursive read-only mounts`,
  );
  if (lookup.state !== 'found') return [];
  return [field(lookup.object, 'status.runtimeHandlers[].features.recursiveReadOnlyMounts', supportOf(lookup.object))];
}

function supportOf({ status }: Node): string {
  const handlers = status?.runtimeHandlers ?? [];
  if (handlers.length === 0) return 'not reported';
  return handlers
    .map(({ name, features }) => `${name || 'default'}: ${String(features?.recursiveReadOnlyMounts ?? false)}`)
    .join(', ');
}
