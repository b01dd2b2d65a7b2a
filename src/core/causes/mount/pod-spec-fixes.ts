import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';
import { sisterOf } from './sister-pods.ts';

/** Webhooks of drivers add a container to pods with this annotation, as their documentation says. */
const wantedAnnotations: Readonly<Record<string, readonly [string, string]>> = {
  'gcsfuse.csi.storage.gke.io': ['gke-gcsfuse/volumes', 'true'],
};

const templateKinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

/** The driver misses a container, an annotation or a label of the pod: only a new pod can have it. */
export function podSpecFixes(m: FailedMount): Fix[] {
  const {
    p: { pod },
    driver,
  } = m;
  const sister = sisterOf(m);
  if (sister) return [recreateFix(pod, driver, `pod/${sister.pod.metadata.name}, made from the same template, has it`)];
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
  if (hasIt) return [recreateFix(pod, driver, `the pod has annotation ${key}: "${value}", which asks for it`)];
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

/** A webhook sees a pod only when it is created, and with failurePolicy Ignore one that does not answer is passed over. */
function recreateFix(pod: Pod, driver: string | undefined, why: string): Fix {
  return steps(
    'Recreate the pod, which never started: its containers cannot be changed, and the webhook of ' +
      `${driver ?? 'the driver'} adds its own only to new pods (${why}). The new pod then mounts. ` +
      'If it lacks the container again, the webhook does not answer: check its endpoint, which the last line shows, and start it.',
    [
      ...restartPodCommands(pod),
      "kubectl get mutatingwebhookconfigurations -o custom-columns='NAME:.metadata.name,POLICY:.webhooks[*].failurePolicy,SERVICE:.webhooks[*].clientConfig.service.name,URL:.webhooks[*].clientConfig.url'",
    ],
  );
}

/** The sidecar of GKE takes its limits from annotations of the pod; others from the settings of their webhook. */
export function sidecarMemoryFix({ p: { pod }, driver }: FailedMount): Fix {
  const key = driver === 'gcsfuse.csi.storage.gke.io' ? 'gke-gcsfuse/memory-limit' : undefined;
  const owner = ownerOf(pod);
  const kind = templateKinds.find((each) => each === owner?.kind);
  const now = key === undefined ? undefined : pod.metadata.annotations?.[key];
  if (key === undefined || kind === undefined || owner === undefined)
    return steps(
      `Raise the memory limit of the container that serves the mount${key === undefined ? ', where the webhook of the driver takes it from' : ` (annotation ${key} of the pod)`}. Then recreate the pod: limits of a pod cannot be changed there.`,
      restartPodCommands(pod),
      'disruptive',
    );
  const namespace = pod.metadata.namespace;
  const patch = JSON.stringify({ spec: { template: { metadata: { annotations: { [key]: 'PLACEHOLDER_MEMORY' } } } } });
  return steps(
    `Raise the memory of the container that serves the mount: PLACEHOLDER_MEMORY is more than ${now ?? 'the default of 256Mi'}, such as 1Gi ("0" takes the limit off).`,
    [
      kubectl(
        'patch',
        { kind, metadata: { name: owner.name, ...(namespace !== undefined && { namespace }) } },
        `--type=merge -p ${shellWord(patch)}`,
      ),
      ...(kind === 'StatefulSet' ? restartPodCommands(pod) : []),
    ],
    'disruptive',
  );
}
