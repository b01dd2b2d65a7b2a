import { startFixes } from '../../facts/driver/controller-fixes.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podEvidence, whyNotRunning } from '../../facts/pod/pod-health.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { waitsForHelperText } from '../lib/driver-error/senses/node-programs.ts';
import { helperPodText } from '../lib/driver-error/senses/file-system.ts';
import { steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';

/** The pod in which a driver mounts a volume, by the name in its error, where it was read and does not run. */
function helperPodOf(p: PodCase, text: string): Pod | undefined {
  const name = helperPodText.exec(text)?.[1];
  const broken = p.ask
    .seen('Pod')
    .filter(({ metadata, status }) => metadata.uid !== p.pod.metadata.uid && status?.phase !== 'Running');
  const named = broken.find(({ metadata }) => metadata.name === name);
  if (named || !waitsForHelperText.test(text)) return named;
  // Drivers name these pods after the volume.
  const volumes = volumeUsesOf(p)
    .flatMap(({ volumeName, handle }) => [volumeName, handle ?? ''])
    .filter((volume) => volume !== '');
  return broken.find(({ metadata }) => volumes.some((volume) => metadata.name.includes(volume)));
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
export function helperFixes({ p, text, use, driver }: FailedMount): Fix[] {
  const pod = helperPodOf(p, text);
  if (!pod) return waitsForHelperText.test(text) ? [findHelperFix(p, use?.volumeName ?? '', driver)] : [];
  const waiting = pod.status?.containerStatuses?.find(({ state }) => /Image/.test(state?.waiting?.reason ?? ''));
  return waiting ? [imageFix(pod, waiting)] : [...startFixes(pod, undefined)];
}

/** The pod has no name in the text: those on the node whose names contain that of the volume. */
function findHelperFix(p: PodCase, volume: string, driver: string | undefined): Fix {
  const node = p.pod.spec?.nodeName ?? '';
  return steps(
    `Get the pod that serves the volume on ${node} to run. The command lists the pods there: that of the volume has its ` +
      `name${volume === '' ? '' : ` (${volume})`}. Pending: give it the CPU and memory it asks for, or a node with room. ` +
      'Image errors: let the node reach the registry. A crash: its log names the fault. No such pod: restart the ' +
      `node plugin of ${driver ?? 'the driver'}, which creates it.`,
    [`kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`],
  );
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
