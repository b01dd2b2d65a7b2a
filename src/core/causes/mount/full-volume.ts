import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import { usageEvidence, usageWords } from '../../facts/claim/volume-usage.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { containerOf, mountsOf } from '../../facts/pod/named-mount.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { containerStatusesOf } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { containerTroubleOf } from '../../journey/container-trouble.ts';
import type { ContainerTrouble } from '../../journey/container-trouble.ts';
import { fullnessOf, percentUsed } from '../../kube/volume-usage.ts';
import type { VolumeUsage } from '../../kube/volume-usage.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { growFixes } from '../lib/grow-claim.ts';
import { changePodFix } from '../lib/pod-change.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { nodeOf, podWords, sentenceStart, volumeWords } from './told-volume.ts';

/** A volume in which a pod cannot write any more. */
interface FullVolume {
  readonly use: VolumeUse | undefined;
  readonly usage: VolumeUsage | undefined;
  readonly of: 'bytes' | 'inodes';
  /** The container that ended because of it; none where only a measurement shows it. */
  readonly trouble: ContainerTrouble | undefined;
}

/** Most of a volume may be free again, or the limit is another one, such as a quota of a directory. */
const muchFreePercent = 95;

/** What is full for the pod: by what a container wrote before it ended, or by a measurement of one of its volumes. */
export function explainFullVolume(p: PodCase, of: 'bytes' | 'inodes'): Explanation | undefined {
  const full = findFullVolume(p);
  return full?.of === of ? explain(p, full) : undefined;
}

function findFullVolume(p: PodCase): FullVolume | undefined {
  const trouble = containerTroubleOf(p.pod, p.now) ?? recentEnd(p);
  if (trouble?.volume === 'full') {
    const use = volumeUsesOf(p).find(({ name }) => name === trouble.volumeName);
    const usage = usageOfUse(p, use);
    const { inodes } = usage ?? {};
    const isOfInodes = inodes !== undefined && usage !== undefined && fullnessOf(usage) === 'inodes';
    return { use, usage, of: isOfInodes ? 'inodes' : 'bytes', trouble };
  }
  for (const use of volumeUsesOf(p)) {
    const usage = usageOfUse(p, use);
    const of = usage && fullnessOf(usage);
    if (of) return { use, usage, of, trouble: undefined };
  }
  return undefined;
}

/** A container that runs again, and whose last run a full volume has ended. */
function recentEnd({ pod }: PodCase): ContainerTrouble | undefined {
  for (const status of containerStatusesOf(pod)) {
    if (!status.state?.running || !status.lastState?.terminated) continue;
    const ended = { ...status, state: { terminated: status.lastState.terminated } };
    const trouble = containerTroubleOf({ ...pod, status: { containerStatuses: [ended] } });
    if (trouble?.volume === 'full')
      return { ...trouble, messagePath: trouble.messagePath.replace('.state.', '.lastState.') };
  }
  return undefined;
}

function usageOfUse(p: PodCase, use: VolumeUse | undefined): VolumeUsage | undefined {
  return use?.claim && p.ask.graph.usageOf(use.claim.namespace, use.claim.name);
}

function explain(p: PodCase, full: FullVolume): Explanation {
  const { use, usage, of, trouble } = full;
  const isNow = trouble !== undefined && containerTroubleOf(p.pod, p.now)?.volume === 'full';
  const [first, ...rest] = evidenceOf(p, full);
  return {
    severity: isNow || trouble === undefined ? 'blocking' : 'warning',
    confidence: confidenceOf(full),
    ...(use?.claim && { about: `pvc ${use.claim.namespace}/${use.claim.name}` }),
    summary: trouble ? tellEnd(p, full, trouble) : tellMeasured(p, use, usage, of),
    evidence: first ? [first, ...rest] : [field(p.pod, 'spec.volumes')],
    fix: fixesFor(p, full),
  };
}

