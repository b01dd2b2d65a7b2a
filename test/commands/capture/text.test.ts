import { describe, expect, it } from 'vitest';
import type { CaptureSummary } from '../../../src/core/report/capture.ts';
import { renderCapture } from '../../../src/commands/capture/text.ts';

const summary: CaptureSummary = {
  source: 'prod',
  scope: 'all namespaces',
  file: 'csi-capture-prod-20260301T120000Z.json.gz',
  bytes: 17_240,
  isAnonymous: true,
  counts: [
    { kind: 'PersistentVolumeClaim', count: 29 },
    { kind: 'PersistentVolume', count: 12 },
    { kind: 'LimitRange', count: 1 },
    { kind: 'VolumeAttachment', count: 7 },
  ],
  unread: [
    { resource: 'leases', reason: 'forbidden' },
    { resource: 'nodes', reason: 'forbidden' },
    { resource: 'events', namespace: 'shop', reason: 'forbidden' },
    { resource: 'csinodes', reason: 'connection reset by peer' },
  ],
  redactions: [
    { object: 'pod/web-0 in shop', path: 'spec.containers[0].env[DATABASE_URL].value', what: 'environment value' },
    { object: 'storageclass/fast', path: 'parameters[password]', what: 'parameter' },
  ],
};

describe('the summary of a capture', () => {
  it.each([80, 160])('looks as it did at %i columns', async (width) => {
    await expect(`${renderCapture(summary, { width, isDryRun: width === 160 })}\n`).toMatchFileSnapshot(
      `../../screens/capture.${width}.txt`,
    );
  });

  it('says all that was refused for one reason in one line', () => {
    const text = renderCapture(summary, { width: 80, isDryRun: false });
    expect(text).toContain(
      '? could not read leases, nodes (forbidden)\n? could not read events (forbidden in namespace shop)\n? could not read csinodes (connection reset by peer)\n',
    );
    expect(text.match(/rbac --check/g)).toHaveLength(1);
  });
});
