import {
  beingDeletedText,
  driverNotOnNodeText,
  notRegisteredText,
  noVolumePluginText,
  saveFailedTexts,
} from './senses/kubernetes.ts';
import { noAnswerTexts } from './senses/time.ts';
import { anyOf } from './senses/wordings.ts';
import type { Speaker } from './speakers.ts';

/** What one component puts before the error of another. */
interface Wrapping {
  readonly speaker: Speaker;
  /** `operation` and `volume` are named groups. */
  readonly pattern: RegExp;
  /** The step where the words do not name it. */
  readonly operation?: string;
}

/** Up to version 5 the provisioner puts the class before the error, and so does the volume controller. */
export const classPrefix = /^failed to provision volume with storage ?class "[^"]*":\s*/i;

/** How the messages of FailedMount and FailedMapVolume begin. */
export const mountEventWrappings: readonly Wrapping[] = [
  {
    speaker: 'kubelet',
    pattern:
      /^[^]*?(?<operation>(?:MountVolume|MapVolume|UnmountVolume|UnmountDevice)\.(?:.{1,60}?)) failed(?: while expanding volume)? for volume ["'](?<volume>[^"']+)["'][^:]{0,200}?:\s*/,
  },
  { speaker: 'kubelet', pattern: /^Unable to (?:attach or )?mount volumes[^]*?\]:\s*/ },
];

/**
 * pkg/kubelet, pkg/volume/util/operationexecutor, pkg/controller/volume and the sidecars, old and new versions; the
 * first that fits.
 */
const wrappings: readonly Wrapping[] = [
  {
    speaker: 'attachDetachController',
    pattern:
      /^[^]*?(?<operation>AttachVolume\.(?:Attach|NewAttacher|FindAttachablePluginBySpec)|DetachVolume\.Detach) failed for volume "(?<volume>[^"]*)"\s*:?\s*/,
  },
  {
    speaker: 'kubelet',
    pattern:
      /^(?<operation>\S+\.NodeExpandVolume) failed(?: to resize volume)? for volume "(?<volume>[^"]*)"(?: \(UniqueName: "[^"]*"\))?(?: pod "[^"]*" \(UID: "[^"]*"\))? ?: /,
  },
  ...mountEventWrappings,
  {
    speaker: 'kubelet',
    pattern: /^kubernetes\.io\/csi: (?<operation>(?:attacher|mounter|blockMapper)\.\w+) failed(?: to [\w -]{1,80})?: /,
  },
  { speaker: 'kubelet', pattern: /^fetching (?<operation>Node\w+SecretRef) \S+ failed: (?:kubernetes\.io\/csi: )?/ },
  {
    speaker: 'kubelet',
    operation: 'RegisterPlugin',
    pattern: /^Registration process failed with error: (?:RegisterPlugin error -- )?/,
  },
  { speaker: 'kubelet', pattern: /^failed to find the secret \S+ in the namespace \S+ with error: / },
  { speaker: 'provisioner', operation: 'CreateVolume', pattern: classPrefix },
  {
    speaker: 'provisioner',
    operation: 'getVolumeContentSource',
    pattern: /^error getting handle for DataSource Type \S+ by Name \S+: /,
  },
  { speaker: 'provisioner', operation: 'topology', pattern: /^error generating accessibility requirements: / },
  { speaker: 'resizer', operation: 'ControllerExpandVolume', pattern: /^failed to expand pvc with /i },
  {
    speaker: 'resizer',
    operation: 'ControllerExpandVolume',
    pattern: /^resize volume "(?<volume>[^"]*)" by resizer "[^"]*" failed: /i,
  },
  {
    speaker: 'volumeController',
    operation: 'ExpandVolume',
    pattern: /^error expanding volume "[^"]*" of plugin "?[^" ]*"? ?: /i,
  },
  {
    speaker: 'snapshotter',
    operation: 'CreateSnapshot',
    pattern:
      /^(?:Failed to check and update snapshot content: )?failed to take snapshot of the volume (?<volume>\S+): /,
  },
  { speaker: 'snapshotter', pattern: /^Failed to check and update (?<operation>snapshot content): /i },
  { speaker: 'snapshotter', operation: 'ListSnapshots', pattern: /^failed to list snapshot for content \S+: /i },
  { speaker: 'snapshotController', pattern: /^Failed to (?<operation>[\w ]{1,60}) with error (?!:)/i },
  {
    speaker: 'snapshotController',
    operation: 'update',
    pattern: /^snapshot controller failed to update \S+ on API server: /,
  },
  { speaker: 'attacher', operation: 'ControllerPublishVolume', pattern: /^failed to attach: / },
  { speaker: 'attacher', operation: 'ControllerUnpublishVolume', pattern: /^failed to detach: / },
];

/** Sentences that show which component speaks, though it puts nothing before the error that could be taken off. */
const ownSentences: readonly (readonly [RegExp, Speaker])[] = [
  [anyOf(noAnswerTexts, beingDeletedText, driverNotOnNodeText, /^Multi-Attach error/), 'attachDetachController'],
  [
    /is marked for deletion|^failed to load secret|could not (?:add|save|update) .{0,60}(?:finalizer|VolumeAttachment)/,
    'attacher',
  ],
  [anyOf(notRegisteredText, /is not attached for volume attachment/), 'kubelet'],
  [/^plugin registration failed with err|^failed to prepare subPath|^Error processing volume "/, 'kubelet'],
  [/^error getting secret \S+ in namespace|capability is not reported|claim Selector is not supported/, 'sidecar'],
  [saveFailedTexts, 'provisioner'],
  [anyOf(noVolumePluginText, /^error getting deleter volume plugin/), 'volumeController'],
  [/only supports offline expansion and volume is currently in-use/, 'resizer'],
  [/^Error creating volume snapshot content object|^Failed to check and update snapshot: /, 'snapshotController'],
];

export function ownSentenceOf(words: string): Speaker | undefined {
  return ownSentences.find(([pattern]) => pattern.test(words))?.[1];
}

interface Unwrapped {
  /** Who passes the error on: the innermost that put something before it. */
  readonly caller: Speaker | undefined;
  readonly operation: string | undefined;
  readonly volume: string | undefined;
  readonly rest: string;
}

/** Takes off what callers put before the error, one after the other. */
export function unwrap(text: string): Unwrapped {
  const outer = unwrapOnce(text);
  if (outer === undefined) return { caller: undefined, operation: undefined, volume: undefined, rest: text };
  const inner = unwrap(outer.rest);
  return {
    caller: inner.caller ?? outer.caller,
    operation: inner.operation ?? outer.operation,
    volume: inner.volume ?? outer.volume,
    rest: inner.rest,
  };
}

/** Takes off what the outermost caller put before the error. */
export function unwrapOnce(text: string, known: readonly Wrapping[] = wrappings): Unwrapped | undefined {
  for (const { speaker, pattern, operation } of known) {
    const match = pattern.exec(text);
    // What stands behind a code is the driver's, even if it reads like a caller's words.
    if (!match || / desc = /.test(match[0])) continue;
    return {
      caller: speaker,
      operation: match.groups?.['operation'] ?? operation,
      volume: match.groups?.['volume'],
      rest: text.slice(match[0].length),
    };
  }
  return undefined;
}

export const attachFailedText =
  /AttachVolume\.(?:Attach|NewAttacher|FindAttachablePluginBySpec) failed for volume "[^"]*"\s*:?\s*([^]*)/;
