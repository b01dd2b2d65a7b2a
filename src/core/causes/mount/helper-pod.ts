import { startFixes } from '../../facts/driver/controller-fixes.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podEvidence, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { helperPodText } from '../lib/driver-error/senses/file-system.ts';
import { steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';

/** The pod in which a driver mounts a volume, by the name in its error, where it was read and does not run. */
function helperPodOf(p: PodCase, text: string): Pod | undefined {
  const name = helperPodText.exec(text)?.[1];
  if (name === undefined || name === p.pod.metadata.name) return undefined;
  return p.ask.seen('Pod').find(({ metadata, status }) => metadata.name === name && status?.phase !== 'Running');
}

/** ` pod/x in namespace y is ImagePullBackOff.`; empty where nothing is known of it. */
export function helperWords(p: PodCase, text: string): string {
  const pod = helperPodOf(p, text);
  return pod ? ` pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}.` : '';
}

export function helperEvidence(p: PodCase, text: string): Evidence[] {
  const pod = helperPodOf(p, text);
  return pod ? [podEvidence(pod)] : [];
}

/** What keeps that pod from running; the driver mounts the volume as soon as it does. */
export function helperFixes({ p, text }: FailedMount): Fix[] {
  const pod = helperPodOf(p, text);
  if (!pod) return [];
  const waiting = pod.status?.containerStatuses?.find(({ state }) => /Image/.test(state?.waiting?.reason ?? ''));
  return waiting ? [imageFix(pod, waiting)] : [...startFixes(pod, undefined)];
}

/** The image comes from the settings of the driver, and the one of a single pod can be corrected in place. */
function imageFix(pod: Pod, { name = '', image }: ContainerStatus): Fix {
  const wanted = pod.spec?.containers?.find((container) => container.name === name)?.image ?? image ?? '';
  const where = `pod ${shellWord(pod.metadata.name)} ${shellWord(name)}=PLACEHOLDER_IMAGE`;
  return steps(
    `Give node ${pod.spec?.nodeName ?? ''} access to the registry of image "${wanted}", or correct the ` +
      'image: for new volumes in the settings of the driver, for this pod with the command ' +
      '(PLACEHOLDER_IMAGE). The volume is then mounted at the next try, within about 2 minutes.',
    [`kubectl ${inNamespace(pod.metadata.namespace)}set image ${where}`],
    'disruptive',
  );
}
