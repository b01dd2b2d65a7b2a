import {
  contentSourceMissingText,
  restoreTexts,
  saveFailedTexts,
  sizeShortText,
} from '../../lib/driver-error/senses/kubernetes.ts';
import { anyOf } from '../../lib/driver-error/senses/wordings.ts';
import { selfLinkText } from '../../lib/driver-error/sentences/provisioner.ts';
import { only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** A claim with a source: a snapshot, another claim, a populator. */
const sourceWordings: readonly Wording[] = [
  ...only('restore-snapshot-missing', /error getting snapshot \S+ from api server(?!.*is forbidden)/),
  ...only('restore-snapshot-deleting', restoreTexts.deleting),
  ...only('restore-content-invalid', restoreTexts.content, /error getting snapshotcontent/),
  ...only('restore-driver-mismatch', anyOf(restoreTexts.driver, /is not handled by CSI driver of StorageClass/)),
  ...only('provision-infeasible', /failed with infeasible error(?![^]*code = )/),
  ...only('restore-size-too-small', restoreTexts.size),
  ...only('restore-volumemode-denied', restoreTexts.mode),
  ...only('restore-snapshot-not-ready', restoreTexts.notReady),
  ...only('restore-snapshot-unbound', restoreTexts.unbound),
  ...only('clone-source-missing', /error getting PVC \S+ \(namespace/),
  ...only('clone-source-not-bound', /the PVC DataSource \S+ must have a status of Bound/),
  ...only('clone-source-deleting', /the PVC DataSource \S+ is currently being deleted/),
  ...only('clone-size-too-small', /new PVC request must be greater than or equal in size/),
  ...only('clone-source-invalid', /claim in dataSource not bound or invalid/),
  ...only('clone-volumemode-mismatch', /must have the same volume mode for cloning/),
  ...only('clone-class-nil', /storageclass cannot be empty/i),
  ...only('datasource-crossns-no-grant', /accessing \S+ of \S+ dataSource from \S+ isn't allowed/),
  ...only('datasource-apigroup-wrong', /does not belong to the right APIGroup/),
  ...only('datasource-populator-unregistered', /does not match any registered VolumePopulator/),
  ...only('datasource-populator-missing', /Assuming an external populator will provision the volume/),
  ...only('populator-source-missing', /\bData source \S+ not found|PopulatorDataSourceNotFound/),
  ...only(
    'populator-failed',
    /\bPopulat(?:or|e|eOperation)(?:Operation)?(?:Failed|StartError|CreationError|PVCPrimeCreationError|StorageClassCreationError)\b|\bPopulator failed/,
  ),
  ...only(
    'populator-running',
    /\bPopulatorCreated\b|\bPopulator started\b|\bPopulateOperationStartSuccess\b|\bPopulatorWaitForDataPopulationFinished\b/,
  ),
];

/** What the provisioner and the volume controller say before or after the driver is called. */
export const provisionWordings: readonly Wording[] = [
  ...sourceWordings,
  ...only('provision-capability-missing', /CSI driver does not support [\w ]+: \w+ \S+ capability is not reported/),
  shared(/error getting secret \S+ in namespace\b(?!.*is forbidden)/, {
    'provision-secret-missing': 'the claim is not provisioned yet',
    'resize-secret-missing': 'the claim is Bound and should grow',
    'snap-secret-missing': 'a snapshot is taken or deleted',
  }),
  ...only('provision-secret-template-invalid', /error resolving value|is not a valid (?:secret|namespace) name/),
  ...only(
    'provision-secret-params-incomplete',
    /either name and namespace for .+ secrets? specified|specified in parameters with both "csi" and|value of either namespace or name is empty/,
  ),
  ...only('provision-unknown-csi-parameter', /found unknown parameter key "[^"]+" with reserved namespace/),
  ...only('provision-fstype-duplicate', /fstype specified in parameters with both/),
  ...only('provision-selector-unsupported', /claim Selector is not supported/),
  ...only('provision-block-unsupported', /does not support block volume provisioning/),
  ...only(
    'provision-accessmode-combination',
    /does not support use of ReadWriteOncePod with other access modes|CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume|unsupported AccessMode combination/,
  ),
  ...only('provision-topology-key-missing', /no topology key found (?:for node|on CSINode) \S+/),
  ...only(
    'provision-topology-label-missing',
    /topology labels from selected node .* does not match topology keys from CSINode/,
  ),
  ...only(
    'provision-topology-not-allowed',
    /selected node .* topology .* is not in allowed topologies|from selected node \S+ is not in requisite|topology map\[[^\]]*\] from selected node[^]*requisite/,
  ),
  ...only('provision-no-topology', /no available topology found|topologyKeys .* were not found on any nodes/),
  ...only(
    'provision-csinode-not-found',
    /failed to get selected CSINode \S+|failed to get target node:|error getting CSINode for selected node/,
  ),
  ...only(
    'provision-vac-invalid',
    /volumeattributesclass(?:es)?(?:\.storage\.k8s\.io)? "[^"]+" not found|VAC \S+ referenced in PVC is for driver \S+ which does not match/,
  ),
  ...only('provision-size-short', sizeShortText),
  ...only('provision-content-source-missing', contentSourceMissingText),
  ...only('provision-claim-save-failed', /Error saving claim: /),
  ...only('provision-pv-save-failed', saveFailedTexts, /Please delete manually/),
  ...only(
    'provision-in-tree-failed',
    /Failed to create provisioner|Mount options are not supported by the provisioner|is not a CSI plugin\. Only CSI plugin can provision a claim|provisioning in volume plugin "[^"]+" is disabled/,
  ),
  ...only(
    'provisioner-in-tree-removed',
    /no volume plugin matched name: (?!kubernetes\.io\/no-provisioner)\S+|no provisionable volume plugin matched/,
  ),
  shared(/Lost connection to CSI driver, exiting/, {
    'sidecar-lost-connection': 'it came once, for example during an update of the driver',
    'provisioner-crashloop': 'it repeats: the driver container in the same pod crashes',
  }),
  shared(/the CSI driver is not yet ready/, {
    'snapmeta-endpoint': 'a backup program reports it about the snapshot metadata service',
    'provisioner-driver-not-ready': 'a sidecar of the driver reports it',
    'snapmeta-service-missing': 'the driver has no SnapshotMetadataService',
  }),
  ...only(
    'provisioner-driver-not-ready',
    /CSI driver (?:is not ready|probe timed out|hasn't become ready)|driver (?:is )?not (?:yet )?ready[^]*probe/i,
  ),
  ...only('provisioner-annotation-mismatch', /Unknown provisioner "?[^"]*"? requested in claim/),
  ...only('provisioner-silent', selfLinkText),
  symptom(/^(?:(?!name: |MountVolume|volumeSpec)[^])*no volume plugin matched(?! name)/, {
    'provisioner-in-tree-removed': 'a claim is Pending',
    'mount-plugin-not-matched': 'a pod reports FailedMount',
    'flexvolume-driver-missing': 'the volume is a flexVolume',
  }),
  symptom(/[Ww]aiting for a volume to be created,? either by (?:the )?external provisioner/, {
    'provisioner-not-running': 'no pod of the provisioner runs, and the claim reports nothing else',
    'provisioner-unknown': 'no driver of that name is installed',
    'provisioner-migrated-driver-missing':
      'the class names an in-tree provisioner, and the CSI driver that replaced it is missing',
    'provisioner-crashloop': 'the pod of the provisioner restarts',
    'provisioner-silent': 'the provisioner runs and reports nothing about this claim',
    'provisioner-leader-stale': 'the lease of the provisioner has not been renewed',
    'provision-node-deployment-unowned': 'the provisioner runs on each node, and none takes the claim',
  }),
];
