import { describe, expect, it } from 'vitest';
import { parseDriverError } from '../../../../../src/core/causes/lib/driver-error/parse.ts';
import type { DriverError } from '../../../../../src/core/causes/lib/driver-error/parse.ts';
import { absentThingIn } from '../../../../../src/core/causes/lib/driver-error/senses/missing.ts';
import { senseOf } from '../../../../../src/core/causes/lib/driver-error/storage-sense.ts';
import { holderIn, saysAttachedElsewhere } from '../../../../../src/core/causes/lib/driver-error/senses/use.ts';
import {
  actionDeniedText,
  policyTexts,
  rightIn,
  saysCredentials,
  saysWrongLogin,
  serviceOffTexts,
} from '../../../../../src/core/causes/lib/driver-error/senses/credentials.ts';
import { saysLimit } from '../../../../../src/core/causes/lib/driver-error/senses/capacity.ts';
import {
  brokenStateTexts,
  saysTimeout,
  saysTransition,
} from '../../../../../src/core/causes/lib/driver-error/senses/time.ts';

const read = (message: string, errorCode?: number): DriverError => parseDriverError({ message, errorCode });

describe('who was refused, and why', () => {
  it.each([
    'GET https://api.example.com/v2/volumes: 401 Unauthorized',
    'ServerFaultCode: Cannot complete login due to an incorrect user name or password.',
    'failed to create volume: the token you provided is invalid (unauthorized, 1f2e)',
    '401 (request "c4") Unable to authenticate you',
  ])('credentials that are wrong, which no right helps: %s', (text) => {
    expect(saysWrongLogin(text)).toBe(true);
  });

  it.each([
    'Access Denied. Please ensure you have the right permissions: Access denied',
    'UnauthorizedOperation: You are not authorized to perform this operation.',
    'not authorized to perform: ec2:AttachVolume on resource: arn:aws:ec2:x:1:volume/v. The token is expired',
    'permission denied',
  ])('a right that is missing, or perhaps is: %s', (text) => {
    expect(saysWrongLogin(text)).toBe(false);
  });

  it('names the action and the caller, and takes "this operation" for no action', () => {
    const text =
      'You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/ebs/1 is not authorized to perform: ec2:AttachVolume on resource: arn:aws:ec2:r:1:volume/v';
    expect(rightIn(text)).toEqual({ action: 'ec2:AttachVolume', caller: 'arn:aws:sts::1:assumed-role/ebs/1' });
    expect(actionDeniedText.test('not authorized to perform this operation')).toBe(false);
  });

  it.each([
    [policyTexts, "RequestDisallowedByPolicy: Resource 'f5' was disallowed by policy."],
    [policyTexts, 'Constraint constraints/compute.requireCmek violated for project p'],
    [policyTexts, 'because of an explicit deny in a service control policy'],
    [serviceOffTexts, 'Cloud Filestore API has not been used in project 1 before or it is disabled.'],
    [serviceOffTexts, 'The subscription is not registered to use namespace Microsoft.Storage'],
  ])('%s: %s', (pattern, text) => {
    expect(pattern.test(text)).toBe(true);
    expect(senseOf(text)).toMatchObject({ about: 'credentials', kind: 'credentials' });
  });
});

describe('what a storage does not know', () => {
  it.each([
    [
      'volume',
      "could not attach volume 'vol-1' to node 'i-1': InvalidVolume.NotFound: The volume 'vol-1' does not exist.",
    ],
    [
      'node',
      "could not attach volume 'vol-1' to node 'i-1': InvalidInstanceID.NotFound: The instance ID 'i-1' does not exist",
    ],
    ['node', 'failed to find VirtualMachine for node:"422b". Error: node wasn\'t found'],
    ['node', "host with k8s node ID 'csi-node-7d' not found"],
    ['volume', 'Volume vol-1 not found'],
    [undefined, 'the request timed out'],
    [undefined, 'failed to attach volume vol-1 to node node-a: key "x" not found in the settings'],
  ])('%s: %s', (thing, text) => {
    expect(absentThingIn(text)).toBe(thing);
  });
});

