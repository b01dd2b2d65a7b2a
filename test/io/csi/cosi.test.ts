import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProbeItem } from '../../../src/core/report/probe-report.ts';
import { looksLikeCosi } from '../../../src/io/csi/endpoint.ts';
import { probeEndpoint } from '../../../src/io/csi/probe-endpoint.ts';
import { chunk, healthy, startDriver, varint } from '../../kit/csi-driver.ts';
import type { Answers } from '../../kit/csi-driver.ts';

const first = '/cosi.v1alpha1.Identity/DriverGetInfo';
const second = '/sigs.k8s.io.cosi.v1alpha2.Identity/DriverGetInfo';
/** DriverGetInfoResponse with a name and protocols by their numbers. */
const info = (name: string, ...protocols: readonly number[]): Buffer =>
  Buffer.concat([chunk(1, name), ...protocols.map((protocol) => chunk(2, varint(1, protocol)))]);

let directory = '';
let stop: (() => unknown) | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cosi-probe-'));
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  await rm(directory, { recursive: true, force: true });
});

/** Probes a driver that gives these answers on a socket of this name. */
async function probe(name: string, answers: Answers, expectedName?: string): Promise<ProbeItem> {
  const path = join(directory, name);
  const driver = await startDriver(path, answers);
  stop = driver.stop;
  return probeEndpoint(
    { type: 'unix', path },
    { timeoutMs: 60_000, deep: false, ...(expectedName !== undefined && { expectedName }) },
  );
}

describe('the socket of a driver for object storage', () => {
  it.each(['cosi.sock', 'driver.sock'])('is known as such in v1alpha1, also by the name %s', async (name) => {
    const item = await probe(name, { [first]: info('s3.example.com') });
    expect(item).toMatchObject({ protocol: 'cosi', status: 'ready', driver: 's3.example.com' });
    expect(item.notes).toContain('it speaks COSI v1alpha1');
    expect(item.capabilities).toBeUndefined();
  });

  it('shows its object protocols in v1alpha2', async () => {
    const item = await probe('cosi.sock', { [second]: info('s3.example.com', 1, 3) });
    expect(item).toMatchObject({ protocol: 'cosi', status: 'ready', capabilities: { object: ['S3', 'GCS'] } });
  });

  it('may speak both versions', async () => {
    const item = await probe('cosi.sock', { [first]: info('s3.example.com'), [second]: info('s3.example.com', 1) });
    expect(item.notes).toContain('it speaks COSI v1alpha1 and v1alpha2');
  });

  it('without a protocol makes the sidecar of v1alpha2 exit', async () => {
    const item = await probe('cosi.sock', { [second]: info('s3.example.com') });
    expect(item.status).toBe('unhealthy');
    expect(item.summary).toContain('no object protocol');
  });

  it('needs a name, a valid one, and the one that is expected', async () => {
    expect(await probe('cosi.sock', { [first]: info('') })).toMatchObject({
      status: 'unhealthy',
      failure: 'name-empty',
    });
    await stop?.();
    expect(await probe('cosi.sock', { [second]: info('3s.example.com', 1) })).toMatchObject({
      failure: 'name-invalid',
    });
    await stop?.();
    expect(await probe('cosi.sock', { [first]: info('s3.example.com') }, 'other.example.com')).toMatchObject({
      failure: 'name-mismatch',
    });
  });

  it('is asked as a CSI driver where it does not speak COSI', async () => {
    const item = await probe('cosi.sock', healthy);
    expect(item).toMatchObject({ protocol: 'csi', status: 'ready' });
  });

  it('says that it serves neither, where it does not', async () => {
    const item = await probe('cosi.sock', {});
    expect(item).toMatchObject({ status: 'unhealthy', failure: 'service-absent' });
  });
});

it.each([
  ['/var/lib/cosi/cosi.sock', true],
  ['/var/lib/cosi/driver.sock', true],
  ['/tmp/cosi-s3.sock', true],
  ['/csi/csi.sock', false],
  ['/var/lib/kubelet/plugins/cosine.example.com/csi.sock', false],
])('%s may be asked as COSI first: %s', (path, expected) => {
  expect(looksLikeCosi({ type: 'unix', path })).toBe(expected);
});
