import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { imageMounts, runtimeWithoutImages } from './image-volume.ts';
import { nodeOf, podWords } from './told-volume.ts';

/**
 * A runtime that does not know image volumes mounts an empty directory in silence, or refuses the container (KEP-4639).
 * A warning while the container runs: nothing in the API shows what it sees.
 */
export const imageVolumeRuntime = podRule({
  cause: 'image-volume-runtime',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    if (!hasMountedVolumes(p.pod)) return undefined;
    const trouble = containerTroubleOf(p.pod, p.now);
    const mounts = imageMounts(p);
    const found = trouble ? mounts.find(({ container }) => container.name === trouble.container) : mounts[0];
    const node = found && lookUpNode(p);
    const reason = node && runtimeWithoutImages(node);
    if (!found || !node || reason === undefined || trouble?.volume === 'image') return undefined;
    const { volume, container } = found;
    const fails = trouble !== undefined;
    return {
      confidence: 'likely',
      severity: fails ? 'blocking' : 'warning',
      about: `image volumes on ${nodeOf(p)}`,
      summary:
        `${nodeOf(p)} runs ${node.status?.nodeInfo?.containerRuntimeVersion ?? 'a runtime'} and very likely ` +
        `cannot mount image volumes (${reason}): container ${container.name ?? ''} of ${podWords(p)} finds an ` +
        `empty directory instead of "${volume.reference}"${fails ? `, and fails: ${trouble.reason}` : ''}.`,
      evidence: [
        field(node, 'status.nodeInfo.containerRuntimeVersion'),
        field(p.pod, `spec.volumes[${volume.name}].image.reference`, volume.reference),
        ...(trouble ? [field(p.pod, `${trouble.path}.reason`, trouble.reason)] : []),
      ],
      fix: [
        copyInstead(p, volume.name, volume.reference),
        steps(
          `Or upgrade the container runtime of ${nodeOf(p)} to containerd 2.1 or CRI-O 1.31 or newer, or let the ` +
            'pod run on nodes that have it. Recreate the pod afterwards.',
          [
            `kubectl get nodes -o custom-columns='NODE:.metadata.name,RUNTIME:.status.nodeInfo.containerRuntimeVersion'`,
          ],
          'disruptive',
        ),
      ],
    };
  },
});

function lookUpNode(p: PodCase) {
  const node = p.ask.get('Node', undefined, nodeOf(p), `which container runtime ${nodeOf(p)} has`);
  return node.state === 'found' ? node.object : undefined;
}

/** Works with every runtime: an init container with the image copies its files. */
function copyInstead(p: PodCase, name: string, reference: string) {
  const fix = changePodFix(
    p.pod,
    {
      initContainers: [
        {
          name: 'copy-image',
          image: reference,
          command: ['cp', '-a', 'PLACEHOLDER_PATH/.', '/image-volume/'],
          volumeMounts: [{ name, mountPath: '/image-volume' }],
        },
      ],
      volumes: [{ name, image: null, emptyDir: {} }],
    },
    (where) =>
      `Let an init container copy the files of the image into an emptyDir volume ${where}. ` +
      'PLACEHOLDER_PATH is where the image has them; the image needs "cp" for that.',
  );
  return fix;
}
