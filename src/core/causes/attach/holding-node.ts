import type { Attachment, Node, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, note } from '../../facts/evidence.ts';
import { inTreeIdentity } from '../../facts/volume/migrated-volume.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { attachmentsOf, handleOf, uniqueNameOf } from '../../facts/volume/volume-use.ts';
import { isWordOf } from '../lib/named-fields.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { changePodFix, stopPodFix } from '../lib/pod-change.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { isNodeReady } from './detach-case.ts';

/** What the storage calls the volume, with the field where it is written. */
export function handleEvidence(trouble: AttachTrouble): Evidence[] {
  const volume = volumeObjectOf(trouble);
  if (!volume) return [];
  const identity = volume.spec?.csi ? undefined : inTreeIdentity(volume);
  if (identity) return [field(volume, identity.path, identity.value)];
  return volume.spec?.csi && handleOf(volume) ? [field(volume, 'spec.csi.volumeHandle')] : [];
}

/** What the storage calls the volume, within a sentence. */
export function handleText(volume: Volume | undefined): string | undefined {
  const handle = volume && handleOf(volume);
  return handle === undefined ? undefined : `volume ${handle}`;
}

/** The node of this cluster that still has the volume which the storage refuses to attach elsewhere. */
interface HoldingNode {
  /** Reads after "the storage has it in use ". */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** What on that node still points to the volume. */
interface Hold {
  readonly node: Node;
  readonly listing: Listing | undefined;
  readonly pod: Pod | undefined;
  /** Further pods of the claim there. */
  readonly more: readonly Pod[];
  readonly attachment: Attachment | undefined;
  /** The words of the storage name it. */
  readonly isNamed: boolean;
  /** All attachments were read, and none is for that node. */
  readonly isUnattached: boolean;
}

export function holdingNodeOf(trouble: AttachTrouble, error: AttachError): HoldingNode | undefined {
  const node = findHoldingNode(trouble, error);
  if (!node) return undefined;
  const hold = holdOn(trouble, error, node);
  return {
    words: `${holdWords(hold, trouble.ask.now)}${sharedWords(trouble, hold)}`,
    evidence: [...modeEvidence(trouble, hold), ...evidenceOf(hold)],
    fix: fixesFor(trouble, hold),
  };
}

/**
 * The machine that the storage names, or the one whose status lists the volume: in-tree plugins attach without an
 * attachment.
 */
function findHoldingNode(trouble: AttachTrouble, error: AttachError): Node | undefined {
  const nodes = trouble.ask
    .list('Node', undefined, `whether a node of this cluster still has pv/${trouble.volumeName}`)
    .items.filter(({ metadata }) => metadata.name !== trouble.node);
  const named = nodes.find((candidate) => isNamedIn(trouble, candidate, error.words));
  if (named) return named;
  if (isExclusive(trouble)) return nodes.find((candidate) => listingOf(trouble, candidate) !== undefined);
  // The volume is said to be shared and the storage does not share it: the one attachment that it made shows where.
  const attached = attachmentsOf(trouble.ask, trouble.volumeName).filter(
    ({ spec, status }) => status?.attached === true && spec?.nodeName !== trouble.node,
  );
  const [only, ...more] = attached;
  return only && more.length === 0 ? nodes.find(({ metadata }) => metadata.name === only.spec?.nodeName) : undefined;
}

function holdOn(trouble: AttachTrouble, error: AttachError, node: Node): Hold {
  const isNamed = isNamedIn(trouble, node, error.words);
  const { ask, volumeName, driver } = trouble;
  const { name } = node.metadata;
  const [pod, ...more] = podsOn(trouble, name);
  const attachment = attachmentsOf(ask, volumeName).find(({ spec }) => spec?.nodeName === name);
  const isUnattached =
    driver !== undefined &&
    !attachment &&
    ask.list('VolumeAttachment', undefined, `to which other nodes pv/${volumeName} is attached`).complete;
  return { node, listing: listingOf(trouble, node), pod, more, attachment, isNamed, isUnattached };
}

function holdWords(hold: Hold, now: number): string {
  const { node } = hold;
  return `on ${node.metadata.name}, a node of this cluster${isNodeReady(node) ? '' : ' that is not ready'}${signWords(hold, now)}`;
}

/** Kubernetes believes the access mode and raises no Multi-Attach error of its own. */
function sharedWords(trouble: AttachTrouble, hold: Hold): string {
  const modes = volumeObjectOf(trouble)?.spec?.accessModes ?? [];
  return isKeptByAttachment(trouble, hold)
    ? `; although its access mode says ${modes.join(', ')}, the storage does not give it to a second node`
    : '';
}

function modeEvidence(trouble: AttachTrouble, hold: Hold): Evidence[] {
  const volume = volumeObjectOf(trouble);
  return volume && isKeptByAttachment(trouble, hold) ? [field(volume, 'spec.accessModes')] : [];
}

/** A volume that should be shared is attached, and rightly used, on that node. */
function isKeptByAttachment(trouble: AttachTrouble, { pod, attachment }: Hold): boolean {
  return (
    !isExclusive(trouble) &&
    attachment?.status?.attached === true &&
    pod !== undefined &&
    pod.metadata.deletionTimestamp === undefined
  );
}

function signWords({ pod, more, listing, attachment, isUnattached }: Hold, now: number): string {
  const others = more.length > 1 ? `, as do ${more.length} more pods` : ', as does 1 more pod';
  if (pod) return `, where ${holderWords(pod, now)}${more.length > 0 ? others : ''}`;
  if (!listing && attachment?.status?.attached === true) return ', to which Kubernetes has it attached';
  if (listing) return `, which still lists it as ${listing.isInUse ? 'in use' : 'attached'}`;
  return isUnattached ? ', though Kubernetes holds no attachment for it there' : '';
}

function evidenceOf({ node, listing, pod, more, attachment, isNamed }: Hold): Evidence[] {
  const isAttached = attachment?.status?.attached === true;
  const named = isNamed ? [note(node, 'is the machine that the storage names')] : [];
  const nodeEvidence = listing ? [listingEvidence(node, listing)] : named;
  return [
    ...nodeEvidence,
    ...(pod ? podEvidence(pod) : []),
    ...more.flatMap(podEvidence),
    ...(attachment ? [field(attachment, 'spec.nodeName')] : []),
    ...(isAttached ? [field(attachment, 'status.attached')] : []),
  ];
}

function listingEvidence(node: Node, { name, isInUse }: Listing): Evidence {
  return field(node, isInUse ? 'status.volumesInUse' : 'status.volumesAttached', name);
}

function podEvidence(pod: Pod): Evidence[] {
  const place = field(pod, 'spec.nodeName');
  return pod.metadata.deletionTimestamp === undefined ? [place] : [place, field(pod, 'metadata.deletionTimestamp')];
}

function fixesFor(trouble: AttachTrouble, hold: Hold): Fix[] {
  const { node, listing, pod, attachment } = hold;
  if (!listing && !pod && !attachment) return [forgottenFix(trouble, hold)];
  if (pod && isKeptByAttachment(trouble, hold)) {
    // Stopping one of several pods does not release the volume.
    const release = hold.more.length === 0 ? [holderFix(pod, node, trouble.ask.now)] : [];
    const share = sameNodeFixes(trouble, node);
    return share.length + release.length > 0 ? [...share, ...release] : [forceFix(node)];
  }
  return [...(pod ? [holderFix(pod, node, trouble.ask.now)] : [releaseFix(node, listing)]), forceFix(node)];
}

/** Pods on one node share the volume, whatever the storage refuses to a second node. */
function sameNodeFixes(trouble: AttachTrouble, node: Node): Fix[] {
  const { name, labels } = node.metadata;
  const [waiting] = podsOn(trouble, trouble.node);
  if (!waiting || node.spec?.unschedulable === true) return [];
  return [
    changePodFix(
      waiting,
      { nodeSelector: { 'kubernetes.io/hostname': labels?.['kubernetes.io/hostname'] ?? name } },
      (where) =>
        `Run pod/${waiting.metadata.name} on ${name}, too: select that node ${where}. Pods on one node share the ` +
        'volume. To run on several nodes, they need a class whose storage can share a volume.',
    ),
  ];
}

/** The words name the node, or the id under which the driver registered it, as a word of its own. */
function isNamedIn({ ask, driver }: AttachTrouble, { metadata: { name } }: Node, words: string): boolean {
  const id = ask.graph.find('CSINode', undefined, name)?.spec?.drivers?.find((entry) => entry.name === driver)?.nodeID;
  // A node called "server" is not always what a driver means by that word.
  return [name, id, scaleSetName(name)].some(
    (term) => term !== undefined && /[\d.-]/.test(term) && isWordOf(words, term),
  );
}

/**
 * Azure calls a machine of a scale set by its number (pool-vmss_10), and its host by that number to the base of 36
 * (pool-vmss00000a).
 */
function scaleSetName(node: string): string | undefined {
  const [, scaleSet = '', number = ''] = /^(.+vmss)([0-9a-z]{6})$/.exec(node) ?? [];
  return number === '' ? undefined : `${scaleSet}_${Number.parseInt(number, 36)}`;
}

/**
 * The names of the volume in a node's status (pkg/volume/util GetUniqueVolumeName): by the driver, or by the in-tree
 * plugin.
 */
function uniqueNamesOf(volume: Volume): string[] {
  const identity = inTreeIdentity(volume);
  return [uniqueNameOf(volume), identity && `${identity.plugin.provisioner}/${identity.value}`].filter(
    (name) => name !== undefined,
  );
}

/** The volume in a node's status. */
interface Listing {
  readonly name: string;
  readonly isInUse: boolean;
}

function listingOf(trouble: AttachTrouble, { status }: Node): Listing | undefined {
  const volume = volumeObjectOf(trouble);
  const names = volume ? uniqueNamesOf(volume) : [];
  const inUse = names.find((name) => status?.volumesInUse?.includes(name));
  if (inUse !== undefined) return { name: inUse, isInUse: true };
  const attached = names.find((name) => status?.volumesAttached?.some((entry) => entry.name === name));
  return attached === undefined ? undefined : { name: attached, isInUse: false };
}

/** A volume that several nodes share may rightly be listed by many. */
function isExclusive(trouble: AttachTrouble): boolean {
  const modes = volumeObjectOf(trouble)?.spec?.accessModes ?? [];
  return modes.length > 0 && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}

function podsOn(trouble: AttachTrouble, node: string): readonly Pod[] {
  const { namespace, name } = volumeObjectOf(trouble)?.spec?.claimRef ?? {};
  return namespace && name
    ? trouble.ask
        .podsUsing({ namespace, name })
        .items.filter((pod) => pod.spec?.nodeName === node && !isTerminated(pod))
    : [];
}

function holderWords({ metadata, status }: Pod, now: number): string {
  // The deletionTimestamp of a pod is when its grace period ends.
  const end = parseTime(metadata.deletionTimestamp);
  if (end === undefined) return `pod/${metadata.name} (${status?.phase ?? 'in an unknown phase'}) uses it`;
  return `pod/${metadata.name} ${end < now ? `should have ended ${ageText(end, now)} ago and has not` : 'is being deleted'}`;
}

function holderFix(pod: Pod, node: Node, now: number): Fix {
  const { name, deletionTimestamp } = pod.metadata;
  const end = parseTime(deletionTimestamp);
  if (end === undefined)
    return stopPodFix(
      pod,
      (what) =>
        `If the new pod replaces it, ${what}. The volume is then detached from ${node.metadata.name} and attached within about 5 minutes.`,
    );
  if (end >= now)
    return steps(
      `Wait until pod/${name} has ended: its volume is then detached and attached within about 5 minutes.`,
      [],
    );
  return restartKubelet(
    node,
    `Restart the kubelet of ${node.metadata.name}, so that it ends pod/${name} and unmounts the volume; other containers keep running.`,
  );
}

function restartKubelet(node: Node, text: string): Fix {
  if (!isNodeReady(node))
    return steps(`Start the machine of ${node.metadata.name}, or its kubelet. It then gives the volume up.`, []);
  return isWindows(node)
    ? steps(`${text} It runs Windows (Restart-Service kubelet).`, [], 'disruptive')
    : steps(
        `${text} Delete the debug pod afterwards.`,
        [onNode(node.metadata.name, 'systemctl restart kubelet')],
        'disruptive',
      );
}

/** No pod there uses the volume, and the node still lists it. */
function releaseFix(node: Node, listing: Listing | undefined): Fix {
  // volumesInUse is what the kubelet writes; volumesAttached is what the attach-detach controller counts.
  if (listing && !listing.isInUse && isNodeReady(node))
    return steps(
      `Drain ${node.metadata.name}: the attach-detach controller counts the volume as attached there, although ` +
        'no pod uses it and the kubelet does not have it in use. ' +
        'With the pods gone it detaches the volume, which is attached to the new node within about 5 minutes. ' +
        'Allow pods there again afterwards.',
      [
        `kubectl drain ${shellWord(node.metadata.name)} --ignore-daemonsets --delete-emptydir-data`,
        `kubectl uncordon ${shellWord(node.metadata.name)}`,
      ],
      'disruptive',
    );
  return restartKubelet(
    node,
    `Restart the kubelet of ${node.metadata.name}, which still lists the volume although no pod there uses ` +
      'it; containers keep running. The volume is then detached and attached within about 5 minutes.',
  );
}

function forceFix({ metadata: { name } }: Node): Fix {
  return steps(
    `Have it detached from ${name} in the storage only when it is not mounted there any more. ` +
      'Two writers destroy a file system, and as long as a pod there needs it, it is attached again.',
    [],
    'data-loss',
  );
}

/**
 * For a volume that is attached without Kubernetes knowing it, no controller detaches it; what was not read may want it
 * there.
 */
function forgottenFix(trouble: AttachTrouble, { node, isUnattached }: Hold): Fix {
  const { name } = node.metadata;
  const view = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  const look = isWindows(node) ? [] : [onNode(name, 'lsblk -o NAME,SERIAL,MOUNTPOINTS')];
  const list = look.length === 0 ? '' : ' The disk must have no mount point in the list.';
  // Storage in the cluster has attachments of its own, which may outlive those of Kubernetes.
  if (isUnattached && view.isInCluster)
    return steps(
      `Release it on ${name} in the storage itself: what holds it there is left over, since Kubernetes has no ` +
        `attachment to that node.${viewWords(view)}${list} Two writers destroy a file system.`,
      [...viewCommands(view), ...look],
      'data-loss',
    );
  if (isUnattached)
    return steps(
      `Ask ${view.team} to detach it from ${name}, once it is not mounted there: ` +
        `no controller of the cluster does that. Two writers destroy a file system.${list}`,
      look,
      'data-loss',
    );
  return steps(
    `Stop the pod on ${name} that uses the volume, if the first command shows an attachment for ${name}: ` +
      `it is then detached. If it shows none, ask ${view.team} to detach it, once it is not mounted there; ` +
      `two writers destroy a file system.${list}`,
    [`kubectl get volumeattachments -o wide | grep -F -- ${shellWord(trouble.volumeName)}`, ...look],
    'data-loss',
  );
}