function confidenceOf({ use, usage, trouble }: FullVolume): Explanation['confidence'] {
  if (usage && fullnessOf(usage)) return 'certain';
  if (trouble?.volumePath === undefined || (usage && isMostlyFree(usage))) return 'possible';
  return use ? 'likely' : 'possible';
}

function isMostlyFree({ bytes, inodes }: VolumeUsage): boolean {
  return [bytes, inodes].every((amount) => amount === undefined || percentUsed(amount) < muchFreePercent);
}

function tellEnd(
  p: PodCase,
  { use, usage, of }: FullVolume,
  { container, message, volumePath }: ContainerTrouble,
): string {
  const said = `Container ${container} of ${podWords(p)} ended with ${quoted(message)}`;
  if (volumePath === undefined)
    return `${said}. It names no path: one of its volumes may be full (${claimWords(p, container)}), or the disk of ${nodeOf(p)}.`;
  const where = `${volumePath} is in ${use ? volumeWords(use) : 'a volume'}`;
  if (usage === undefined) return `${said}. ${where}, which is then full (or has reached a quota).`;
  const measured = usage[of];
  const words = measured ? `${of}: ${usageWords(measured, of)}` : 'not measured';
  return isMostlyFree(usage)
    ? `${said}. ${where}, and ${usage.source} measures room in it now (${words}): ` +
        'it was freed since, or another limit is meant, such as a quota.'
    : `${said}. ${where}: ${words}.`;
}

function claimWords(p: PodCase, container: string): string {
  const mounted = new Set(mountsOf(p.pod, container).map(({ name }) => name));
  const names = volumeUsesOf(p).flatMap(({ name, claim }) => (claim && mounted.has(name) ? [`pvc/${claim.name}`] : []));
  return names.join(', ');
}

function tellMeasured(
  p: PodCase,
  use: VolumeUse | undefined,
  usage: VolumeUsage | undefined,
  of: 'bytes' | 'inodes',
): string {
  const amount = usage?.[of];
  const what = of === 'bytes' ? 'is full' : 'has no inode left, so that no file can be created in it';
  return `${sentenceStart(volumeWords(use))}, which ${podWords(p)} uses, ${what}${amount ? ` (${usageWords(amount, of)})` : ''}.`;
}

function evidenceOf(p: PodCase, { usage, trouble }: FullVolume): Evidence[] {
  return [
    ...(trouble ? [field(p.pod, trouble.messagePath, trouble.message)] : []),
    ...(usage ? [...usageEvidence(usage, 'bytes'), ...usageEvidence(usage, 'inodes')] : []),
  ];
}

/** What makes room in the volume of a claim, seen from a pod that has it mounted. */
export function roomFixes(claim: PresentClaim, of: 'bytes' | 'inodes'): Fix[] {
  for (const pod of claim.consumers.items) {
    const p = new PodCase(claim.ask, pod, [claim]);
    const use = volumeUsesOf(p).find((each) => each.claim?.name === claim.name);
    if (use) return growFixes(claim, freeFix(p, use, claim, of), of);
  }
  return growFixes(claim, steps('Free space in the volume: delete what is not needed.', []), of);
}

function fixesFor(p: PodCase, full: FullVolume): Fix[] {
  const { use, of } = full;
  const claim = use?.claim;
  if (claim && isPresent(claim)) return growFixes(claim, freeFix(p, use, claim, of), of);
  if (use?.podVolume.emptyDir) return [emptyDirFix(p, use)];
  return [
    steps(
      use
        ? `Free space in volume "${use.name}": delete what is not needed.`
        : `Measure the volumes of the pod, and grow the one that is full. If none is, free space on the disk of ${nodeOf(p)}.`,
      [`kubectl csi why pod/${shellWord(p.pod.metadata.name)} ${inNamespace(p.pod.metadata.namespace)}--usage`],
    ),
  ];
}

