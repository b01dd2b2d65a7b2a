import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { startFixes } from '../../facts/driver/controller-fixes.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { podEvidence, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { steps } from '../lib/steps.ts';
import type { ProvisionError } from './provision-error.ts';
import { provisionerOf } from './provisioner.ts';
import { namedPodText } from '../lib/driver-error/senses/kubernetes.ts';

/** A pod in which a provisioner works on the storage for one volume, and which did not succeed. */
export interface HelperPod {
  /** `pod/x in namespace y failed` */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/**
 * A pod named after the volume to be (pvc-UID), or in the error: local-path-provisioner and others call it
 * helper-pod-…-pvc-UID.
 */
export function helperPodOf(c: PresentClaim, { text }: ProvisionError): HelperPod | undefined {
  const volume = `pvc-${c.claim.metadata.uid ?? ''}`;
  const named = namedPodText.exec(text)?.[1];
  const pod = c.ask
    .seen('Pod')
    .find(
      ({ metadata, status }) =>
        (metadata.name.endsWith(volume) || metadata.name === named) &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Running',
    );
  return pod && describeHelper(pod, provisionerOf(c)?.name);
}

/** The provisioner deletes and recreates its helpers: what is changed in one of them is lost with the next attempt. */
function startHelperFixes(pod: Pod, driver: string | undefined): readonly Fix[] {
  const found = imageOf(pod);
  if (!found) return startFixes(pod, undefined);
  const { image } = found;
  const node = pod.spec?.nodeName ?? '';
  const isLocalPath = driver === 'rancher.io/local-path';
  return [
    steps(
      `Give node ${node} an image for helper pods that it can pull: open its way to the registry of "${image}", ` +
        `load that image there${isLocalPath ? ' (on K3s: k3s ctr images import)' : ''}, or name another one in the settings of the provisioner ` +
        `(${isLocalPath ? 'the command opens them: key helperPod.yaml' : 'for example --helper-image'}). ` +
        'The provisioner creates a new helper at the next attempt, within 5 minutes.',
      isLocalPath ? [`kubectl ${inNamespace(pod.metadata.namespace)}edit configmap local-path-config`] : [],
    ),
  ];
}

function imageOf(pod: Pod): { readonly reason: string; readonly image: string } | undefined {
  const waiting = pod.status?.containerStatuses?.find(({ state }) => /Image/.test(state?.waiting?.reason ?? ''));
  const image = pod.spec?.containers?.find(({ name }) => name === waiting?.name)?.image ?? waiting?.image ?? '';
  return waiting && { reason: waiting.state?.waiting?.reason ?? '', image };
}

function stateWords(pod: Pod): string {
  const found = imageOf(pod);
  return found
    ? `cannot pull image "${found.image}" on node ${pod.spec?.nodeName ?? ''} (${found.reason})`
    : `is ${whyNotRunning(pod)}`;
}

function describeHelper(pod: Pod, driver: string | undefined): HelperPod {
  const { namespace, name } = pod.metadata;
  const isFailed = pod.status?.phase === 'Failed';
  return {
    words: `pod/${name} in namespace ${namespace ?? ''} ${isFailed ? 'failed' : stateWords(pod)}`,
    evidence: [podEvidence(pod)],
    fix: isFailed
      ? [
          steps(
            `Read why pod/${name} failed: its log names the command and the path on the node. ` +
              'Correct that; the provisioner tries again automatically.',
            [`kubectl ${inNamespace(namespace)}logs ${shellWord(name)} --tail=50`],
          ),
        ]
      : startHelperFixes(pod, driver),
  };
}
