import type { KubeEvent } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { toldVolume } from './told-volume.ts';

/** What the kubelet complains of, by its own words. */
export type FailureKind =
  | 'notRegistered'
  | 'forbidden'
  | 'secretReference'
  | 'attachment'
  | 'nodeAffinity'
  | 'lifecycleMode'
  | 'oncePod'
  | 'selinuxConflict'
  | 'selinuxMultiple'
  | 'mountOptions'
  | 'noPlugin'
  | 'fsGroup'
  | 'token'
  | 'secretKey'
  | 'configKey'
  | 'secretVolume'
  | 'configMap'
  | 'projected'
  | 'claimNotBound'
  | 'claimDeleting'
  | 'claimReference'
  | 'volumeMode'
  | 'expansion'
  | 'fileSystem'
  | 'fsck'
  | 'timeout'
  | 'pending'
  | 'block'
  | 'stage'
  | 'publish'
  | 'inTree'
  | 'general';

export interface MountFailure {
  readonly event: KubeEvent;
  readonly kind: FailureKind;
  /** e.g. MountVolume.SetUp; undefined where the kubelet speaks of the pod as a whole. */
  readonly operation: string | undefined;
  /** The name of the PersistentVolume, or of the pod's own volume. */
  readonly volume: string | undefined;
  /** What comes after the name of the volume. */
  readonly text: string;
}

/** The first that fits counts. All texts are of pkg/kubelet and pkg/volume, old and new. */
const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  ['notRegistered', /driver name \S+ not found\s+in the list of registered CSI drivers/],
  ['forbidden', /is forbidden: [^]*no relationship found between node/],
  [
    'secretReference',
    /fetching Node(?:Stage|Publish|Expand)SecretRef \S+ failed|failed to find the secret \S+ in the namespace/,
  ],
  [
    'attachment',
    /has GET error for volume attachment|is not attached for volume attachment|failed to fetch publishContext|volume attachment is being deleted|volumeattachments?\.storage\.k8s\.io "[^"]+" not found/,
  ],
  ['nodeAffinity', /NodeAffinity check failed|no matching NodeSelectorTerms/],
  ['lifecycleMode', /volume mode "(?:Ephemeral|Persistent)" not supported by driver/],
  ['oncePod', /uses the ReadWriteOncePod access mode and is already in use/],
  ['selinuxConflict', /conflicting SELinux labels of volume/],
  ['selinuxMultiple', /multiple SELinux labels found/],
  ['mountOptions', /mount options are not supported for this volume type/],
  ['noPlugin', /failed to get Plugin from volumeSpec|no volume plugin matched/],
  ['fsGroup', /applyFSGroup failed for vol/],
  ['token', /failed to get service acc\w*unt token attributes/],
  ['expansion', /NodeExpandVolume failed|failed while expanding volume|Expansion failed/],
  ['secretKey', /references non-existent secret key/],
  ['configKey', /references non-existent config key/],
  [
    'projected',
    /failed to fetch token|serviceaccounts? "[^"]+" not found|object "[^"]*"\/"[^"]*" not registered|ClusterTrustBundle|podcertificate/i,
  ],
  ['secretVolume', /secrets? "[^"]+" not found|couldn't get secret \S+/i],
  ['configMap', /configmaps? "[^"]+" not found|couldn't get configMap \S+/i],
  ['claimNotBound', /PVC is not bound|PVC has empty pvc\.Spec\.VolumeName/],
  ['claimDeleting', /PVC is being deleted/],
  [
    'claimReference',
    /ClaimRef\.UID .* does not point to claim\.UID|does not point to claim\.UID|nil pv\.Spec\.ClaimRef/,
  ],
  ['volumeMode', /has volumeMode (?:Block|Filesystem), but is specified in/],
  ['fileSystem', /failed to mount the volume as "[^"]*", it already contains/],
  [
    'fsck',
    /fsck[^]*(?:exit status [48]\b|UNEXPECTED INCONSISTENCY|could not correct|errors? (?:left )?uncorrected)|'fsck' found errors/i,
  ],
  [
    'pending',
    /code = Aborted\b|operation (?:with the given \S+ \S+|for \S+|.{0,120}) (?:already exists|is (?:already )?(?:in progress|pending))/i,
  ],
  ['timeout', /code = DeadlineExceeded\b/],
];

/** A driver may miss a secret of its own: then the pod's own volumes are not to blame. */
const ofPodSources: readonly FailureKind[] = ['secretKey', 'configKey', 'secretVolume', 'configMap', 'projected'];

const prefix = /(MountVolume|MapVolume)\.(.{1,60}?) failed for volume ["']([^"']+)["'][^:]{0,200}?:\s*([^]*)$/;
/** Before it mounts anything the kubelet looks up what the pod's volumes are; then only their names in the pod are known. */
const unprocessed = /failed to process volumes=\[([^\]\s]+)\]/;
const podWide = /Unable to (?:attach or )?mount volumes[^]*?\]:\s*([^]*)$/;
/** Both come and go by themselves while the kubelet fills its caches. */
const noise = /failed to sync (?:configmap|secret|config map) cache/i;

