import type { KubeEvent, Volume } from '../../kube/kinds.ts';
import { migratedPlugins } from '../../kube/in-tree.ts';
import { bytesOf, compareQuantities, formatBytes } from '../../kube/quantity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { growthSince, resizeStateOf } from '../../journey/claim-growth.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { versionOf } from '../provision/in-tree.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';

export const storageResizerAnnotation = 'volume.kubernetes.io/storage-resizer';

export function volumeOf(c: PresentClaim): Volume | undefined {
  return c.volume?.state === 'found' ? c.volume.object : undefined;
}

/** Which controller must expand the volume. */
interface Resizer {
  /** The CSI driver; undefined for a volume without one. */
  readonly driver: string | undefined;
  /** The volume is an in-tree one that the CSI driver has taken over (CSI migration). */
  readonly isMigrated: boolean;
}

/** From the volume; where that could not be read, from the annotations of the claim. */
export function resizerOf(c: PresentClaim): Resizer {
  const volume = volumeOf(c);
  const annotated = c.annotation(storageResizerAnnotation);
  if (!volume) {
    const name = annotated ?? c.askedProvisioner;
    return { driver: name?.includes('/') ? undefined : name, isMigrated: annotated !== undefined };
  }
  if (volume.spec?.csi?.driver) return { driver: volume.spec.csi.driver, isMigrated: false };
  const plugin = migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
  return { driver: plugin && (annotated ?? plugin.driver), isMigrated: plugin !== undefined };
}

/** An error of ControllerExpandVolume. */
export interface ControllerError extends RpcWords {
  readonly text: string;
  readonly evidence: Evidence;
  /** A condition holds it (1.31 and later); otherwise only an event reports it. */
  readonly isKept: boolean;
  /** In milliseconds; 0 when unknown. */
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

/** The latest failure event, unless a later event reports success. The kubelet uses the same reason for its own failures. */
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

/** The fields that show the requested size, the current size and how far the expansion has come. */
export function growthEvidence(c: PresentClaim): EvidenceList {
  const state = resizeStateOf(c.claim);
  return [
    field(c.claim, 'spec.resources.requests.storage'),
    field(c.claim, 'status.capacity.storage'),
    ...(state === '' ? [] : [field(c.claim, 'status.allocatedResourceStatuses.storage')]),
  ];
}

/** Infinite when nothing tells when the larger size was requested. */
export function secondsSinceRequest(c: PresentClaim): number {
  const since = growthSince(c);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}

/** The request was changed after the driver refused: the last answer is about another size. */
export function isRequestChanged(c: PresentClaim): boolean {
  const allocated = c.claim.status?.allocatedResources?.['storage'];
  return allocated !== undefined && compareQuantities(c.request, allocated) !== 0;
}

/** KEP-1790: since 1.32 a failed expansion can be undone by requesting less, as long as that is more than the capacity. */
export function lowerRequest(c: PresentClaim, driverText: string): Fix {
  if (atLeast(versionOf(c.ask), 1, 32) === false) {
    return fix(
      `this server cannot take a growth back: keep the volume (reclaim policy Retain), then make the claim again with the old size and bind it to the same volume; pods must be stopped for it`,
      `kubectl get pv ${shellWord(c.volumeName)} -o yaml`,
      'disruptive',
    );
  }
  const size = largestOffered(c, driverText);
  if (size === undefined)
    return fix(
      `lower the request to a size that the driver can give, above ${c.claim.status?.capacity?.['storage'] ?? 'what it has'}`,
      `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
    );
  return fix(
    `lower the request to what the driver can give: ${size}`,
    `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { resources: { requests: { storage: size } } } })}`,
  );
}

/** The last resort, after advice that repairs the cause. */
export function elseLowerRequest(c: PresentClaim, driverText: string): Fix {
  const { text, ...rest } = lowerRequest(c, driverText);
  return { text: `if it cannot be mended: ${text}`, ...rest };
}

/** A patch as one shell word, whatever characters the names in it contain. */
export function mergePatch(patch: object): string {
  return shellWord(JSON.stringify(patch));
}

/** Drivers often name the largest possible size: the largest number of bytes between the capacity and the request. */
function largestOffered(c: PresentClaim, driverText: string): string | undefined {
  const least = bytesOf(c.claim.status?.capacity?.['storage']);
  const most = bytesOf(c.request);
  const sizes = [...driverText.matchAll(/\b\d{8,18}\b/g)]
    .map(([digits]) => BigInt(digits))
    .filter((bytes) => bytes > least && bytes < most);
  const [first, ...rest] = sizes;
  return first === undefined
    ? undefined
    : formatBytes(rest.reduce((best, bytes) => (bytes > best ? bytes : best), first));
}
