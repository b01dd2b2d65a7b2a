import { describe, expect, it } from 'vitest';
import { apiServerIn, isLoopback } from '../../../../../src/core/causes/lib/driver-error/senses/api-server.ts';
import {
  encodedRefusalIn,
  openStackQuotaIn,
  requestKnownTexts,
} from '../../../../../src/core/causes/lib/driver-error/senses/cloud.ts';
import { unansweredWebhookWords } from '../../../../../src/core/causes/lib/driver-error/senses/kubernetes.ts';
import { addressIn, serviceHostIn } from '../../../../../src/core/causes/lib/driver-error/senses/network.ts';
import { sourceStateTexts } from '../../../../../src/core/causes/lib/driver-error/senses/missing.ts';
import { missingKeyIn } from '../../../../../src/core/causes/lib/driver-error/senses/request.ts';
import { sizeUnofferedTexts } from '../../../../../src/core/causes/lib/driver-error/senses/size.ts';
import { creationSenseOf } from '../../../../../src/core/causes/lib/driver-error/storage-sense.ts';

describe('addresses in a text', () => {
  it.each([
    ['Get https://10.43.0.1:443/version?timeout=32s: dial tcp 10.43.0.1:443: i/o timeout', '10.43.0.1:443'],
    ['Post "https://127.0.0.1:6443/api/v1/namespaces/x/persistentvolumeclaims": refused', '127.0.0.1:6443'],
    ['Get "https://[fd00::1]:443/apis/storage.k8s.io/v1/csinodes": no route to host', '[fd00::1]:443'],
    ['Get "https://management.azure.com/subscriptions/0/resourceGroups/x": refused', undefined],
    ['Post "https://array.example.com/api/rest/volume": i/o timeout', undefined],
  ])('finds the Kubernetes API: %s', (text, address) => {
    expect(apiServerIn(text)).toBe(address);
  });

  it.each([
    ['127.0.0.1:6443', true],
    ['localhost:8080', true],
    ['[::1]:443', true],
    ['127example.com', false],
    ['10.127.0.0:443', false],
  ])('knows the own pod: %s', (address, isOwn) => {
    expect(isLoopback(address)).toBe(isOwn);
  });

  it.each([
    ['Post https://csp-svc.hpe-storage:8080/x', { service: 'csp-svc', namespace: 'hpe-storage', isPlain: false }],
    ['Get "http://backend:9500/v1"', { service: 'backend', namespace: undefined, isPlain: false }],
    ['Post "https://api.storage.svc.cluster.local:443/x"', { service: 'api', namespace: 'storage', isPlain: true }],
    ['Get "https://array.vendor.example.com:443/x"', undefined],
    ['Get "https://10.0.0.5:443/x"', undefined],
    ['Get "http://localhost:9500/x"', undefined],
  ])('finds a Service: %s', (text, host) => {
    expect(serviceHostIn(text)).toEqual(host);
  });

  it('reads what Node.js prints', () => {
    expect(addressIn('Error: connect ECONNREFUSED 10.0.0.5:443')).toBe('10.0.0.5:443');
  });
});

describe('limits and keys in a text', () => {
  it.each([
    [
      "[POST https://c/v3/06ce5499f716488d985845cddcabdc16/volumes] Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
      { project: '06ce5499f716488d985845cddcabdc16', name: 'volumes', needed: '11' },
    ],
    [
      'VolumeSizeExceedsAvailableQuota: Requested 200G, quota is 1000G and 950G has been consumed.',
      { project: undefined, name: 'gigabytes', needed: '1150' },
    ],
    ["exceeded for quota 'gigabytes_fast'", { project: undefined, name: 'gigabytes_fast', needed: undefined }],
    ['something else', { project: undefined, name: undefined, needed: undefined }],
  ])('reads the quota of OpenStack: %s', (text, quota) => {
    expect(openStackQuotaIn(text)).toEqual(quota);
  });

  it.each([
    ['Missing provisioningMode parameter', 'provisioningMode'],
    ['fileSystemId must be specified', 'fileSystemId'],
    ['required parameter "skuName"', 'skuName'],
    ['The parameter iops must be specified for io1 volumes', undefined],
    ['missing the volume parameter', undefined],
  ])('reads the missing key: %s', (text, key) => {
    expect(missingKeyIn(text)).toBe(key);
  });

  it.each([
    ['The specified disk size is not supported.', true],
    ['requested capacity is invalid', true],
    ['InvalidVolumeSize: no', true],
    ['block size is not supported', false],
    ['disk type is not supported in this size', false],
    ['volume size 8Gi created, snapshot is invalid', false],
  ])('knows a size that is not offered: %s', (text, isRefused) => {
    expect(sizeUnofferedTexts.test(text)).toBe(isRefused);
  });

  it('knows a request that was made before', () => {
    expect(requestKnownTexts.test('Parameters on this idempotent request are inconsistent')).toBe(true);
    expect(requestKnownTexts.test('volume pvc-1 already exists with another size')).toBe(false);
  });

  it('reads the encoded refusal', () => {
    expect(encodedRefusalIn('Encoded authorization failure message: aB-_9 status code: 403')).toBe('aB-_9');
  });

  it('tells filters of a storage scheduler from a lack of space', () => {
    expect(creationSenseOf("No storage could be allocated, AvailabilityZone filter didn't succeed.")?.about).toBe(
      'filter',
    );
    expect(creationSenseOf("Capabilities filter didn't succeed.")?.about).toBe('filter');
    expect(creationSenseOf("Capacity filter didn't succeed.")?.about).not.toBe('filter');
  });

  it('takes an account that is full for a quota, and no volume that is too large', () => {
    expect(creationSenseOf('You have exceeded the maximum capacity of volumes for this account')?.about).toBe('quota');
    expect(creationSenseOf('request exceeds the limit for this volume')?.about).not.toBe('quota');
  });

  it.each([
    [
      '{"error":"Unauthorized IP address: 1.2.3.4","status":401}',
      'the API does not accept calls from address 1.2.3.4, whatever the credentials',
    ],
    [
      'request from not whitelisted IP fd00::5',
      'the API does not accept calls from address fd00::5, whatever the credentials',
    ],
  ])('tells an access list from credentials: %s', (text, meaning) => {
    expect(creationSenseOf(text)?.meaning).toBe(meaning);
  });

  it('blames no datastore where no machine is known', () => {
    const text =
      'failed to get shared datastores in kubernetes cluster. Error: empty List of Node VMs returned from nodeManager';
    expect(creationSenseOf(text)?.about).toBe('machines');
    expect(creationSenseOf('No compatible datastore found for storagePolicy: "gold".')?.about).toBe('shared');
  });

  it.each([
    ["Invalid snapshot: Originating snapshot status must be one of 'available' values", true],
    ['source volume state is not ready', true],
    ['snapshot quota exceeded', false],
    ['volume status must be available', false],
  ])('knows a source in another state: %s', (text, isRefused) => {
    expect(sourceStateTexts.test(text)).toBe(isRefused);
  });

  it('reads a webhook that was not reached', () => {
    expect(
      unansweredWebhookWords(
        'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post "https://hook.ns.svc:443/v?timeout=10s": context deadline exceeded',
      ),
    ).toEqual({ webhook: 'v.example.com', service: 'hook', namespace: 'ns', reason: 'context deadline exceeded' });
    expect(unansweredWebhookWords('admission webhook "v.example.com" denied the request: no')).toBeUndefined();
  });
});
