import type { Node, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { attachmentsOf, handleOf, uniqueNameOf } from '../../facts/volume/volume-use.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { isNodeReady } from './detach-case.ts';

/** What the storage calls the volume, with the field where it stands. */
export function handleEvidence({ volume }: AttachTrouble): Evidence[] {
  if (volume?.state !== 'found') return [];
  const identity = volume.object.spec?.csi ? undefined : inTreeIdentity(volume.object);
  if (identity) return [field(volume.object, identity.path, identity.value)];
  return volume.object.spec?.csi && handleOf(volume.object) ? [field(volume.object, 'spec.csi.volumeHandle')] : [];
}

/** The node of this cluster that still has the volume which the storage does not give away. */
export interface HoldingNode {
  /** Reads after "the storage has it in use ". */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** The machine that the storage names, or the one whose status lists the volume; in-tree plugins attach without leaving an attachment behind. */
export function holdingNodeOf(trouble: AttachTrouble, error: AttachError): HoldingNode | undefined {
  const { ask, volumeName, driver } = trouble;
  const nodes = ask
    .list('Node', undefined, `whether a node of this cluster still has pv/${volumeName}`)
    .items.filter(({ metadata }) => metadata.name !== trouble.node);
  const node =
    nodes.find((candidate) => isNamedIn(trouble, candidate, error.words)) ??
    (isExclusive(trouble) ? nodes.find((candidate) => listingOf(trouble, candidate) !== undefined) : undefined);
  if (!node) return undefined;
  const { name } = node.metadata;
  const listing = listingOf(trouble, node);
  const holder = podsOn(trouble, name)[0];
  const attachment = attachmentsOf(ask, volumeName).find(({ spec }) => spec?.nodeName === name);
  const isUnattached =
    driver !== undefined &&
    !attachment &&
    ask.list('VolumeAttachment', undefined, `to which other nodes pv/${volumeName} is attached`).complete;
  return {
    words: `on ${name}, a node of this cluster${isNodeReady(node) ? '' : ' that is not ready'}${holder ? `, where ${holderWords(holder, ask.now)}` : listing ? `, which still lists it as ${listing.isInUse ? 'in use' : 'attached'}` : isUnattached ? ', though Kubernetes holds no attachment for it there' : ''}`,
    evidence: [
      listing
        ? field(node, listing.isInUse ? 'status.volumesInUse' : 'status.volumesAttached', listing.name)
        : note(node, 'is the machine that the storage names'),
      ...(holder
        ? [
            field(holder, 'spec.nodeName'),
            ...(holder.metadata.deletionTimestamp === undefined ? [] : [field(holder, 'metadata.deletionTimestamp')]),
          ]
        : []),
      ...(attachment ? [field(attachment, 'spec.nodeName')] : []),
    ],
    fix:
      listing || holder || attachment
        ? [...(holder ? [holderFix(holder)] : []), ...releaseFixes(name)]
        : forgottenFixes(name),
  };
}

/** By its name, or by the id under which the driver registered it, as a word of its own. */
function isNamedIn({ ask, driver }: AttachTrouble, { metadata: { name } }: Node, words: string): boolean {
  const id = ask.graph.find('CSINode', undefined, name)?.spec?.drivers?.find((entry) => entry.name === driver)?.nodeID;
  // A node that is called "server" is not meant whenever somebody says so.
  return [name, id].some((term) => term !== undefined && /[\d.-]/.test(term) && isWordOf(words, term));
}

function isWordOf(words: string, term: string): boolean {
  const isPart = (character: string | undefined): boolean => character !== undefined && /[\w-]/.test(character);
  for (let at = words.indexOf(term); at >= 0; at = words.indexOf(term, at + 1)) {
    if (!isPart(words[at - 1]) && !isPart(words[at + term.length])) return true;
  }
  return false;
}

/** How the status of a node calls the volume (pkg/volume/util GetUniqueVolumeName): by the driver, or by the in-tree plugin. */
function uniqueNamesOf(volume: Volume): string[] {
  const identity = inTreeIdentity(volume);
  return [uniqueNameOf(volume), identity && `${identity.plugin.provisioner}/${identity.value}`].filter(
    (name) => name !== undefined,
  );
}

function listingOf(
  { volume }: AttachTrouble,
  { status }: Node,
): { readonly name: string; readonly isInUse: boolean } | undefined {
  const names = volume?.state === 'found' ? uniqueNamesOf(volume.object) : [];
  const inUse = names.find((name) => status?.volumesInUse?.includes(name));
  const attached = names.find((name) => status?.volumesAttached?.some((entry) => entry.name === name));
  return inUse !== undefined
    ? { name: inUse, isInUse: true }
    : attached !== undefined
      ? { name: attached, isInUse: false }
      : undefined;
}

/** Many nodes may list a volume that they share. */
function isExclusive({ volume }: AttachTrouble): boolean {
  const modes = (volume?.state === 'found' ? volume.object.spec?.accessModes : undefined) ?? [];
  return modes.length > 0 && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}

function podsOn({ ask, volume }: AttachTrouble, node: string): readonly Pod[] {
  const { namespace, name } = (volume?.state === 'found' ? volume.object.spec?.claimRef : undefined) ?? {};
  return namespace && name
    ? ask.podsUsing({ namespace, name }).items.filter((pod) => pod.spec?.nodeName === node && !isTerminated(pod))
    : [];
}

function holderWords({ metadata, status }: Pod, now: number): string {
  // The deletion time of a pod is when its grace period ends.
  const end = parseTime(metadata.deletionTimestamp);
  if (end === undefined) return `pod/${metadata.name} (${status?.phase ?? 'in an unknown phase'}) uses it`;
  return `pod/${metadata.name} ${end < now ? `should have ended ${ageText(end, now)} ago and has not` : 'is being deleted'}`;
}

function holderFix({ metadata: { namespace, name, deletionTimestamp } }: Pod): Fix {
  if (deletionTimestamp !== undefined)
    return fix(
      'see what keeps the old pod from ending',
      `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
    );
  return fix(
    `let pod/${name} end, if this pod shall take over`,
    `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
    'disruptive',
  );
}

function releaseFixes(node: string): Fix[] {
  return [
    fix(
      `drain ${node}, or restart its kubelet, so that it gives the volume up`,
      `kubectl drain ${shellWord(node)} --ignore-daemonsets`,
      'disruptive',
    ),
    fix(
      `data-loss: detach it in the storage only when ${node} has it no longer mounted: two writers destroy a file system, and as long as a pod there wants it, it is attached again`,
      undefined,
      'data-loss',
    ),
  ];
}

/** Kubernetes does not know that it is there, and so does nothing about it. */
function forgottenFixes(node: string): Fix[] {
  return [
    fix(
      `see on ${node} whether the disk is still mounted there (lsblk)`,
      `kubectl debug node/${shellWord(node)} -it --image=busybox`,
      'disruptive',
    ),
    fix(
      `data-loss: detach it from ${node} in the storage, once it is not mounted there: two writers destroy a file system`,
      undefined,
      'data-loss',
    ),
  ];
}
