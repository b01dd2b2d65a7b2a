import {
  attacherTexts,
  beingDeletedText,
  csiNodeMissingText,
  driverNotOnNodeText,
  volumeMissingText,
} from '../../lib/driver-error/senses/kubernetes.ts';
import { noAnswerTexts } from '../../lib/driver-error/senses/time.ts';
import { anyOf } from '../../lib/driver-error/senses/wordings.ts';
import { only, shared } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What the attach-detach controller and the attacher say in their own words. */
export const attachWordings: readonly Wording[] = [
  ...only(
    'attach-node-unmanaged',
    /volumeattachments(?:\.storage\.k8s\.io)?\b[^]*is forbidden: User "system:node:[^"]+" cannot create/,
    /User "system:node:[^"]+" cannot create resource "volumeattachments"/,
  ),
  shared(/(?:Multi-Attach error|Waiting for detach)[^]*Volume is already used by (?:\d+ )?pod\(s\)/, {
    'attach-rwo-held-by-running-pod': 'the pod that the text names is running on another node',
    'attach-rwo-waiting-detach': 'that pod has ended, and the volume is still being detached',
    'detach-node-not-ready': 'the node of that pod is NotReady or gone',
  }),
  shared(
    /(?:(?:Multi-Attach error|Waiting for detach)[^]*?)?Volume is already exclusively attached to one node|Multi-Attach error|Waiting for detach for volume/,
    {
      'attach-rwo-waiting-detach': 'the old pod is gone, and the detach from its node is under way (up to 6 minutes)',
      'detach-node-not-ready': 'the node that holds the volume is NotReady, shut down or deleted',
      'attach-rwo-held-by-running-pod': 'a pod on that other node still runs and uses the volume',
      'detach-volume-in-use': 'that node is Ready and still lists the volume in status.volumesInUse',
      'detach-rpc-error': 'the old VolumeAttachment has a detachError',
      'detach-attacher-not-running': 'the old VolumeAttachment is being deleted, and no attacher runs',
      'va-orphan-node-deleted': 'the old VolumeAttachment names a node that does not exist',
      'attach-ad-controller-down': 'no VolumeAttachment for the new node appears although the old one is gone',
    },
  ),
  shared(anyOf(noAnswerTexts, /timed out waiting for external-attacher/), {
    'attach-attacher-not-running': 'no external-attacher of the driver runs',
    'attach-attachrequired-wrong':
      'the driver needs no attach, and its CSIDriver object is missing or says attachRequired: true',
    'driver-name-mismatch': 'the volume names the driver by another name than it registers',
    'attach-in-flight-stuck': 'the attacher runs, and its call to the driver does not return',
  }),
  shared(
    new RegExp(
      `CSINode (\\S+) (?:not found|does not contain driver (\\S+))[^]*detach|detach[^]*(?:${driverNotOnNodeText.source})`,
      'i',
    ),
    {
      'va-node-gone-no-nodeid': 'the node is gone, and the attachment does not hold the id of the node',
    },
  ),
  shared(/has no NodeID annotation|no NodeID (?:annotation|found)/i, {
    'attach-csinode-missing-driver': 'the node runs the driver, and its CSINode does not list it',
    'driver-not-on-node': 'no pod of the driver runs on the node',
    'driver-registration-failed': 'the pod of the driver runs, and its registrar reports an error',
  }),
  shared(anyOf(driverNotOnNodeText, /CSINode (?:\S+ )?does not contain driver/), {
    'driver-not-on-node': 'no pod of the driver runs on the node',
    'driver-daemonset-pod-unhealthy': 'the pod of the driver on that node crashes or is not ready',
    'attach-csinode-missing-driver': 'the node runs the driver, and its CSINode does not list it',
    'driver-registration-failed': 'the pod of the driver runs, and its registrar reports an error',
    'driver-registration-path-wrong': 'the kubelet of the node has another root directory than the registrar was given',
    'driver-registration-silent': 'the pod of the driver is Ready and reports nothing',
    'driver-name-mismatch': 'the driver registers under another name',
  }),
  shared(csiNodeMissingText, {
    'csinode-missing': 'the node exists and has no CSINode: its kubelet has just started or cannot create it',
    'attach-csinode-missing': 'an attach to that node was tried',
    'va-node-gone-no-nodeid': 'the node was deleted, and the volume should be detached from it',
  }),
  ...only('va-terminating-blocks-attach', beingDeletedText),
  ...only('attach-pv-terminating', attacherTexts.deleting),
  ...only('attach-secret-missing', attacherTexts.secret),
  ...only('attach-pv-finalizer-denied', attacherTexts.finalizer),
  ...only('attach-not-csi-pv', attacherTexts.notCsi),
  ...only(
    'attach-limit-pod-rejected',
    /reached its volume attachment limit, rejecting pod|VolumeAttachmentLimitExceeded/,
  ),
  ...only('va-pv-missing', new RegExp(`(?:attach|detach|VolumeAttachment)[^]*${volumeMissingText.source}`, 'i')),
  ...only('detach-volume-in-use', /volume is still in use by node, according to Node status/),
];
