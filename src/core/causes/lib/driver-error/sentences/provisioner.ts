/** What external-provisioner canDeleteVolume reports. */
export const stillAttachedText = /persistentvolume (\S+) is still attached to node ([^\s,;]+)/i;

/** local-static-provisioner: its ConfigMap does not have the class. */
export const unknownLocalClassText = /Unknown storage class name/i;

/** local-static-provisioner: its ConfigMap has no command that wipes raw block volumes. */
export const noBlockCleanerText = /Blockcleaner command was empty/i;

/** local-static-provisioner: it only deletes. */
export const policyUnsupportedTexts = /unsupported|recycl/i;

/** The words of external-provisioner getPVCSource. */
export const cloneTexts = {
  missing: /error getting PVC (\S+) \(namespace "?[^")]*"?\) from api server: (?!.*\bis forbidden\b).*not found/s,
  notBound: /the PVC DataSource (\S+) must have a status of Bound/,
  deleting: /the PVC DataSource (\S+) is currently being deleted/,
  classNil: /the (source|requested) PVC \((\S+)\) storageclass cannot be empty/,
  size: /new PVC request must be greater than or equal in size/,
  invalid: /claim in dataSource not bound or invalid|volume name is empty in source PVC/,
  mode: /must have the same volume mode for cloning/,
} as const;

/** The kind of a data source in an API group that does not have it. */
export const wrongApiGroupText = /does not belong to the right APIGroup/;

/** A data source of a kind that the provisioner leaves to a populator. */
export const leftToPopulatorText = /Assuming an external populator will provision the volume/;

/** volume-data-source-validator: no VolumePopulator has the kind. */
export const noPopulatorText = /does not match any registered VolumePopulator/;

/** Access modes that CSI does not have together. */
export const modeCombinationTexts =
  /does not support use of ReadWriteOncePod with other access modes|CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume|unsupported AccessMode combination/i;

/** checkDriverCapabilities: what the driver does not offer. */
export const capabilityMissingText =
  /CSI driver does not support (dynamic provisioning|snapshot restore|clone operations|VolumeAttributesClass): (?:plugin|controller) (\S+) capability is not reported/;

/** The selected node, its CSINode or its place is not known. */
export const nodeUnknownTexts =
  /failed to get selected CSINode (\S+):|error getting CSINode for selected node "([^"]+)"|failed to get target node: |(?:csi)?nodes?(?:\.storage\.k8s\.io)? "([^"]+)" not found/;

/** The class has the old and the new parameter for the file system. */
export const fsTypeTwiceText = /fstype specified in parameters with both/i;

/** No node has the topology keys of the driver. */
export const noTopologyTexts = /no available topology found|topologyKeys .* were not found on any nodes/s;

/** The same, where the keys are named. */
export const topologyKeysMissingText = /topologyKeys \[[^\]]+\] were not found on any nodes/;

/** The secret of the class does not exist; a forbidden one is another fault. */
export const secretMissingText = /error getting secret (\S+) in namespace (\S+?): (?!.*is forbidden)/s;

/** A secret of the class has a name without a namespace, or the reverse. */
export const secretIncompleteTexts =
  /either name and namespace for (\S+) secrets specified, Both must be specified|(\S+) secrets specified in parameters (?:with both "csi" and|but value of either namespace or name is empty)/i;

/** The name of a secret in the class has a template that gives no name. */
export const secretTemplateTexts =
  /error resolving value "([^"]+)": invalid tokens|"([^"]+)" (?:resolved to "[^"]*" which )?is not a valid (?:secret|namespace) name/;

/** A claim with a selector is never provisioned. */
export const selectorRefusedText = /selector is not supported/i;

/** The node has no topology key of the driver. */
export const topologyKeyMissingText = /no topology key found (?:for node|on CSINode) (\S+)/;

/** The node lacks labels that its CSINode names. */
export const topologyLabelMissingText =
  /topology labels from selected node .* does not match topology keys from CSINode(?: \[([^\]]*)\])?/s;

/** The class does not allow the place of the selected node. */
export const topologyNotAllowedTexts =
  /selected node .* topology .* is not in allowed topologies|topology .* from selected node .* is not in requisite/s;

/** A parameter with the prefix of the sidecars that they do not know. */
export const unknownParameterText = /found unknown parameter key "([^"]+)" with reserved namespace/;

/** The VolumeAttributesClass does not exist, or is of another driver. */
export const attributesClassTexts =
  /volumeattributesclass(?:es)?\.storage\.k8s\.io "([^"]+)" not found|VAC (\S+) referenced in PVC is for driver (\S+) which does not match/;

/** The same, where the sidecar ends for it. */
export const exitsWithoutDriverText = /Lost connection to CSI driver, exiting/;

/** Which account of a controller lacks which right, in forms old and new. */
export const rightMissingText =
  /is forbidden: User "(system:serviceaccount:([^":]+):([^"]+))" cannot (\w+) (?:resource )?"?([\w./-]+)"?(?: in API group "([^"]*)")?(?:.*?in the namespace "([^"]+)")?/s;

/** client-go leaderelection, of any version, before the refusal: `error retrieving resource lock NAMESPACE/NAME: …` */
export const lockText = /\b(?:retriev|creat|updat)ing (?:resource|lease|leader election) (?:lock|record)\b/i;

/** client-go GetReference, as it was before Kubernetes 1.20. */
export const selfLinkText = /selfLink was empty, can't make reference/;

/** The API server does not know snapshots. */
export const noSnapshotKindTexts = /could not find the requested resource|no matches for kind/;

/** An answer of a driver is in the text. */
export const driverErrorText = /rpc error: code = /;

/** The mode of a restored volume may be changed only with an annotation. */
export const modeChangeDeniedText = /is not present on snapshotcontent ([a-z0-9][a-z0-9.-]*)/;

/** The feature gate for data sources of other namespaces is off. */
export const crossNamespaceOffText =
  /dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled/;

/** No ReferenceGrant lets the claim use a source of another namespace. */
export const noGrantText = /accessing \S+ of \S+ dataSource from \S+ isn't allowed/;

/** A driver cannot read the handle of a volume that it has not created. */
export const invalidHandleText =
  /\b(?:invalid|malformed|unexpected|unknown|bad|failed to (?:parse|decode|split)|(?:could not|cannot|unable to) (?:parse|decode|split))\b[^.;]{0,60}\b(?:volume ?(?:id|handle)|volid|handle)\b|\b(?:volume ?(?:id|handle)|volid)\b[^.;]{0,80}\b(?:is (?:invalid|malformed|not valid)|invalid format|wrong format|has \d+ parts?)\b/i;
