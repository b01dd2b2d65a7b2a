import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Fix } from '../../report/report.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';

/** Webhooks of drivers add a container to pods with this annotation, as their documentation says. */
const wantedAnnotations: Readonly<Record<string, readonly [string, string]>> = {
  'gcsfuse.csi.storage.gke.io': ['gke-gcsfuse/volumes', 'true'],
};

const templateKinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

/** The driver misses a container, an annotation or a label of the pod: only a new pod can have it. */
export function podSpecFixes({ p: { pod }, driver }: FailedMount): Fix[] {
  const owner = ownerOf(pod);
  const kind = templateKinds.find((each) => each === owner?.kind);
  const where =
    owner === undefined ? `pod/${pod.metadata.name}` : `the template of ${owner.kind.toLowerCase()}/${owner.name}`;
  const [key, value] = wantedAnnotations[driver ?? ''] ?? [];
  if (key === undefined || value === undefined)
    return [
      steps(
        `Add to ${where} what the quoted words name, as the documentation of ${driver ?? 'the driver'} says: ` +
          'mostly an annotation or a label that makes its webhook add a container. ' +
          'Then recreate the pod: a webhook sees only new pods.',
        kind === undefined ? [] : restartPodCommands(pod),
        'disruptive',
      ),
    ];
  const hasIt = pod.metadata.annotations?.[key] === value;
  if (hasIt)
    return [
      steps(
        `Get the webhook of ${driver ?? 'the driver'} to answer: the pod has annotation ${key}: ` +
          `"${value}", and its container was not added. Then recreate the pod, since a webhook sees only new pods.`,
        ['kubectl get mutatingwebhookconfigurations', ...restartPodCommands(pod)],
        'disruptive',
      ),
    ];
  const patch = JSON.stringify({ spec: { template: { metadata: { annotations: { [key]: value } } } } });
  const namespace = pod.metadata.namespace;
  return [
    steps(
      `Add annotation ${key}: "${value}" to ${where}: it makes the webhook of the driver add its container to ` +
        `new pods.${kind === undefined ? ' Then recreate the pod with it.' : ''}`,
      kind === undefined || owner === undefined
        ? []
        : [
            kubectl(
              'patch',
              { kind, metadata: { name: owner.name, ...(namespace !== undefined && { namespace }) } },
              `--type=merge -p ${shellWord(patch)}`,
            ),
            ...(kind === 'StatefulSet' ? restartPodCommands(pod) : []),
          ],
      'disruptive',
    ),
  ];
}
