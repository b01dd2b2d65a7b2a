import { selfLinkText } from '../sentences/provisioner.ts';
import { anyOf } from './wordings.ts';

/** The API server about objects that a component asked for. */
export const csiNodeMissingText = /csinodes?\.storage\.k8s\.io "([^"]+)" not found/;
export const volumeMissingText = /persistentvolumes? "([^"]+)" not found/;
export const nodeMissingText = /nodes? "[^"]+" not found/;

/** Kubernetes RBAC; it says nothing about the credentials of a cloud. */
const serviceAccountForbiddenText = /is forbidden: User "system:serviceaccount/;

/** pkg/volume/csi csi_attacher.go verifyAttachmentStatus. */
export const beingDeletedText = /volume attachment is being deleted/;

/** pkg/volume/csi csi_client.go: this kubelet has no connection to the driver now; CSINode may still list it. */
export const notRegisteredText = /driver name \S+ not found\s+in the list of registered CSI drivers/;

/** external-attacher getNodeID. */
export const driverNotOnNodeText =
  /CSINode (\S+) does not contain driver (\S+)|node "?([^" ]+)"? has no NodeID annotation|no NodeID (?:annotation|found)/i;

/** The node authorizer: its caches follow a new pod within half a minute. */
export const nodeForbiddenText = /is forbidden: [^]*no relationship found between node/;

export const noVolumePluginText = /no (?:deletable |provisionable )?volume plugin matched/;

/** external-provisioner getSnapshotSource. */
export const restoreTexts = {
  missing:
    /error getting snapshot (\S+) from api server: (?!.*\bis forbidden\b)(.*(?:not found|could not find the requested resource|no matches for kind).*)/s,
  deleting: /snapshot (\S+) is (?:currently )?being deleted/,
  unbound: /snapshot (\S+) not bound/,
  content:
    /error getting snapshotcontent (\S+)|snapshotcontent (\S+) for snapshot \S+ is bound to a different snapshot|snapshot handle (\S+) is not available/,
  driver: /snapshotcontent (\S+) for snapshot \S+ is not handled by CSI driver of StorageClass (\S+)/,
  notReady: /snapshot (\S+) is not [Rr]eady/,
  size: /requested volume size (\d{1,20}) is less than the size (\d{1,20}) for the source snapshot/,
  mode: /modifies the mode of the source volume but does not have permission/,
} as const;

/** external-provisioner and the volume controller, before any driver is called. */
export const provisionerOwnTexts = anyOf({
  source:
    /error getting handle for DataSource|dataSourceRef namespace specified|dataSource from \S+ isn't allowed|does not belong to the right APIGroup|PVC source not found/,
  secrets:
    /error getting secret|error resolving value|which is not a valid (?:secret|namespace) name|either name and namespace for|value of either namespace or name is empty|specified in parameters with both/,
  topology:
    /error generating accessibility requirements|no topology key found|failed to get (?:selected CSINode|target node)/,
  nodeMissing: nodeMissingText,
  claim: /claim Selector is not supported/,
  capabilities: /CSI driver does not support|found unknown parameter key|does not support block volume provisioning/,
  accessModes:
    /does not support use of ReadWriteOncePod|CSI does not support ReadOnlyMany|unsupported AccessMode combination/,
  selfLink: selfLinkText,
  rights: serviceAccountForbiddenText,
  classes: /storageclass(?:es)?\.storage\.k8s\.io "|volumeattributesclass|VAC \S+ referenced/,
  inTree: noVolumePluginText,
});

/** external-provisioner, after the driver has answered. */
export const sizeShortText = /created volume capacity \d+ less than requested capacity/;
export const contentSourceMissingText = /volume content source missing/;
/** sig-storage-lib-external-provisioner. */
export const saveFailedTexts = /Error (?:creating provisioned PV object|saving volume|cleaning provisioned volume)/i;

/** The API server refuses a service account: Kubernetes RBAC, not the storage. */
export const accountForbiddenText =
  /is forbidden: User "system:serviceaccount:([^":]+):([^"]+)" cannot (\w+) resource "([\w./-]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)"| at the cluster scope)?/;

/** The API server refuses somebody, or an admission plugin refuses the object; no storage system has spoken. */
export const apiForbiddenTexts = anyOf({
  user: /is forbidden: User "/,
  admission: /admission webhook "[^"]+" denied|is forbidden: (?:violates|exceeded|unable)|ValidatingAdmissionPolicy/,
});

/** A driver looked up an object of the API server that does not exist: this is not about a volume or a device. */
export const apiObjectMissingText =
  /\b(secretproviderclass(?:es)?|secrets?|configmaps?|serviceaccounts?|pods?|namespaces?|nodes?|csinodes?|csidrivers?|persistentvolumeclaims?|persistentvolumes?|storageclass(?:es)?|volumeattachments?|customresourcedefinitions?)(?:\.[\w.-]+)? \\?"([^"\\]+)\\?" not found/i;

/** external-attacher, in its own words and before any driver is called. */
export const attacherTexts = {
  secret: /failed to load secret "([^"]+)"/,
  finalizer:
    /could not add PersistentVolume finalizer|could not save VolumeAttachment|could not (?:add|update) .{0,40}finalizer/i,
  deleting: /PersistentVolume "([^"]*)" is marked for deletion/,
  notCsi:
    /pv spec contained non-csi source that was not migrated|failed to translate in ?tree pv to CSI|volume source is not (?:of type )?CSI/i,
} as const;
export const attacherOwnTexts = anyOf(attacherTexts);

/** A secret that may not be read, or does not exist. */
export const secretUnreadableTexts = /forbidden|not found/;

/** The pod that a provisioner names. */
export const namedPodText = /\bpods? "?([a-z0-9][a-z0-9.-]+)"?/;

/** The snapshotter keeps errors of creation and deletion in one place; this one is of the deletion. */
export const deletionFailedText = /\bfailed to delete\b/i;

/** The namespace that a text about an object names. */
export const namedNamespaceText = /namespace "?([a-z0-9-]+)"?/;

/** Kubernetes RBAC, whoever passes it on. */
export const userForbiddenText = /is forbidden: User/;

/** The API server refused it; only for texts that are known to be about one object. */
export const forbiddenText = /forbidden/;

/** The webhook that refused an object, or was not reached. */
export const webhookNameText = /webhook "([^"]+)"/;

/** The admission policy that refused an object. */
export const admissionPolicyText = /ValidatingAdmissionPolicy '([^']+)'/;

/** The webhook that refused a write of the kubelet. */
export const admissionWebhookText = /admission webhook "([^"]+)"/;

/** k8s.io/apiserver webhook errors.go: a webhook that could not be called, and its service as the address names it. */
export interface UnansweredWords {
  readonly webhook: string;
  readonly service: string | undefined;
  readonly namespace: string | undefined;
  /** Why, without the names and the address. */
  readonly reason: string;
}

export function unansweredWebhookWords(text: string): UnansweredWords | undefined {
  const webhook = /failed calling (?:admission )?webhook "([^"]+)"/.exec(text)?.[1];
  if (webhook === undefined) return undefined;
  const [, service, namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(text) ?? [];
  return {
    webhook,
    service: service ?? /\bservice "([^"]+)"/.exec(text)?.[1],
    namespace,
    reason: text
      .replace(/^[^]*failed calling (?:admission )?webhook "[^"]*": (?:failed to call webhook: )?/, '')
      .replace(/^(?:Post|Get) "[^"]*": /, ''),
  };
}
