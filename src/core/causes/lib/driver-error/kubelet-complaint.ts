import type { KubeEvent } from '../../../kube/kinds.ts';
import { messageOf } from '../../../graph/events.ts';
import { mountSenseOf } from './node-sense.ts';
import { parseDriverError } from './parse.ts';
import { isOpaque } from './quote.ts';
import { groupFailedText } from './sentences/kubelet.ts';
import {
  fileSystemCheckTexts,
  fuseProcessGoneText,
  otherFileSystemText,
  staleHandleText,
} from './senses/file-system.ts';
import { beingDeletedText, nodeForbiddenText, noVolumePluginText, notRegisteredText } from './senses/kubernetes.ts';
import { operationPendingTexts } from './senses/time.ts';
import { anyOf } from './senses/wordings.ts';
import { mountEventWrappings, unwrapOnce } from './wrappings.ts';

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

/** An event of the kubelet about a volume, taken apart. */
export interface KubeletComplaint {
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
  ['notRegistered', notRegisteredText],
  ['forbidden', nodeForbiddenText],
  [
    'secretReference',
    /fetching Node(?:Stage|Publish|Expand)SecretRef \S+ failed|failed to find the secret \S+ in the namespace/,
  ],
  [
    'attachment',
    anyOf(
      beingDeletedText,
      /has GET error for volume attachment|is not attached for volume attachment|failed to fetch publishContext|volumeattachments?\.storage\.k8s\.io "[^"]+" not found/,
    ),
  ],
  ['nodeAffinity', /NodeAffinity check failed|no matching NodeSelectorTerms/],
  ['lifecycleMode', /volume mode "(?:Ephemeral|Persistent)" not supported by driver/],
  ['oncePod', /uses the ReadWriteOncePod access mode and is already in use/],
  ['selinuxConflict', /conflicting SELinux labels of volume/],
  ['selinuxMultiple', /multiple SELinux labels found/],
  ['mountOptions', /mount options are not supported for this volume type/],
  ['noPlugin', anyOf(/failed to get Plugin from volumeSpec/, noVolumePluginText)],
  ['fsGroup', groupFailedText],
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
  ['fileSystem', otherFileSystemText],
  ['fsck', fileSystemCheckTexts],
  ['pending', operationPendingTexts],
  ['timeout', /code = DeadlineExceeded\b/],
];

/** A driver may miss a secret of its own: then the pod's own volumes are not to blame. */
const ofPodSources: readonly FailureKind[] = ['secretKey', 'configKey', 'secretVolume', 'configMap', 'projected'];

/**
 * Before it mounts anything the kubelet looks up what the pod's volumes are; then only their names in the pod are
 * known.
 */
const unprocessed = /failed to process volumes=\[([^\]\s]+)\]/;
/** Passes within seconds, while the kubelet fills its caches. */
const noise = /failed to sync (?:configmap|secret|config map) cache/i;

export function failureOfEvent(event: KubeEvent): KubeletComplaint | undefined {
  if (event.reason !== 'FailedMount' && event.reason !== 'FailedMapVolume') return undefined;
  const message = messageOf(event);
  if (noise.test(message)) return undefined;
  const outer = unwrapOnce(message, mountEventWrappings);
  const operation = outer?.operation;
  const volume = outer?.volume ?? unprocessed.exec(message)?.[1];
  const text = outer?.rest ?? message;
  return { event, kind: kindOf(event, operation, message, text), operation, volume, text: text.trim() };
}

function kindOf(event: KubeEvent, operation: string | undefined, message: string, text: string): FailureKind {
  const isDriversWord = /rpc error:/.test(text);
  const known = kinds.find(
    ([kind, pattern]) =>
      pattern.test(message) &&
      !(isDriversWord && ofPodSources.includes(kind)) &&
      !(kind === 'pending' && saysOtherThanPending(text)) &&
      !(kind === 'fsGroup' && deadMountTexts.test(text)),
  )?.[0];
  if (known !== undefined) return known;
  if (operation === undefined && /^Unable to/.test(message)) return 'general';
  if (event.reason === 'FailedMapVolume' || operation?.startsWith('MapVolume')) return 'block';
  if (/rpc error:|kubernetes\.io\/csi:/.test(text)) return isStage(operation, text) ? 'stage' : 'publish';
  return /timed out waiting for the condition|timeout expired/.test(text) ? 'general' : 'inTree';
}

/** The kubelet only met the dead mount while it went through the files. */
const deadMountTexts = anyOf(staleHandleText, fuseProcessGoneText);

/** Some drivers answer ABORTED to whatever they refuse; then their words count, not the code. */
function saysOtherThanPending(text: string): boolean {
  if (waitWords.test(text.replace(/code = Aborted/gi, ''))) return false;
  return mountSenseOf(text) !== undefined || !isOpaque(parseDriverError(text).words);
}

/** Any word for a call, a job or a lock that another one waits for. */
const waitWords =
  /already exists|in progress|pending|another (?:operation|request|call)|in[- ]?flight|\block\w*|\bbusy\b|running|ongoing|concurrent|\bretry|\btry again|\bprocess(?:ing|ed)\b|\boperations?\b|\baborted\b/i;

function isStage(operation: string | undefined, text: string): boolean {
  return operation === undefined ? /MountDevice/.test(text) : operation === 'MountVolume.MountDevice';
}

/** The words that made a text a complaint of this kind, where words decide. */
export function tellingWords(kind: FailureKind, text: string): string | undefined {
  return kinds.find(([known, pattern]) => known === kind && pattern.test(text))?.[1].exec(text)?.[0];
}

/** The kind that the words alone tell, without the step that failed. */
export function kindByWords(text: string): FailureKind | undefined {
  return kinds.find(([, pattern]) => pattern.test(text))?.[0];
}
