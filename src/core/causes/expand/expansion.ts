import type { KubeEvent, Volume } from '../../kube/kinds.ts';
import { migratedPlugins } from '../../kube/in-tree.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { growthSince, resizeStateOf } from '../../journey/claim-growth.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { atLeast } from '../../kube/version.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import { versionOf } from '../provision/in-tree.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';

export const storageResizerAnnotation = 'volume.kubernetes.io/storage-resizer';

export function volumeOf(c: PresentClaim): Volume | undefined {
  return c.volume?.state === 'found' ? c.volume.object : undefined;
}

/** Who must grow the volume. */
export interface Resizer {
  /** The CSI driver; undefined for a volume that no driver serves. */
  readonly driver: string | undefined;
  /** The volume is an in-tree one that the driver has taken over. */
  readonly isMigrated: boolean;
  /** Only the claim tells, since the volume could not be read. */
  readonly isGuessed: boolean;
}

export function resizerOf(c: PresentClaim): Resizer {
  const volume = volumeOf(c);
  const told = c.annotation(storageResizerAnnotation);
  if (volume) {
    if (volume.spec?.csi?.driver) return { driver: volume.spec.csi.driver, isMigrated: false, isGuessed: false };
    const plugin = migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
    return { driver: plugin && (told ?? plugin.driver), isMigrated: plugin !== undefined, isGuessed: false };
  }
  const asked = told ?? c.askedProvisioner;
  return { driver: asked?.includes('/') ? undefined : asked, isMigrated: told !== undefined, isGuessed: true };
}

/** What went wrong on the controller's side: kept in a condition for good (≥1.31), else only said. */
export interface ControllerError extends RpcWords {
  readonly text: string;
  readonly evidence: Evidence;
  readonly isKept: boolean;
  readonly time: number;
}

export function controllerErrorOf(c: PresentClaim): ControllerError | undefined {
  const condition = conditionOf(c.claim.status?.conditions, 'ControllerResizeError');
  if (condition?.status === 'True') {
    const text = condition.message ?? '';
    return {
      ...rpcWordsOf(text),
      text,
      isKept: true,
      time: Date.parse(condition.lastTransitionTime ?? '') || 0,
      evidence: field(c.claim, 'status.conditions[ControllerResizeError].message', text, condition.lastTransitionTime),
    };
  }
  const said = newestFailure(c);
  if (!said) return undefined;
  const text = messageOf(said);
  return { ...rpcWordsOf(text), text, isKept: false, time: lastSeen(said), evidence: eventSaid(c.claim, said) };
}

/** The last refusal, if nothing since shows that it was overcome; the kubelet speaks with the same reason. */
function newestFailure(c: PresentClaim): KubeEvent | undefined {
  const events = [...c.events.items].sort((a, b) => lastSeen(a) - lastSeen(b));
  const failed = events.findLast(
    (event) =>
      event.reason === 'VolumeResizeFailed' &&
      componentOf(event) !== 'kubelet' &&
      !/NodeExpandVolume/.test(messageOf(event)),
  );
  const overcome = events.findLast(
    ({ reason }) =>
      reason === 'VolumeResizeSuccessful' ||
      reason === 'FileSystemResizeRequired' ||
      reason === 'FileSystemResizeSuccessful',
  );
  if (!failed || (overcome && lastSeen(overcome) > lastSeen(failed))) return undefined;
  const asked = growthSince(c);
  return asked !== undefined && lastSeen(failed) < asked - 5000 ? undefined : failed;
}

/** The fields that show that the claim wants to grow, and how far it came. */
export function growthEvidence(c: PresentClaim): [Evidence, ...Evidence[]] {
  const state = resizeStateOf(c.claim);
  return [
    field(c.claim, 'spec.resources.requests.storage'),
    field(c.claim, 'status.capacity.storage'),
    ...(state === '' ? [] : [field(c.claim, 'status.allocatedResourceStatuses.storage')]),
  ];
}

export function waitedFor(c: PresentClaim): number {
  const since = growthSince(c);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}

/** KEP-1790: from 1.32 on a failed growth is taken back by asking for less, as long as that is more than there is. */
export function lowerRequest(c: PresentClaim, words: string): Fix {
  const capacity = c.claim.status?.capacity?.['storage'] ?? 'what it has';
  if (atLeast(versionOf(c.ask), 1, 32) === false) {
    return fix(
      `this server cannot take a growth back: keep the volume (reclaim policy Retain), then make the claim again with the old size and bind it to the same volume; pods must be stopped for it`,
      `kubectl get pv ${shellWord(c.volumeName)} -o yaml`,
      'disruptive',
    );
  }
  const size = sizeIn(c, words);
  if (size === undefined)
    return fix(
      `lower the request to a size that the driver can give, above ${capacity}`,
      `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
    );
  return fix(
    `lower the request to what the driver can give: ${size}`,
    `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { resources: { requests: { storage: size } } } })}`,
  );
}

/** A patch as one word of a shell, whatever the names in it hold. */
export function mergePatch(patch: object): string {
  return shellWord(JSON.stringify(patch));
}

/** Drivers often name the largest size in their refusal: the biggest number of bytes between what is there and what is asked for. */
function sizeIn(c: PresentClaim, words: string): string | undefined {
  const least = bytesOf(c.claim.status?.capacity?.['storage']);
  const most = bytesOf(c.request);
  const sizes = [...words.matchAll(/\b\d{8,18}\b/g)]
    .map(([digits]) => BigInt(digits))
    .filter((bytes) => bytes > least && bytes < most);
  const [first, ...rest] = sizes;
  return first === undefined
    ? undefined
    : formatBytes(rest.reduce((best, bytes) => (bytes > best ? bytes : best), first));
}
