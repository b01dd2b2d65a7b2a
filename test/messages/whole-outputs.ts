import type { Case } from './score.ts';

/** Whole outputs, with all that stands around the error. Names are invented. */
export const wholeOutputs: readonly Case[] = [
  {
    from: 'kubectl describe pvc, class missing',
    causes: ['sc-missing'],
    message: `Name:          uploads
Namespace:     shop
StorageClass:  gp33
Status:        Pending
Volume:
Labels:        app=web
Annotations:   <none>
Finalizers:    [kubernetes.io/pvc-protection]
Capacity:
Access Modes:
VolumeMode:    Filesystem
Used By:       web-0
Events:
  Type     Reason              Age                 From                         Message
  ----     ------              ----                ----                         -------
  Warning  ProvisioningFailed  2s (x11 over 2m)    persistentvolume-controller  storageclass.storage.k8s.io "gp33" not found
`,
  },
  {
    from: 'kubectl describe pvc, the error is between two notices',
    causes: ['provision-credentials'],
    message: `Name:          uploads
Namespace:     shop
StorageClass:  gp3
Status:        Pending
Annotations:   volume.beta.kubernetes.io/storage-provisioner: ebs.csi.aws.com
               volume.kubernetes.io/selected-node: ip-10-0-0-9.eu-west-1.compute.internal
Finalizers:    [kubernetes.io/pvc-protection]
Access Modes:
Used By:       web-0
Events:
  Type     Reason                Age                 From                                    Message
  ----     ------                ----                ----                                    -------
  Normal   WaitForFirstConsumer  9m                  persistentvolume-controller             waiting for first consumer to be created before binding
  Normal   Provisioning          2m (x9 over 9m)     ebs.csi.aws.com_ebs-csi-controller_7c   External provisioner is provisioning volume for claim "shop/uploads"
  Warning  ProvisioningFailed    2m (x9 over 9m)     ebs.csi.aws.com_ebs-csi-controller_7c   failed to provision volume with StorageClass "gp3": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: UnauthorizedOperation: You are not authorized to perform this operation. status code: 403
  Normal   ExternalProvisioning  4s (x38 over 9m)    persistentvolume-controller             Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.
`,
  },
  {
    from: 'kubectl describe pvc, only waiting',
    causes: ['provisioner-not-running'],
    message: `Name:          uploads
Namespace:     shop
StorageClass:  efs
Status:        Pending
Finalizers:    [kubernetes.io/pvc-protection]
Used By:       <none>
Events:
  Type    Reason                Age                From                         Message
  ----    ------                ----               ----                         -------
  Normal  ExternalProvisioning  4s (x38 over 9m)   persistentvolume-controller  Waiting for a volume to be created either by the external provisioner 'efs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.
`,
  },
  {
    from: 'kubectl describe pod, a pull error has passed',
    causes: ['mount-stage-rpc'],
    message: `Name:             web-0
Namespace:        shop
Node:             worker-3/10.0.0.9
Status:           Pending
Containers:
  web:
    Image:          web:v9
    State:          Waiting
      Reason:       ContainerCreating
    Ready:          False
    Environment:    <none>
    Mounts:
      /data from data (rw)
Conditions:
  Type              Status
  PodScheduled      True
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data-web-0
    ReadOnly:   false
QoS Class:                   BestEffort
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason                  Age                From                     Message
  ----     ------                  ----               ----                     -------
  Normal   Scheduled               6m                 default-scheduler        Successfully assigned shop/web-0 to worker-3
  Normal   SuccessfulAttachVolume  6m                 attachdetach-controller  AttachVolume.Attach succeeded for volume "pvc-2b"
  Warning  FailedMount             14s (x10 over 5m)  kubelet                  MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = mount failed: exit status 32
Mounting command: mount
Mounting arguments: -t ext4 -o defaults /dev/longhorn/pvc-2b /target
Output: mount: /target: /dev/longhorn/pvc-2b already mounted or mount point busy.
  Warning  FailedMount  1m (x2 over 4m)  kubelet  Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition
`,
  },
  {
    from: 'kubectl describe pod, held by another pod',
    causes: ['attach-rwo-held-by-running-pod'],
    message: `Name:             web-7d9f-x2b4c
Namespace:        shop
Node:             worker-2/10.0.0.8
Status:           Pending
Containers:
  web:
    Image:          web:v9
QoS Class:                   Burstable
Events:
  Type     Reason              Age    From                     Message
  ----     ------              ----   ----                     -------
  Normal   Scheduled           3m     default-scheduler        Successfully assigned shop/web-7d9f-x2b4c to worker-2
  Warning  FailedAttachVolume  3m     attachdetach-controller  Multi-Attach error for volume "pvc-2b" Volume is already used by pod(s) web-7d9f-old
  Warning  FailedMount         61s    kubelet                  Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data kube-api-access-1]: timed out waiting for the condition
`,
  },
  {
    from: 'kubectl describe pod, unschedulable',
    causes: ['sched-volume-node-affinity'],
    message: `Name:             search-0
Namespace:        shop
Status:           Pending
Containers:
  search:
    Image:          search:v2
Node-Selectors:              <none>
QoS Class:                   BestEffort
Events:
  Type     Reason             Age                From                Message
  ----     ------             ----               ----                -------
  Warning  FailedScheduling   2m (x5 over 12m)   default-scheduler   0/4 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 3 node(s) had untolerated taint {dedicated: db}. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.
  Normal   NotTriggerScaleUp  3m                 cluster-autoscaler  pod didn't trigger scale-up: 1 node(s) had untolerated taint {dedicated: db}
`,
  },
  {
    from: 'kubectl describe volumeattachment',
    causes: ['attach-rpc-limit'],
    message: `Name:         csi-4d7a0e11c4dfe7ef1c4dfe7ef1c4dfe7ef1c4dfe7ef1c4dfe7ef1c4dfe7ef1aa
Namespace:
API Version:  storage.k8s.io/v1
Kind:         VolumeAttachment
Spec:
  Attacher:   csi.hetzner.cloud
  Node Name:  worker-3
  Source:
    Persistent Volume Name:  pvc-9
Status:
  Attach Error:
    Message:  rpc error: code = ResourceExhausted desc = failed to publish volume: maximum number of attachments reached
    Time:     2026-11-18T20:00:00Z
  Attached:   false
Events:       <none>
`,
  },
  {
    from: 'kubectl get volumeattachment -o yaml, detach',
    causes: ['detach-rpc-error'],
    message: `apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata:
  deletionTimestamp: "2026-11-18T20:00:00Z"
  finalizers:
  - external-attacher/csi-hetzner-cloud
  name: csi-4d7a
spec:
  attacher: csi.hetzner.cloud
  nodeName: worker-3
status:
  attached: true
  detachError:
    message: 'rpc error: code = Unavailable desc = failed to unpublish volume: server
      is locked'
    time: "2026-11-18T20:00:00Z"
`,
  },
  {
    from: 'kubectl get events, several objects',
    causes: ['driver-not-on-node'],
    message: `LAST SEEN   TYPE      REASON                 OBJECT                              MESSAGE
12m         Normal    Scheduled              pod/web-0                           Successfully assigned shop/web-0 to worker-3
11m         Warning   BackOff                pod/mailer-0                        Back-off restarting failed container mailer in pod mailer-0_shop(7b0f)
2m          Warning   FailedMount            pod/web-0                           MountVolume.MountDevice failed for volume "pvc-9" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name driver.longhorn.io not found in the list of registered CSI drivers
1m          Warning   FailedMount            pod/web-0                           Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition
30s         Warning   Unhealthy              pod/shop-1                          Readiness probe failed: Get "http://10.42.0.7:8080/healthz": dial tcp 10.42.0.7:8080: connect: connection refused
`,
  },
  {
    from: 'log of a provisioner',
    causes: ['provision-resource-exhausted'],
    message: `I1118 20:00:00.000001       1 feature_gate.go:249] feature gates: &{map[Topology:true]}
I1118 20:00:00.000002       1 csi-provisioner.go:154] Version: v5.1.0
I1118 20:00:01.000000       1 leaderelection.go:254] attempting to acquire leader lease kube-system/linstor-csi...
I1118 20:00:02.000000       1 controller.go:1366] provision "shop/uploads" class "linstor": started
I1118 20:00:02.100000       1 event.go:389] "Event occurred" object="shop/uploads" kind="PersistentVolumeClaim" type="Normal" reason="Provisioning"
W1118 20:00:03.000000       1 controller.go:934] Retrying syncing claim "7b0f", failure 3
E1118 20:00:03.000001       1 controller.go:957] error syncing claim "7b0f": failed to provision volume with StorageClass "linstor": rpc error: code = ResourceExhausted desc = CreateVolume failed for pvc-7b0f: not enough free storage in pool thin
`,
  },
  {
    from: 'JSON log of a node plugin',
    causes: ['mount-rpc-pending'],
    message: `{"level":"info","ts":"2026-11-18T20:00:00Z","msg":"NodeStageVolume: called","volume":"vol-9"}
{"level":"info","ts":"2026-11-18T20:00:01Z","msg":"device found","path":"/dev/nvme1n1"}
{"level":"error","ts":"2026-11-18T20:02:01Z","msg":"GRPC error","method":"/csi.v1.Node/NodeStageVolume","error":"rpc error: code = Aborted desc = an operation with the given Volume ID vol-9 already exists"}
`,
  },
  {
    from: 'kubectl get pvc -o yaml, conditions',
    causes: ['resize-fs-pending-no-pod'],
    message: `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: uploads
  namespace: shop
  finalizers:
  - kubernetes.io/pvc-protection
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 20Gi
status:
  capacity:
    storage: 10Gi
  conditions:
  - lastTransitionTime: "2026-11-18T20:00:00Z"
    message: Waiting for user to (re-)start a pod to finish file system resize of volume
      on node.
    status: "True"
    type: FileSystemResizePending
  phase: Bound
`,
  },
  {
    from: 'kubectl describe volumesnapshot',
    causes: ['snap-class-missing'],
    message: `Name:         nightly
Namespace:    shop
Kind:         VolumeSnapshot
API Version:  snapshot.storage.k8s.io/v1
Spec:
  Source:
    Persistent Volume Claim Name:  uploads
  Volume Snapshot Class Name:      fast
Status:
  Error:
    Message:     Failed to get snapshot class with error failed to retrieve snapshot class fast from the informer: "volumesnapshotclass.snapshot.storage.k8s.io \\"fast\\" not found"
    Time:        2026-11-18T20:00:00Z
  Ready To Use:  false
Events:
  Type     Reason                  Age   From                 Message
  ----     ------                  ----  ----                 -------
  Warning  GetSnapshotClassFailed  5m    snapshot-controller  Failed to get snapshot class with error failed to retrieve snapshot class fast from the informer: "volumesnapshotclass.snapshot.storage.k8s.io \\"fast\\" not found"
`,
  },
  {
    from: 'kubectl describe statefulset',
    causes: ['pvc-create-denied-quota'],
    message: `Name:               search
Namespace:          shop
Replicas:           3 desired | 2 total
Pods Status:        2 Running / 0 Waiting / 0 Succeeded / 0 Failed
Volume Claims:
  Name:          data
  StorageClass:  gp3
Events:
  Type     Reason        Age                From                    Message
  ----     ------        ----               ----                    -------
  Warning  FailedCreate  9s (x14 over 50s)  statefulset-controller  create Pod search-2 in StatefulSet search failed error: failed to create PVC data-search-2: persistentvolumeclaims "data-search-2" is forbidden: exceeded quota: team, requested: requests.storage=100Gi, used: requests.storage=200Gi, limited: requests.storage=250Gi
`,
  },
  {
    from: 'a claim that is being deleted',
    causes: ['pvc-terminating-in-use'],
    message: `Name:          uploads
Namespace:     shop
StorageClass:  gp3
Status:        Terminating (lasts 3d2h)
Volume:        pvc-9
Finalizers:    [kubernetes.io/pvc-protection]
Access Modes:  RWO
VolumeMode:    Filesystem
Used By:       web-0
Events:        <none>
`,
  },
  {
    from: 'a volume that is kept',
    causes: ['pv-released-retain'],
    message: `Name:            pvc-9
Labels:          <none>
Annotations:     pv.kubernetes.io/provisioned-by: ebs.csi.aws.com
Finalizers:      [kubernetes.io/pv-protection]
StorageClass:    gp3
Status:          Released
Claim:           shop/uploads
Reclaim Policy:  Retain
Access Modes:    RWO
Events:          <none>
`,
  },
  {
    from: 'a question in a chat, half translated',
    causes: ['mount-secret-missing'],
    message: `Hallo zusammen, unser Pod hängt seit gestern in ContainerCreating 😕
Die Ereignisse sagen:

  Warnung  FailedMount  vor 2m (x14 in 20m)  kubelet  MountVolume.MountDevice failed for volume “smb-1” : fetching NodeStageSecretRef shop/smbcreds failed: kubernetes.io/csi: failed to find the secret smbcreds in the namespace shop with error: secrets “smbcreds” not found

Hat das schon mal jemand gesehen? Danke!`,
  },
];
