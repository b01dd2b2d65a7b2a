import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, sentenceStart, toldVolume, volumeWords } from './told-volume.ts';
import { fileSystemFoundText } from '../lib/driver-error/sentences/kubelet.ts';

/**
 * The disk holds another file system than fsType says, and mount-utils refuses to format over it
 * (operation_generator.go checkForFailedMount).
 */
export const mountFsMismatch = podRule({
  cause: 'mount-fs-mismatch',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const mismatch = findMismatch(p);
    if (!mismatch) return undefined;
    const { failure, use } = mismatch;
    const { wanted, found } = readFileSystems(mismatch);
    return {
      confidence: 'likely',
      summary:
        `${sentenceStart(volumeWords(use, failure))} holds ${found ?? 'another file system'}, and it is to be ` +
        `mounted as ${wanted ?? 'something else'} for ${podWords(p)}. ` +
        'The node does not format over existing data, so it is not mounted.',
      evidence: evidenceOf(p, mismatch),
      fix: adviceFor(p, use, found),
    };
  },
});

interface Mismatch {
  readonly failure: MountFailure;
  /** Whether the failure mentions the file system; otherwise only the event on the volume does. */
  readonly isReported: boolean;
  readonly use: VolumeUse | undefined;
  /** The kubelet's FailedMountOnFilesystemMismatch event on the PersistentVolume. */
  readonly event: KubeEvent | undefined;
}

function findMismatch(p: PodCase): Mismatch | undefined {
  const reported = failureOf(p, 'fileSystem');
  const failure = reported ?? failureOf(p, 'stage', 'publish', 'block', 'inTree');
  if (!failure) return undefined;
  const use = toldVolume(p, failure);
  const volume = use?.volumeObject;
  const event = volume && newestMatch(p.ask.eventsOf(volume).items, 'FailedMountOnFilesystemMismatch', /^/)?.event;
  return reported || event ? { failure, isReported: reported !== undefined, use, event } : undefined;
}

interface FileSystems {
  readonly wanted: string | undefined;
  readonly found: string | undefined;
}

function readFileSystems({ failure, isReported, use, event }: Mismatch): FileSystems {
  const text = isReported || !event ? failure.text : messageOf(event);
  const match = fileSystemFoundText.exec(text);
  return { wanted: match?.[1] || use?.volumeObject?.spec?.csi?.fsType, found: match?.[2]?.trim() };
}

function evidenceOf(p: PodCase, { failure, isReported, use, event }: Mismatch): Explanation['evidence'] {
  const volume = use?.volumeObject;
  const fsType = volume?.spec?.csi ? [field(volume, 'spec.csi.fsType')] : [];
  if (!isReported) return [eventSaid(volume ?? p.pod, event ?? failure.event), ...fsType];
  return [eventSaid(p.pod, failure.event), ...(event && volume ? [eventSaid(volume, event)] : []), ...fsType];
}

function adviceFor(p: PodCase, use: VolumeUse | undefined, found: string | undefined): Fix[] {
  const fsType = /^\w+$/.exec(found ?? '')?.[0];
  return [
    keepDataFix(p, use, fsType),
    steps(
      `Only if nothing on the disk is needed: wipe its signature on ${nodeOf(p)} (wipefs -a and the device). ` +
        'It is then formatted at the next try.',
      [],
      'data-loss',
    ),
  ];
}

/** The source of a volume cannot be changed, so the PersistentVolume is recreated around the same disk. */
function keepDataFix(p: PodCase, use: VolumeUse | undefined, fsType: string | undefined): Fix {
  const volume = use?.volumeObject;
  const claim = use?.claim?.claim;
  const what = `the fsType that is on the disk${fsType === undefined ? ' (PLACEHOLDER_FSTYPE)' : ` (${fsType})`}`;
  if (!volume?.spec?.csi || !claim)
    return steps(`Set ${what} where the volume is defined: the fsType of a volume cannot be changed later.`, []);
  return steps(
    `To keep the data, recreate pv/${volume.metadata.name} with ${what}; its source cannot be changed. ` +
      'The policy is set to Retain first, so that the disk stays. Stop all pods of the claim before that.',
    recreateVolumeCommands(p.ask, volume, claim, p.pod, { spec: { csi: { fsType: fsType ?? 'PLACEHOLDER_FSTYPE' } } }),
    'disruptive',
  );
}
