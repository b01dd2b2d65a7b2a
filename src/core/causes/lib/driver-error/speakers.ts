import { componentOf } from '../../../graph/events.ts';
import type { Condition, KubeEvent } from '../../../kube/kinds.ts';

/**
 * Who put an error into words. Sidecars are named by what they do; `sidecar` is one of them, which one is not known.
 */
export type Speaker =
  | 'driver'
  | 'provisioner'
  | 'attacher'
  | 'resizer'
  | 'snapshotter'
  | 'sidecar'
  | 'kubelet'
  | 'apiServer'
  | 'attachDetachController'
  | 'volumeController'
  | 'snapshotController'
  | 'unknown';

const speakersOfComponents: readonly (readonly [RegExp, Speaker])[] = [
  [/^kubelet$/, 'kubelet'],
  [/^attachdetach-controller$/, 'attachDetachController'],
  [/^(?:persistentvolume-controller|volume_expand)$/, 'volumeController'],
  [/^snapshot-controller/, 'snapshotController'],
  [/^(?:csi|external)-snapshotter/, 'snapshotter'],
  [/^external-resizer/, 'resizer'],
  [/^external-attacher/, 'attacher'],
];

/** The component that wrote the event; a provisioner signs as DRIVER_POD_UUID. */
export function speakerOfEvent(event: KubeEvent): Speaker | undefined {
  const component = componentOf(event);
  const known = speakersOfComponents.find(([pattern]) => pattern.test(component))?.[1];
  if (known !== undefined) return known;
  return /^Provisioning|^VolumeFailedDelete$/.test(event.reason ?? '') ? 'provisioner' : undefined;
}

const speakersOfConditions: Readonly<Record<string, Speaker>> = {
  ControllerResizeError: 'resizer',
  ModifyVolumeError: 'resizer',
  ModifyingVolume: 'resizer',
  NodeResizeError: 'kubelet',
};

/** Who writes a condition of a claim (KEP-1790, KEP-3751). */
export function speakerOfCondition({ type = '' }: Condition): Speaker | undefined {
  return speakersOfConditions[type];
}

/**
 * Errors that the caller's own gRPC client makes when no answer comes: they look like answers of the driver (`rpc
 * error: code = …`), but the driver has not said a word.
 */
const withoutAnswer =
  /^"?(?:context (?:deadline exceeded|canceled)|connection error: desc = |error reading (?:server preface|from server)|transport is closing|the client connection is closing|keepalive ping failed|name resolver error)/i;

export function isWithoutAnswer(words: string): boolean {
  return withoutAnswer.test(words);
}

/** apimachinery api/errors: the API server's own sentences about its objects, whoever passes them on. */
const apiServerSaid =
  /(?:^|: "?)(?:[A-Za-z]+(?:\.[a-z0-9.-]+)? )?\\?"[^"]+" (?:not found|is forbidden: |is invalid: |already exists)|\bis forbidden: User "|could not find the requested resource|the object has been modified; please apply your changes|admission webhook "[^"]*" denied|etcdserver: |failed calling webhook /;

export function isFromApiServer(words: string): boolean {
  return apiServerSaid.test(words);
}
