/** Texts to try the paste box with: an event, a driver's answer, and a description with a symptom in it. */
export const examples: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: 'a class that does not exist',
    text: 'Warning  ProvisioningFailed  3m (x26 over 9m)  persistentvolume-controller  storageclass.storage.k8s.io "fast-ssd" not found',
  },
  {
    name: 'Multi-Attach',
    text: 'Multi-Attach error for volume "pvc-3f1c" Volume is already used by pod(s) web-0',
  },
  {
    name: 'a driver that is not registered',
    text: `Events:
  Type     Reason       Age                From     Message
  ----     ------       ----               ----     -------
  Warning  FailedMount  2m (x9 over 11m)   kubelet  Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data]: timed out waiting for the condition
  Warning  FailedMount  40s (x13 over 11m) kubelet  MountVolume.MountDevice failed for volume "pvc-3f1c" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers`,
  },
  {
    name: 'a full node',
    text: 'rpc error: code = Internal desc = Could not attach volume "vol-0a1b" to node "i-0f": AttachmentLimitExceeded: the maximum number of volumes is attached',
  },
];
