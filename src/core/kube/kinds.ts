import { kindShapes } from './kind-shapes.ts';
import type { topologySelectorTerm } from './kind-shapes/storage.ts';
import type { container, containerStatus, podVolume, toleration } from './pod-shapes.ts';
import { record, string } from './shape.ts';
import type { Infer, Shape } from './shape.ts';
import { metadata } from './shared-shapes.ts';
import type {
  claimSpec,
  condition,
  healthCondition,
  labelSelector,
  nodeSelector,
  nodeSelectorTerm,
  reference,
  selectorRequirement,
} from './shared-shapes.ts';

export type Kind = keyof typeof kindShapes;
type Metadata = Infer<typeof metadata> & { readonly name: string };
type Body<K extends Kind> = { readonly [F in keyof (typeof kindShapes)[K]]?: Infer<(typeof kindShapes)[K][F]> };

/** An object of a known kind, cut to its shape: what the graph and the rules see. */
export type ObjectOf<K extends Kind> = Body<K> & {
  readonly apiVersion?: string;
  readonly kind: K;
  readonly metadata: Metadata;
};
export type AnyObject = { readonly [K in Kind]: ObjectOf<K> }[Kind];

export type Claim = ObjectOf<'PersistentVolumeClaim'>;
export type Volume = ObjectOf<'PersistentVolume'>;
export type StorageClass = ObjectOf<'StorageClass'>;
export type Pod = ObjectOf<'Pod'>;
export type Node = ObjectOf<'Node'>;
export type CsiNode = ObjectOf<'CSINode'>;
export type CsiDriver = ObjectOf<'CSIDriver'>;
export type Attachment = ObjectOf<'VolumeAttachment'>;
export type Lease = ObjectOf<'Lease'>;
export type KubeEvent = ObjectOf<'Event'>;
export type StatefulSet = ObjectOf<'StatefulSet'>;
export type BucketClaim = ObjectOf<'BucketClaim'>;
export type Bucket = ObjectOf<'Bucket'>;
export type BucketAccess = ObjectOf<'BucketAccess'>;
export type PodVolume = Infer<typeof podVolume>;
export type Container = Infer<typeof container>;
export type ContainerStatus = Infer<typeof containerStatus>;
export type Condition = Infer<typeof condition>;
export type HealthCondition = Infer<typeof healthCondition>;
export type ClaimSpec = Infer<typeof claimSpec>;
export type LabelSelector = Infer<typeof labelSelector>;
export type NodeSelector = Infer<typeof nodeSelector>;
export type NodeSelectorTerm = Infer<typeof nodeSelectorTerm>;
export type SelectorRequirement = Infer<typeof selectorRequirement>;
export type TopologySelectorTerm = Infer<typeof topologySelectorTerm>;
export type Toleration = Infer<typeof toleration>;
export type Reference = Infer<typeof reference>;

export function isKnownKind(kind: string): kind is Kind {
  return Object.hasOwn(kindShapes, kind);
}

/** The shape of a whole object of this kind. */
export function shapeOf(kind: Kind): Shape {
  return record({ apiVersion: string, kind: string, metadata, ...kindShapes[kind] });
}
