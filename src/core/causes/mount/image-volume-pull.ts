import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { imageVolumeOf } from './image-volume.ts';
import type { ImageVolume } from './image-volume.ts';
import { nodeOf, podWords } from './told-volume.ts';
import {
  pullWords,
  registryRefusedTexts,
  registryUnreachableTexts,
} from '../lib/driver-error/sentences/container-runtime.ts';

const longestMessage = 200;
const pulls = 'The kubelet then pulls it automatically, within 5 minutes at most.';

/**
 * The kubelet pulls the image of a volume as it pulls that of a container, and the waiting message names its reference.
 */
export const imageVolumePull = podRule({
  cause: 'image-volume-pull',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const trouble = containerTroubleOf(p.pod, p.now);
    if (trouble?.volume !== 'image') return undefined;
    const volume = (p.pod.spec?.volumes ?? [])
      .flatMap((each) => imageVolumeOf(each) ?? [])
      .find(({ name }) => name === trouble.volumeName);
    if (!volume) return undefined;
    const failed = failedPull(p, volume);
    const words = failed ? messageOf(failed) : trouble.message;
    return {
      summary:
        `Image "${volume.reference}" of volume "${volume.name}" cannot be pulled on ${nodeOf(p)}, so container ` +
        `${trouble.container} of ${podWords(p)} does not start: ` +
        `${trouble.reason} (${quoted(cutWords(words, longestMessage))}).`,
      evidence: [
        field(p.pod, `spec.volumes[${volume.name}].image.reference`, volume.reference),
        field(p.pod, `${trouble.path}.reason`, trouble.reason),
        field(p.pod, trouble.messagePath, trouble.message),
        ...(failed ? [eventSaid(p.pod, failed)] : []),
      ],
      fix: fixesFor(p, volume, trouble.reason, `${trouble.message} ${words}`),
    };
  },
});

/** The first failure has the reason; the later ones say that the kubelet waits. */
function failedPull(p: PodCase, { reference }: ImageVolume): KubeEvent | undefined {
  const events = p.events.items.filter((event) => messageOf(event).includes(reference));
  return newestMatch(events, ['Failed', 'InspectFailed', 'ErrImageNeverPull'], pullWords)?.event;
}

function fixesFor(p: PodCase, volume: ImageVolume, reason: string, words: string): Fix[] {
  if (reason === 'ErrImageNeverPull')
    return [
      changeImage(
        p,
        { ...volume, pullPolicy: 'IfNotPresent' },
        (where) =>
          `Let the kubelet pull the image: set pullPolicy IfNotPresent for volume "${volume.name}" ${where}. ` +
          `With Never it has to be on ${nodeOf(p)} already.`,
      ),
    ];
  if (reason !== 'InvalidImageName' && registryRefusedTexts.test(words))
    return [
      pullSecret(p),
      correctReference(
        p,
        volume,
        'If the name is wrong (a registry also refuses what does not exist), correct the reference',
      ),
    ];
  if (registryUnreachableTexts.test(words))
    return [
      steps(
        `Let ${nodeOf(p)} reach the registry that the text names (name, proxy, firewall, certificate authority ` +
          `of the container runtime). ${pulls}`,
        [
          `kubectl debug node/${shellWord(nodeOf(p))} -it --image=busybox -- nc -zv -w 5 ${shellWord(registryOf(volume.reference))} 443`,
        ],
      ),
      correctReference(p, volume, 'If another registry is meant, correct the reference'),
    ];
  return [correctReference(p, volume, 'Push the image under its name, or correct the reference'), pullSecret(p)];
}

/** The host before the first slash, as container runtimes read it; Docker Hub where there is none. */
function registryOf(reference: string): string {
  const [host = '', ...path] = reference.split('/');
  return path.length > 0 && /[.:]|^localhost$/.test(host) ? (host.split(':')[0] ?? host) : 'registry-1.docker.io';
}

function correctReference(p: PodCase, volume: ImageVolume, how: string): Fix {
  return changeImage(
    p,
    { ...volume, reference: 'PLACEHOLDER_REFERENCE' },
    (where) =>
      `${how} of volume "${volume.name}" ${where}. PLACEHOLDER_REFERENCE is an image that exists, with its registry and tag. ${pulls}`,
  );
}

function changeImage(p: PodCase, { name, reference, pullPolicy }: ImageVolume, text: (where: string) => string): Fix {
  return changePodFix(
    p.pod,
    { volumes: [{ name, image: { reference, ...(pullPolicy !== undefined && { pullPolicy }) } }] },
    text,
  );
}

/** Image volumes are pulled with the secrets of the pod and of its service account. */
function pullSecret(p: PodCase): Fix {
  const account = p.pod.spec?.serviceAccountName ?? 'default';
  const scope = inNamespace(p.pod.metadata.namespace);
  const patch = JSON.stringify({ imagePullSecrets: [{ name: 'PLACEHOLDER_SECRET' }] });
  return steps(
    `If the image is private, give ServiceAccount "${account}" a pull secret for its registry ` +
      '(PLACEHOLDER_SECRET; a file stays out of the shell history), and recreate the pod.',
    [
      `kubectl ${scope}create secret generic PLACEHOLDER_SECRET --type=kubernetes.io/dockerconfigjson ` +
        '--from-file=.dockerconfigjson=PLACEHOLDER_FILE',
      `kubectl ${scope}patch serviceaccount ${shellWord(account)} -p ${shellWord(patch)}`,
    ],
  );
}