/** In a container that runs, or else in a pod of its own that mounts the claim. */
function freeFix(p: PodCase, use: VolumeUse, claim: ClaimCase, of: 'bytes' | 'inodes'): Fix {
  const container = containerStatusesOf(p.pod).find(
    ({ name, state }) => state?.running && mountsOf(p.pod, name ?? '').some((mount) => mount.name === use.name),
  )?.name;
  const text =
    of === 'bytes'
      ? `Free space: this lists the largest directories of pvc/${claim.name}, the largest last. ` +
        'Delete only what its application no longer needs.'
      : `Free inodes: this counts the files in each directory of pvc/${claim.name}, the most last. ` +
        'Delete only what its application no longer needs.';
  const mountPath = mountsOf(p.pod, container ?? '').find((mount) => mount.name === use.name)?.mountPath;
  const { name } = p.pod.metadata;
  const scope = inNamespace(p.pod.metadata.namespace);
  return steps(
    text,
    container === undefined || mountPath === undefined
      ? [lookCommand(p, claim.name, of)]
      : [
          `kubectl ${scope}exec ${shellWord(name)} -c ${shellWord(container)} -- sh -c ${shellWord(lookScript(mountPath, of))}`,
        ],
  );
}

function lookScript(path: string, of: 'bytes' | 'inodes'): string {
  return of === 'bytes'
    ? `cd ${shellWord(path)} && df -h . && du -xk . | sort -n | tail -n 20`
    : `cd ${shellWord(path)} && df -i . && for d in ./*; do echo "$(find "$d" -xdev | wc -l) $d"; done | sort -n | tail -n 20`;
}

function lookCommand({ pod: { metadata, spec } }: PodCase, claimName: string, of: 'bytes' | 'inodes'): string {
  const overrides = {
    spec: {
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      containers: [
        {
          name: 'look',
          image: 'busybox',
          command: ['sh', '-c', lookScript('/data', of)],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
    },
  };
  return (
    `kubectl ${inNamespace(metadata.namespace)}run look-at-volume --rm -i --restart=Never --image=busybox ` +
    `--overrides=${shellWord(JSON.stringify(overrides))}`
  );
}

/** An emptyDir in memory ends at its limit; one on disk shares the disk of the node. */
function emptyDirFix(p: PodCase, use: VolumeUse): Fix {
  const { medium, sizeLimit } = use.podVolume.emptyDir ?? {};
  if (medium !== 'Memory')
    return steps(
      `Free space on the disk of ${nodeOf(p)}, which the emptyDir volume "${use.name}" shares, or give the pod ` +
        'a volume of its own (ephemeral.volumeClaimTemplate).',
      [`kubectl describe node ${shellWord(nodeOf(p))}`],
    );
  return changePodFix(
    p.pod,
    { volumes: [{ name: use.name, emptyDir: { sizeLimit: 'PLACEHOLDER_SIZE' } }] },
    (where) =>
      `Raise the limit of the emptyDir volume "${use.name}" ${where}. ` +
      `It is kept in memory${sizeLimit === undefined ? '' : `, up to ${sizeLimit}`}, and counts for the memory ` +
      'limit of the container.',
  );
}

/** Whether the spec allows the named mount to be written to. */
export function isReadOnlyBySpec(p: PodCase, { container, volumeName }: ContainerTrouble): boolean {
  const mount = containerOf(p.pod, container)?.volumeMounts?.find(({ name }) => name === volumeName);
  const use = volumeUsesOf(p).find(({ name }) => name === volumeName);
  if (mount?.readOnly === true || use?.podVolume.persistentVolumeClaim?.readOnly === true) return true;
  if (use?.podVolume.csi?.readOnly === true || use?.volumeObject?.spec?.csi?.readOnly === true) return true;
  if (use?.volumeObject?.spec?.nfs?.readOnly === true) return true;
  const { podVolume } = use ?? {};
  if (podVolume?.secret ?? podVolume?.configMap ?? podVolume?.projected ?? podVolume?.image) return true;
  const modes = use?.volumeObject?.spec?.accessModes ?? [];
  return modes.length > 0 && modes.every((mode) => mode === 'ReadOnlyMany');
}
