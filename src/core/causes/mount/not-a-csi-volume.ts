import type { PodVolume, Volume } from '../../kube/kinds.ts';
import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

const sources = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'portworxVolume',
  'rbd',
  'vsphereVolume',
  'gitRepo',
] as const;

/** What kind of volume it is, by the field that describes it; undefined for CSI and for what is unknown here. */
function sourceOf(use: VolumeUse | undefined): string | undefined {
  const holder = (use?.volumeObject?.spec ?? use?.podVolume) as (NonNullable<Volume['spec']> & PodVolume) | undefined;
  return sources.find((source) => (holder as Record<string, unknown> | undefined)?.[source] !== undefined);
}

/** No code in this kubelet knows the kind of volume (cache/desired_state_of_world.go AddPodToVolume). */
export const mountPluginNotMatched = podRule({
  cause: 'mount-plugin-not-matched',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'noPlugin');
    if (!failure) return undefined;
    const name = /for volume "([^"]+)"/.exec(failure.text)?.[1] ?? failure.volume;
    const use = toldVolume(p, { volume: name });
    const source = sourceOf(use);
    const volume = use?.volumeObject;
    return {
      confidence: 'likely',
      ...(source !== undefined && { about: `${source}@${nodeOf(p)}` }),
      summary: `the kubelet on ${nodeOf(p)} knows no plugin for ${volumeWords(use, { volume: name })} of ${podWords(p)}${source === undefined ? '' : ` (${source})`}: such volumes are no longer built in, or their driver is not installed`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(volume && source !== undefined ? [field(volume, `spec.${source}`)] : []),
      ],
      fix: [
        fix(
          'make the volume again as one of a CSI driver for the same storage; the data stays where it is if the policy is Retain',
          volume && `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
          'disruptive',
        ),
        fix('or install the FlexVolume driver on the node, if it is one'),
      ],
    };
  },
});

/** Plugins whose SupportsMountOption is false (operation_generator.go checkMountOptionSupport). */
const withoutOptions = ['hostPath', 'flexVolume', 'portworxVolume'];

export const mountOptionsUnsupported = podRule({
  cause: 'mount-options-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'mountOptions');
    const told = failure && toldVolume(p, failure);
    const wrong = volumeUsesOf(p).find(
      (use) => (use.volumeObject?.spec?.mountOptions ?? []).length > 0 && withoutOptions.includes(sourceOf(use) ?? ''),
    );
    const use = wrong ?? told;
    const volume = use?.volumeObject;
    const said = failure ? [eventSaid(p.pod, failure.event)] : [];
    const [first, ...rest] = [...(volume ? [field(volume, 'spec.mountOptions')] : []), ...said];
    if (!first || (!wrong && !failure)) return undefined;
    const source = sourceOf(use);
    return {
      confidence: wrong ? 'certain' : 'likely',
      summary: `${volumeWords(use, failure)} of ${podWords(p)} carries mountOptions, which ${source === undefined ? 'volumes of its kind' : `${source} volumes`} do not take: the kubelet refuses to mount it`,
      evidence: [first, ...rest],
      fix: [
        fix(
          'make the PersistentVolume again without mountOptions (policy Retain first); those of a class go to every new volume',
          volume ? `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.mountOptions}'` : undefined,
          'disruptive',
        ),
      ],
    };
  },
});

/** The kubelet itself mounts it, with the programs of the node; the mount helper's own words are all there is. */
export const mountInTreeFailed = podRule({
  cause: 'mount-in-tree-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'inTree');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const source = sourceOf(use) ?? /kubernetes\.io~([a-z-]+)\//.exec(failure.text)?.[1];
    const sense = mountSenseOf(failure.text);
    const isOptionsOnly = /Mounting command:/.test(failure.text) && !/Output:\s*\S/.test(failure.text);
    const words = ownWords(failure.text);
    return {
      confidence: 'likely',
      ...(sense?.isOfNode && { about: `${source ?? ''}@${nodeOf(p)}/${sense.id}` }),
      summary: `the kubelet on ${nodeOf(p)} cannot mount ${volumeWords(use, failure)} of ${podWords(p)}${source === undefined ? '' : ` (${source})`}: ${isOptionsOnly ? 'the mount command fails, most often for want of the right credentials or network' : sense && sense.id !== 'mountFailed' ? `${sense.meaning} (${words})` : words}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(use?.volumeObject && source !== undefined ? [field(use.volumeObject, `spec.${source}`)] : []),
      ],
      fix: [
        ...(sense && !isOptionsOnly
          ? [fix(sense.advice)]
          : [
              fix(
                'try the same mount by hand on the node, and check the secret that the volume uses (was a key rotated?)',
              ),
            ]),
        fix(
          'look at the kernel log of the node (dmesg), and at the log of the kubelet',
          `kubectl debug node/${shellWord(nodeOf(p))} -it --image=busybox`,
          'disruptive',
        ),
      ],
    };
  },
});
