import type { PodCase } from '../../facts/pod/pod-case.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { field } from '../../facts/evidence.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';
import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { freshVolumeCommands } from '../lib/volume-change.ts';
import { localOf, pathEvidence } from './path-on-node.ts';
import { knownNode, nodeOf, podWords } from './told-volume.ts';
import { findVolumeFailure } from './waiting-volumes.ts';
import type { VolumeFailure } from './waiting-volumes.ts';
import { hostPathTypeText, localPathMissingTexts, rpcErrorText } from '../lib/driver-error/sentences/kubelet.ts';

/** A local or hostPath volume names a path of the node that is not there (pkg/volume/local, pkg/volume/hostpath). */
export const localPathMissing = podRule({
  cause: 'local-path-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = findMissingPath(p);
    if (!failure) return undefined;
    const path = pathOf(failure);
    return {
      confidence: 'likely',
      summary:
        `${path}, the path of ${failure.volume?.label ?? 'a volume'}, ${describeReason(failure)} on ` +
        `${nodeOf(p)}. ${podWords(p)} cannot mount it.${ageWords(p, lostVolumeOf(failure))}`,
      evidence: [
        ...pathEvidence(p, failure, localOf(failure.volume) ? 'local' : 'hostPath'),
        ...ageEvidence(p, lostVolumeOf(failure)),
      ],
      fix: adviceFor(p, path, failure),
    };
  },
});

/**
 * Drivers report missing paths too, but this is about a path of the node; hostpath-type-check says more where it
 * applies.
 */
function findMissingPath(p: PodCase): VolumeFailure | undefined {
  const failure = findVolumeFailure(p, localPathMissingTexts);
  if (!failure) return undefined;
  const { volume, match } = failure;
  const isOfNode = volume === undefined || localOf(volume) !== undefined || volume.source.hostPath !== undefined;
  return isOfNode && !rpcErrorText.test(match.input) && !hostPathTypeText.test(match.input) ? failure : undefined;
}

function pathOf({ match, volume }: VolumeFailure): string {
  return match[1] ?? match[4] ?? localOf(volume)?.path ?? volume?.source.hostPath?.path ?? 'its path';
}

function describeReason({ match }: VolumeFailure): string {
  if (match[2] !== undefined) return 'is neither a directory nor a block device';
  return match[3] ? 'is not a path that may be used' : 'does not exist';
}

function adviceFor(p: PodCase, path: string, failure: VolumeFailure): Fix[] {
  const { volume, match } = failure;
  const node = nodeOf(p);
  const object = volumeOf(failure);
  const isBlock = object?.spec?.volumeMode === 'Block';
  const isMissing = match[2] === undefined && match[3] === undefined && path.startsWith('/');
  if (isBlock || !isMissing)
    return [
      steps(
        `Correct ${node}: attach the disk of ${volume?.label ?? 'the volume'} so that it is at ${path}. ` +
          'The kubelet retries within about 2 minutes.',
        [],
      ),
      elsewhereFix(failure),
    ];
  if (object && isYounger(p, object)) return replacedFixes(p, path, object);
  if (object && isProvisioned(object)) return lostDirectoryFixes(p, path, object);
  return [
    steps(
      `If the volume is a plain directory, create ${path} on ${node}. ` +
        'If it is a disk, mount the disk there first: an empty directory in its place would take the data of the ' +
        'pod. The kubelet retries within about 2 minutes.',
      [onNode(node, `mkdir -p ${shellWord(path)}`)],
    ),
    elsewhereFix(failure),
  ];
}

function elsewhereFix(failure: VolumeFailure): Fix {
  const object = volumeOf(failure);
  const label = failure.volume?.label ?? 'the volume';
  const reach = object?.spec?.nodeAffinity?.required && describeReach(object);
  return steps(
    reach
      ? 'If the data is on another node, create a volume for that node instead: ' +
          `the node affinity of ${label} (${reach}) cannot be changed.`
      : 'If the data is on another node, create a volume with a node affinity for that node instead: ' +
          `${label} has none, so the pod may be placed anywhere.`,
    [],
    'disruptive',
  );
}

