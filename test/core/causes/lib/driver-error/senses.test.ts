import { describe, expect, it } from 'vitest';
import { parseDriverError } from '../../../../../src/core/causes/lib/driver-error/parse.ts';
import type { DriverError } from '../../../../../src/core/causes/lib/driver-error/parse.ts';
import { saysAttachedElsewhere } from '../../../../../src/core/causes/lib/driver-error/senses/use.ts';
import { saysCredentials } from '../../../../../src/core/causes/lib/driver-error/senses/credentials.ts';
import { saysLimit } from '../../../../../src/core/causes/lib/driver-error/senses/capacity.ts';
import { saysTimeout } from '../../../../../src/core/causes/lib/driver-error/senses/time.ts';

const read = (message: string, errorCode?: number): DriverError => parseDriverError({ message, errorCode });

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
