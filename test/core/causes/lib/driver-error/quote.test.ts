import { describe, expect, it } from 'vitest';
import { quoteWords } from '../../../../../src/core/causes/lib/driver-error/quote.ts';
import { senseOf } from '../../../../../src/core/causes/lib/driver-error/storage-sense.ts';
import { diagnose } from '../../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../../kit/scenario.ts';

const quoted = (text: string): string => quoteWords(text, senseOf(text)?.words);

describe('a quote of a driver', () => {
  it.each([
    [
      'Could not create volume "pvc-0b1c2d3e-0000-4000-8000-00000000aaaa" in the backend of the region: timed out waiting for volume to create: context deadline exceeded',
      'timed out waiting for volume to create',
    ],
    [
      'CreateVolume failed with error Bad request with: [POST https://volumes.example.com:8776/v3/0123456789abcdef/volumes], error message: {"badRequest": {"code": 400, "message": "Availability zone nova is invalid."}}',
      'Availability zone nova is invalid',
    ],
    [
      'Failed to create volume: could not find enough nodes to provision volume: 3 out of 3 pools could not be selected because they did not satisfy the following requirement: minimum free space',
      'could not find enough nodes',
    ],
    [
      `the plugin was asked to make a volume and could not since ${'x'.repeat(250)} no space left on device`,
      'no space left on device',
    ],
  ])('keeps the decisive words of a long text: %s', (text, words) => {
    expect(quoted(text)).toContain(words);
    expect(quoted(text).length).toBeLessThan(205);
  });

  it('loses the outer parts first where nothing is known of the text', () => {
    expect(
      quoted(
        `could not create volume ${'x'.repeat(160)}: the request to the array failed for the reason that follows: spindle seven wobbles`,
      ),
    ).toBe('"the request to the array failed for the reason that follows: spindle seven wobbles"');
  });

  it('is the whole text where it is short, without the receipt of a cloud', () => {
    expect(
      quoted(
        'InvalidParameterCombination: The parameter iops must be specified for io1 volumes.\n\tstatus code: 400, request id: 625e97aa',
      ),
    ).toBe('"InvalidParameterCombination: The parameter iops must be specified for io1 volumes."');
    expect(quoted('pool "a" wobbles')).toBe(`"pool 'a' wobbles"`);
    expect(quoted('')).toBe('""');
  });

  it('is cut at its end where one part alone is too long', () => {
    expect(quoted('y'.repeat(500))).toBe(`"${'y'.repeat(200)}…"`);
  });

  it('is the message inside the JSON of an API where the whole is too long', () => {
    expect(
      quoted(
        `Failed to refresh the Token for request to https://management.example.com/subscriptions/${'0'.repeat(150)}: StatusCode=400 -- Original Error: Refresh request failed. Response body: {"error":"invalid_request","error_description":"Identity not found"}`,
      ),
    ).toMatch(/^"Failed to refresh the Token … Identity not found"$/);
  });

  it.each([
    ['provision-resource-exhausted--cloud-quota', /uota/],
    ['provision-invalid-argument--cloud-parameter', /iops/],
    ['provision-credentials', /denied|not authorized/i],
  ])('comes before the meaning in the summary: %s', (id, words) => {
    const scenario = loadScenario(id);
    const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
    const summary = item?.findings.find(({ cause }) => cause === item.cause)?.summary ?? '';
    expect(summary).toMatch(words);
    expect(summary).toMatch(/\."?$/);
  });
});
