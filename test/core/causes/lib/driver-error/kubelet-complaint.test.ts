import { describe, expect, it } from 'vitest';
import { failureOfEvent } from '../../../../../src/core/causes/lib/driver-error/kubelet-complaint.ts';
import type { KubeEvent } from '../../../../../src/core/kube/kinds.ts';

function failure(message: string, reason = 'FailedMount') {
  return failureOfEvent({ kind: 'Event', metadata: { name: 'e' }, reason, message } as KubeEvent);
}

const stage = (desc: string): string =>
  `MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = ${desc}`;

describe('what the kubelet says of a mount', () => {
  it.each([
    ['stage', stage('mount failed: exit status 32')],
    [
      'publish',
      'MountVolume.SetUp failed for volume "pv" : rpc error: code = Unknown desc = executable file not found in $PATH',
    ],
    [
      'publish',
      "MountVolume.SetUp failed for volume 'pv' : kubernetes.io/csi: mounter.SetUpAt failed to check for STAGE_UNSTAGE_VOLUME capability: rpc error: code = Unavailable desc = connection error: desc = 'transport: Error while dialing dial unix /x/csi.sock: connect: connection refused'",
    ],
    [
      'publish',
      'MountVolume.SetUp failed for volume "pv" : rpc error: code = Internal desc = failed to mount: secrets "azure-secret" not found',
    ],
    [
      'notRegistered',
      'MountVolume.MountDevice failed for volume "pv" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name x.csi not found\nin the list of registered CSI drivers',
    ],
    [
      'forbidden',
      'MountVolume.MountDevice failed for volume "pv" : fetching NodeStageSecretRef default/s failed: kubernetes.io/csi: failed to find the secret s in the namespace default with error: secrets "s" is forbidden: User "system:node:n" cannot get resource: no relationship found between node \'n\' and this object',
    ],
    [
      'secretReference',
      'MountVolume.SetUp failed for volume "pv" : fetching NodePublishSecretRef kube-system/key failed: kubernetes.io/csi: failed to find the secret key in the namespace kube-system with error: secrets "key" not found',
    ],
    ['secretVolume', 'MountVolume.SetUp failed for volume "secrets" : secret "app" not found'],
    ['configMap', 'MountVolume.SetUp failed for volume "settings" : configmap "app" not found'],
    ['secretKey', 'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: tls.key'],
    [
      'configKey',
      'MountVolume.SetUp failed for volume "settings" : configmap references non-existent config key: app.ini',
    ],
    [
      'token',
      'MountVolume.SetUp failed for volume "pv" : kubernetes.io/csi: mounter.SetupAt failed to get service accoount token attributes: serviceaccounts "x" not found',
    ],
    [
      'pending',
      'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Aborted desc = An operation with the given Volume ID v already exists',
    ],
    [
      'timeout',
      'MountVolume.MountDevice failed for volume "pv" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    ['fsck', stage("'fsck' found errors on device /dev/sdb but could not correct them: fsck from util-linux 2.36.1")],
    ['fileSystem', stage('failed to mount the volume as "ext4", it already contains xfs. Mount error: mount failed')],
    [
      'inTree',
      'MountVolume.SetUp failed for volume "pv" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: access denied by server',
    ],
    [
      'claimNotBound',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC shop/data: PVC is not bound',
    ],
    [
      'general',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data kube-api-access-4dcz8]: timed out waiting for the condition',
    ],
    [
      'expansion',
      'MountVolume.Setup failed while expanding volume for volume "pv" : rpc error: code = Internal desc = resize2fs failed',
    ],
  ])('is %s', (kind, message) => {
    expect(failure(message)?.kind).toBe(kind);
  });

  it('names the operation and the volume', () => {
    expect(failure(stage('x'))).toMatchObject({ operation: 'MountVolume.MountDevice', volume: 'pv' });
    expect(
      failure('MountVolume.NewMounter initialization failed for volume "local" : path "/mnt/x" does not exist'),
    ).toMatchObject({
      operation: 'MountVolume.NewMounter initialization',
      volume: 'local',
      text: 'path "/mnt/x" does not exist',
    });
  });

  it('names the volume of an expansion on mount', () => {
    expect(
      failure(
        'MountVolume.Setup failed while expanding volume for volume "pv" : rpc error: code = Internal desc = resize2fs failed',
      ),
    ).toMatchObject({ operation: 'MountVolume.Setup', volume: 'pv' });
  });

  it('takes a raw device for what it is', () => {
    expect(
      failure(
        'MapVolume.SetUpDevice failed for volume "pv" : rpc error: code = Internal desc = no device',
        'FailedMapVolume',
      )?.kind,
    ).toBe('block');
  });

  it('leaves out what passes by itself, and what is no mount', () => {
    expect(
      failure(
        'MountVolume.SetUp failed for volume "x" : failed to sync secret cache: timed out waiting for the condition',
      ),
    ).toBeUndefined();
    expect(failure('Back-off pulling image', 'BackOff')).toBeUndefined();
  });
});