/** The PersistentVolume whose directory is missing; another complaint about the path says nothing about its data. */
function lostVolumeOf(failure: VolumeFailure): Volume | undefined {
  return failure.match[2] === undefined && failure.match[3] === undefined ? volumeOf(failure) : undefined;
}

function volumeOf({ volume }: VolumeFailure): Volume | undefined {
  return volume?.owner.kind === 'PersistentVolume' ? (volume.owner as Volume) : undefined;
}

/** The machine was replaced under the same name since the volume was created: its disk is another one. */
function isYounger(p: PodCase, { metadata }: Volume): boolean {
  const created = parseTime(metadata.creationTimestamp);
  const node = parseTime(knownNode(p)?.metadata.creationTimestamp);
  return created !== undefined && node !== undefined && node > created;
}

/**
 * A provisioner creates the directory together with the volume, and by default names the volume after the claim's uid.
 */
function isProvisioned({ metadata }: Volume): boolean {
  return metadata.annotations?.[provisionedByAnnotation] !== undefined || /^pvc-[0-9a-f-]{36}$/.test(metadata.name);
}

function ageEvidence(p: PodCase, object: Volume | undefined): Evidence[] {
  const node = knownNode(p);
  if (!object || !node || !isYounger(p, object)) return [];
  return [
    field(object, 'metadata.creationTimestamp', object.metadata.creationTimestamp),
    field(node, 'metadata.creationTimestamp', node.metadata.creationTimestamp),
  ];
}

function ageWords(p: PodCase, object: Volume | undefined): string {
  const node = knownNode(p);
  if (!object || !node || !isYounger(p, object)) return '';
  const ages = [node, object].map(({ metadata }) => ageText(parseTime(metadata.creationTimestamp) ?? p.now, p.now));
  return (
    ` The node object is ${ages[0] ?? ''} old and the volume ${ages[1] ?? ''}: the machine was most likely replaced ` +
    'under the same name, and the data went with its old disk.'
  );
}

/** Nothing on the new machine can bring the data back, and an empty directory would hide that it is lost. */
function replacedFixes(p: PodCase, path: string, object: Volume): Fix[] {
  const node = nodeOf(p);
  return [
    startEmptyFix(
      p,
      object,
      `Restore the data from a backup, into a new volume: it was on the old disk of ${node}. `,
      ' Storage that outlives its node keeps this from happening again.',
    ),
    steps(
      `If the old disk still exists, attach it to ${node} and mount it so that the data is at ${path}. ` +
        'The kubelet retries within about 2 minutes. Do not create an empty directory there: ' +
        'the application would start without its data.',
      [],
    ),
  ];
}

function lostDirectoryFixes(p: PodCase, path: string, object: Volume): Fix[] {
  const node = nodeOf(p);
  const parent = path.replace(/\/[^/]+\/?$/, '') || '/';
  return [
    steps(
      `Bring ${path} back on ${node}: its provisioner created it with the volume, so it was removed since, ` +
        `or the disk below it is not mounted. The command shows what is at ${parent} and what /etc/fstab would mount; ` +
        'if a disk is missing there, mount it. If the directory was removed, restore it from a backup. ' +
        'The kubelet retries within about 2 minutes.',
      [onNode(node, `sh -c ${shellWord(`findmnt -T ${parent}; ls -la ${parent}; cat /etc/fstab`)}`)],
    ),
    startEmptyFix(p, object, 'If the data is gone and can be done without, start with an empty volume. ', ''),
  ];
}

function startEmptyFix(p: PodCase, object: Volume, lead: string, tail: string): Fix {
  const claim = p.claims.find(({ volumeName }) => volumeName === object.metadata.name)?.claim;
  if (!claim || !isProvisioned(object))
    return steps(`${lead}The old volume and its claim have to be recreated for that.${tail}`, [], 'data-loss');
  const keeps = object.spec?.persistentVolumeReclaimPolicy === 'Retain';
  const retain = patchCommand(object, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  return steps(
    `${lead}The commands recreate the claim, and its new volume is empty` +
      `; pv/${object.metadata.name} stays as Released, in case the old data turns up.${tail}`,
    [...(keeps ? [] : [retain]), ...freshVolumeCommands(p.ask, claim, p.pod)],
    'data-loss',
  );
}