export function failureOfEvent(event: KubeEvent): MountFailure | undefined {
  if (event.reason !== 'FailedMount' && event.reason !== 'FailedMapVolume') return undefined;
  const message = messageOf(event);
  if (noise.test(message)) return undefined;
  const match = prefix.exec(message);
  const [, verb, step, mounted, said] = match ?? [];
  const volume = mounted ?? unprocessed.exec(message)?.[1];
  const operation = verb === undefined ? undefined : `${verb}.${step ?? ''}`;
  const text = said ?? podWide.exec(message)?.[1] ?? message;
  return { event, kind: kindOf(event, operation, message, text), operation, volume, text: text.trim() };
}

function kindOf(event: KubeEvent, operation: string | undefined, message: string, text: string): FailureKind {
  const isDriversWord = /rpc error:/.test(text);
  const known = kinds.find(
    ([kind, pattern]) => pattern.test(message) && !(isDriversWord && ofPodSources.includes(kind)),
  )?.[0];
  if (known !== undefined) return known;
  if (operation === undefined && /^Unable to/.test(message)) return 'general';
  if (event.reason === 'FailedMapVolume' || operation?.startsWith('MapVolume')) return 'block';
  if (/rpc error:|kubernetes\.io\/csi:/.test(text))
    return operation === undefined
      ? /MountDevice/.test(text)
        ? 'stage'
        : 'publish'
      : operation === 'MountVolume.MountDevice'
        ? 'stage'
        : 'publish';
  return /timed out waiting for the condition|timeout expired/.test(text) ? 'general' : 'inTree';
}

const remembered = new WeakMap<PodCase, readonly MountFailure[]>();

/**
 * What stands in the way of each volume now, the newest first: one failure a volume. The kubelet tries again at the
 * latest every two minutes, so what it has not repeated for longer than that is over; of what it says in turns,
 * a plain error tells more than "timed out", and that more than "still at it".
 */
export function mountFailuresOf(p: PodCase): readonly MountFailure[] {
  let failures = remembered.get(p);
  if (!failures) {
    failures = p.pod.spec?.nodeName ? currentFailures(p, allFailuresOf(p)) : [];
    remembered.set(p, failures);
  }
  return failures;
}

/** All that was ever said, the oldest first. */
export function allFailuresOf(p: PodCase): MountFailure[] {
  return p.events.items
    .flatMap((event) => failureOfEvent(event) ?? [])
    .map((failure) => ofItsVolume(p, failure))
    .sort((a, b) => lastSeen(a.event) - lastSeen(b.event) || compareText(a.text, b.text));
}

/** A text may be cut before the words that show whose it is; that of a CSI volume is the driver's, whatever it says. */
function ofItsVolume(p: PodCase, failure: MountFailure): MountFailure {
  const use = failure.kind === 'inTree' ? toldVolume(p, failure) : undefined;
  if (!use || !(use.isInline || use.volumeObject?.spec?.csi)) return failure;
  return { ...failure, kind: failure.operation === 'MountVolume.SetUp' ? 'publish' : 'stage' };
}

/** The newest failure of one of these kinds that still stands. */
export function failureOf(p: PodCase, ...wanted: readonly FailureKind[]): MountFailure | undefined {
  return mountFailuresOf(p).find(({ kind }) => wanted.includes(kind));
}

const windowMs = 6 * 60_000;
const weight = (kind: FailureKind): number =>
  kind === 'general' ? 3 : kind === 'pending' ? 2 : kind === 'timeout' ? 1 : 0;

function currentFailures(p: PodCase, all: readonly MountFailure[]): MountFailure[] {
  const byVolume = new Map<string, MountFailure[]>();
  for (const failure of all) {
    const key = toldVolume(p, failure)?.name ?? failure.volume ?? `${failure.kind} ${failure.text}`;
    byVolume.set(key, [...(byVolume.get(key) ?? []), failure]);
  }
  const newest = Math.max(0, ...all.map(({ event }) => lastSeen(event)));
  return [...byVolume.values()]
    .flatMap((failures) => {
      const last = Math.max(...failures.map(({ event }) => lastSeen(event)));
      // Another volume that the kubelet has not complained of for long is mounted by now.
      if (newest - last > 3 * windowMs) return [];
      const recent = failures.filter(({ event }) => last - lastSeen(event) <= windowMs);
      return recent
        .sort(
          (a, b) =>
            weight(a.kind) - weight(b.kind) || lastSeen(b.event) - lastSeen(a.event) || compareText(a.text, b.text),
        )
        .slice(0, 1);
    })
    .sort(
      (a, b) => weight(a.kind) - weight(b.kind) || lastSeen(b.event) - lastSeen(a.event) || compareText(a.text, b.text),
    );
}

/** Since when the kubelet says so, in seconds before now. */
export function lastsSeconds(p: PodCase, { event }: MountFailure): number {
  const first = [
    event.firstTimestamp,
    event.deprecatedFirstTimestamp,
    event.eventTime,
    event.metadata.creationTimestamp,
  ]
    .map(parseTime)
    .find((time) => time !== undefined);
  return first === undefined ? 0 : Math.max(0, (p.now - first) / 1000);
}