describe('the state that a storage names', () => {
  it('is the current one, not those that it asks for', () => {
    const text = 'status must be available or downloading to reserve, but the current status is';
    expect(saysTransition(`${text} error.`)).toBe(false);
    expect(saysTransition(`${text} reserved.`)).toBe(true);
    expect(brokenStateTexts.test(`${text} error.`)).toBe(true);
    expect(brokenStateTexts.test(`${text} in-use.`)).toBe(false);
  });

  it.each([
    [
      'gke-pool-1a2b-c3d4',
      "The disk resource 'projects/p/zones/z/disks/d1' is already being used by 'projects/p/zones/z/instances/gke-pool-1a2b-c3d4'",
    ],
    ['i-0999aaa', 'Volume vol-1 is currently attached to i-0999aaa.'],
    [undefined, 'Volume is already attached to a different instance'],
    [undefined, 'volume is published to another node'],
  ])('holder %s', (holder, text) => {
    expect(holderIn(text)).toBe(holder);
  });
});

describe('what an attach error says', () => {
  it.each([
    ["rpc error: code = ResourceExhausted desc = Cannot attach any more volumes to this node ('node-a')", undefined],
    ['rpc error: code = Internal desc = AttachmentLimitExceeded', undefined],
    ['attachdisk: the maximum number of data disks allowed to be attached to a VM of this size is 4', undefined],
    [
      "googleapi: Error 400: Exceeded limit 'maximum_persistent_disks' on resource 'w1'. Limit: 16.0, limitExceeded",
      undefined,
    ],
    ['the instance exceeds the limit of 16 attached volumes', undefined],
    ['the driver gave no words', 8],
  ])('a full node: %s', (raw, code) => {
    expect(saysLimit(read(raw, code))).toBe(true);
    expect(saysAttachedElsewhere(read(raw, code))).toBe(false);
  });

  it.each([
    'rpc error: code = FailedPrecondition desc = volume is published to another node',
    'rpc error: code = Internal desc = Could not attach volume: VolumeInUse: vol-1 is already attached to an instance',
    "GCE 200 - RESOURCE_IN_USE_BY_ANOTHER_RESOURCE: The disk resource 'd' is already being used by 'i'",
    'Volume is already attached to a different instance',
    'Invalid volume: volume v status must be available or downloading to reserve, but the current status is in-use. (HTTP 400)',
    'failed to attach cns volume: "v" to node vm: "vm-1". fault: "(types.ResourceInUse) The resource \'volume\' is in use."',
    'the disk d is currently in use',
  ])('a volume that is elsewhere: %s', (raw) => {
    expect(saysAttachedElsewhere(read(raw))).toBe(true);
  });

  it.each([
    "googleapi: Error 403: Quota 'DISKS_TOTAL_GB' exceeded. Limit: 500.0 in region us-east1, quotaExceeded",
    'rpc error: code = Internal desc = volume status must be in-use to detach, but the current status is available',
  ])('neither a full node nor a volume that is elsewhere: %s', (raw) => {
    expect(saysLimit(read(raw))).toBe(false);
    expect(saysAttachedElsewhere(read(raw))).toBe(false);
  });

  it.each([
    'rpc error: code = Internal desc = RequestLimitExceeded: Request limit exceeded.',
    'rpc error: code = ResourceExhausted desc = the API rate limit applies, try again later',
  ])('does not take a throttled request for a full node: %s', (raw) => {
    expect(saysLimit(read(raw))).toBe(false);
  });

  it('tells refused credentials and timeouts apart', () => {
    expect(
      saysCredentials(read('rpc error: code = Internal desc = UnauthorizedOperation: You are not authorized')),
    ).toBe(true);
    expect(saysCredentials(read('rpc error: code = DeadlineExceeded desc = context deadline exceeded'))).toBe(false);
    expect(saysTimeout(read('rpc error: code = DeadlineExceeded desc = context deadline exceeded'))).toBe(true);
    expect(saysTimeout(read('timed out waiting for external-attacher of x CSI driver to attach volume y'))).toBe(false);
  });
});
